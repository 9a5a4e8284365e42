"""A role is introduced by name before it is he or she."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.core.types import Cast, Role, Segment
from kataribe.films.names import Names
from kataribe.narration.first_mention import FirstMention
from kataribe.narration.items import Narrations
from kataribe.narration.pronouns import read_line

from .corpora import CAST, in_two_films, narrations, pieces, rows_by_film, score

ANNA = (Cast("f", (Role("Anna", ("Annie",)), Role("Tom"), Role("Eve"))),)
lines_with_pronouns = st.lists(st.one_of(pieces, st.sampled_from(["She", "he", "他"])), max_size=5).map(" ".join)


def value(told: list[str], written: list[str], of: str = "role") -> float:
    items = narrations(list(zip(told, written, strict=True)), ANNA)
    return score(FirstMention(of), items).value


def told_at(items: Narrations, order: list[int]) -> Narrations:
    """The same lines for the same clips, told in another order."""
    return replace(items, spoken=[Segment(10 * place, 10 * place + 5) for place in order])


def test_a_role_that_is_named_first_is_introduced() -> None:
    assert value(["Anna waits.", "She leaves."], ["Anna waits.", "Anna leaves."]) == 1.0


def test_a_role_that_is_she_first_is_not() -> None:
    written = ["Anna waits.", "Anna leaves.", "Tom runs."]
    assert value(["She waits.", "Anna leaves.", "Tom runs."], written) == pytest.approx(1 / 2)
    assert value(["She waits.", "She leaves.", "He runs."], written) == 0.0


def test_a_pronoun_is_understood_if_who_is_meant_was_named_last() -> None:
    written = ["Anna waits.", "Tom runs.", "Anna leaves."]
    assert value(["Anna waits.", "Tom runs.", "She leaves."], written, "turn") == 0.0
    assert value(["Tom runs.", "Annie waits.", "She leaves."], ["Tom.", "Anna.", "Anna leaves."], "turn") == 1.0


def test_an_opening_pronoun_of_the_reference_stands_for_who_was_named_last() -> None:
    assert value(["Eve waits.", "He leaves."], ["Tom waits.", "He leaves."]) == pytest.approx(1 / 2)


def test_pronouns_of_clips_that_are_about_nobody_are_not_counted() -> None:
    metric = FirstMention("turn")
    assert np.isnan(score(metric, narrations([("She waits.", "Snow falls.")], ANNA)).value)


def test_a_pronoun_behind_a_name_opens_nothing() -> None:
    assert value(["Tom sees her.", "Eve."], ["Tom sees Anna.", "Eve."]) == 1.0


@pytest.mark.parametrize(
    "text", ["他笑了。", "她的手", "He's late.", "HER hand", "himself", "彼女は笑う", "彼は笑う", "于是他走了"]
)
def test_pronouns(text: str) -> None:
    assert read_line(text, Names({})).opens_with_pronoun


@pytest.mark.parametrize(
    "text", ["吉他", "其他人", "他们走了", "她们", "利他主义", "There", "the sheet", "彼ら", "彼女たち", "they"]
)
def test_what_only_looks_like_one(text: str) -> None:
    assert not read_line(text, Names({})).opens_with_pronoun


def test_the_order_is_that_in_which_lines_are_told() -> None:
    """The clips and their lines are the same; only a listener notices."""
    texts = ["Anna waits.", "She leaves.", "Tom runs.", "He falls."]
    items = narrations([(text, text) for text in texts], ANNA)
    shuffled = told_at(items, [1, 0, 3, 2])
    assert (score(FirstMention(), items).value, score(FirstMention("turn"), items).value) == (1.0, 1.0)
    assert (score(FirstMention(), shuffled).value, score(FirstMention("turn"), shuffled).value) == (0.0, 0.0)
    assert score(FirstMention(), shuffled).parts["reference"] == 1.0


def test_a_line_without_a_first_mention_does_nothing_wrong_and_one_without_a_cast_nothing_at_all() -> None:
    items = narrations([("Anna.", "Anna."), ("Snow.", "Snow."), ("She.", "Anna.")], ANNA, ["f", "f", "unknown"])
    values = FirstMention().per_item(FirstMention().rows(items)).value
    assert values[:2].tolist() == [1.0, 1.0]
    assert np.isnan(values[2])
    (warning,) = FirstMention().warnings(FirstMention().facts(items))
    assert (warning.id, str(warning)) == (
        "no-cast",
        "1 clip of 1 film without a cast, left out of first_mention: 'unknown'",
    )


def test_without_casts_it_is_refused() -> None:
    with pytest.raises(UsageError, match="first_mention needs the films' casts"):
        FirstMention().facts(replace(narrations([("a", "b")], ANNA), known={}))


@given(st.lists(lines_with_pronouns, min_size=1, max_size=8))
def test_references_are_always_understood_unless_nobody_was_named_yet(lines) -> None:
    items = in_two_films([(line, line) for line in lines])
    for of in ("role", "turn"):
        found = score(FirstMention(of), items)
        assert found.value == found.parts["reference"] or np.isnan(found.value)
        rows = FirstMention(of).rows(items)
        read = [read_line(line, Names.of_cast(CAST)) for line in lines]
        anonymous = [line.opens_with_pronoun and bool(line.roles) for line in read]
        if not any(anonymous):  # a pronoun before the first name may be anybody's
            assert rows[:, 4].tolist() == rows[:, 2].tolist()


@given(st.lists(st.tuples(lines_with_pronouns, lines_with_pronouns), min_size=1, max_size=8))
def test_rows_of_a_shard_are_rows_of_the_whole(lines) -> None:
    items = in_two_films(lines)
    assert np.array_equal(rows_by_film(FirstMention(), items), FirstMention().rows(items))
