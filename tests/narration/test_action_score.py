"""Action score: what is done, whoever does it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.core import registry
from kataribe.core.errors import InputError, UsageError
from kataribe.core.types import Cast, Role
from kataribe.films.names import Names
from kataribe.narration.actions import Action, clauses, find_actions

from .corpora import narrations, score
from .test_word_kinds import tagger

CAST = Cast("f", (Role("Anna"), Role("Tom"), Role("老李")))
NAMES = Names.of_cast(CAST)


@pytest.fixture(autouse=True)
def _taggers() -> None:
    tagger("en")
    tagger("zh")


def parse(text: str = "action_score(text=rouge_l)"):
    return registry.parse(text, defaults={"tok": "none"})


def value(said: str, written: str, text: str = "action_score(text=rouge_l)") -> float:
    return score(parse(text), narrations([(said, written)], (CAST,))).value


@pytest.mark.parametrize(
    ("language", "text", "actions"),
    [
        ("en", "Anna runs along the wall.", [("runs along the wall", "run")]),
        ("en", "Tom lifted a lantern, who hides letters", [("lifted a lantern", "lift"), ("hides letters", "hide")]),
        ("en", "The harbour is empty. Anna has a letter.", []),
        ("en", "He starts running to Tom and falls.", [("starts running to", "start"), ("falls", "fall")]),
        ("zh", "老李端来食物倒入小猫的饭盆里。", [("端来食物", "端"), ("倒入小猫的饭盆里", "倒入")]),
        ("zh", "窗外是大雪。", []),
    ],
)
def test_an_action_is_a_verb_and_what_follows_it(language, text: str, actions: list[tuple[str, str]]) -> None:
    assert find_actions(text, NAMES, language) == [Action(*action) for action in actions]


def test_clauses_are_cut_at_punctuation_and_have_no_names() -> None:
    assert clauses("Anna waits; then, quickly, she runs to Tom!", NAMES, "en") == [
        "waits",
        "then",
        "quickly",
        "she runs to",
    ]
    assert clauses("老李笑了，走了。", NAMES, "zh") == ["笑了", "走了"]


def test_who_does_it_plays_no_part() -> None:
    assert value("Tom lifts a lantern", "Anna lifts a lantern") == value("Anna lifts a lantern", "Anna lifts a lantern")


def test_the_same_action_is_one_and_a_half_and_nothing_in_common_minus_a_half() -> None:
    assert value("Tom lifts a lantern", "Anna lifts a lantern") == pytest.approx(2 * (0.8 + 0.2 - 0.25))
    assert value("snow", "Anna lifts a lantern") == pytest.approx(-0.5)
    assert value("", "Anna lifts a lantern") == pytest.approx(-0.5)


def test_the_same_verb_is_worth_a_fifth() -> None:
    """`lifting` is the verb of `lifts`, but another word: similarity by shared words, 2 of 3 on both sides."""
    found = score(parse(), narrations([("Tom is lifting a lantern", "Anna lifts a lantern")], (CAST,)))
    assert found.parts["similarity"] == pytest.approx(2 / 3)
    assert found.parts["same verb"] == pytest.approx(2 / 3)
    other = score(parse(), narrations([("Tom is dropping a lantern", "Anna lifts a lantern")], (CAST,)))
    assert other.parts["similarity"] == pytest.approx(2 / 3)
    assert other.parts["same verb"] == 0.0


def test_telling_more_costs_nothing() -> None:
    alone = value("Tom lifts a lantern", "Anna lifts a lantern")
    assert value("Snow falls. Tom lifts a lantern, then sleeps", "Anna lifts a lantern") == pytest.approx(alone)


def test_every_action_of_the_reference_counts_alike() -> None:
    written = "Anna lifts a lantern and burns the letter"
    found = score(parse(), narrations([("Tom lifts a lantern", written)], (CAST,)))
    best_of_second = parse("rouge_l").rows(narrations([("lifts a lantern", "burns the letter")]))
    assert found.parts["same verb"] == pytest.approx(1 / 2)
    assert found.parts["similarity"] == pytest.approx((1 + best_of_second[0, 1]) / 2, abs=0.01)


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.sampled_from(["Anna runs.", "Tom lifts a lantern", "老李端来食物。", "Snow.", ""]), min_size=1, max_size=5
    )
)
def test_a_narration_beside_itself_has_the_best_score(lines: list[str]) -> None:
    metric = parse()
    items = narrations([*((line, line) for line in lines), ("Tom runs.", "Tom runs.")], (CAST,))
    values = metric.per_item(metric.rows(items)).value
    assert np.allclose(values[np.isfinite(values)], 1.5)


def test_lines_without_an_action_are_left_out_and_counted() -> None:
    items = narrations([("Anna runs.", "Anna runs."), ("Anna runs.", "Snow."), ("x", "老李。")], (CAST,))
    metric = parse()
    facts = metric.facts(items)
    assert metric.warnings(facts)[0].startswith("2 references name no action, and action_score leaves them out")
    assert np.isfinite(metric.per_item(metric.rows(items)).value).tolist() == [True, False, False]
    with pytest.raises(InputError, match="no reference names an action"):
        metric.facts(narrations([("Anna runs.", "Snow.")], (CAST,)))


def test_the_signature_names_tagger_cast_and_similarity() -> None:
    items, metric = narrations([("Anna runs.", "Anna runs."), ("老李走了。", "老李走了。")], (CAST,)), parse()
    fields = metric.signature(metric.facts(items))
    assert fields["actions"].startswith("spacy3.")
    assert "+jieba0." in fields["actions"]
    assert fields["cast"].startswith("own-")
    assert (fields["text"], fields["text.tok"], fields["scale"]) == ("rouge_l", "none", "2(x-0.25)")


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(UsageError, match="known for Chinese and English"):
        value("彼女は走る。", "彼女は港へ走る。")
    with pytest.raises(UsageError, match="does not score sentences but narration"):
        value("x", "Anna runs.", "action_score(text=role_f1)")
