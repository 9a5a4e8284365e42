"""Degraded narrations: what is spoilt, what stays, and what a line depends on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.core.types import Cast, Narration, Role, Segment
from kataribe.films.casts import read_casts
from kataribe.films.names import Names
from kataribe.narration.degraded import DegradeOptions, cautions, degrade
from kataribe.narration.files import read_narrations
from kataribe.narration.output import format_narrations

from .corpora import CAST, texts
from .test_word_kinds import tagger

ZH = ["老李端来食物倒入小猫的饭盆里，小天看着小猫。", "小天走进厨房，老李关掉电视机。", "窗外下着大雪。"]
EN = ["Anna lifts a lantern.", "Tom opens the letters and an old door.", "Ships leave the harbour.", "Anna waits."]
ZH_CAST = Cast("f", (Role("老李"), Role("小天"), Role("张三")))
EN_CAST = Cast("f", (Role("Anna"), Role("Tom", ("Thomas",)), Role("the pilot")))


def lines(said: list[str], film: str | None = "f") -> list[Narration]:
    return [Narration(f"clip {row}", film, Segment(row, row + 1), text) for row, text in enumerate(said)]


def spoilt(said: list[str], cast: Cast, **options) -> list[str]:
    return [line.text for line in degrade(lines(said), {"f": cast}, DegradeOptions(**options)).lines]


def removed(text: str) -> str:
    return spoilt([text], EN_CAST, names="remove")[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Anna waits.", "waits."),
        ("Here Anna waits for Thomas.", "Here waits for."),
        ("Anna's dog sees Tom, then Anna.", "dog sees, then."),
        ("Anna", ""),
        ("Nobody  waits.", "Nobody  waits."),
        ("The pilot and Annabel", "and Annabel"),
    ],
)
def test_a_name_is_taken_out_without_a_gap(text: str, left: str) -> None:
    assert removed(text) == left


def test_names_become_those_of_others_the_same_within_a_line() -> None:
    cast = Cast("f", (Role("Anna"), Role("Tom", ("Thomas",))))
    assert spoilt(["Anna waits for Thomas. Tom smiles."], cast, names="replace") == ["Tom waits for Anna. Anna smiles."]


@settings(deadline=None, max_examples=60)
@given(st.lists(texts, max_size=5), st.integers(0, 5))
def test_every_name_is_another_after_replacing(said: list[str], seed: int) -> None:
    names = Names.of_cast(CAST)
    changed = degrade(lines(said), {"f": CAST}, DegradeOptions(names="replace", seed=seed)).lines
    for before, after in zip(said, changed, strict=True):
        old, new = ([mention.role for mention in names.mentions(text)] for text in (before, after.text))
        assert all(one != other for one, other in zip(old, new, strict=True))
        assert len(set(old)) == len(set(new))


@settings(deadline=None, max_examples=40)
@given(st.permutations(range(4)), st.integers(0, 3))
def test_a_line_does_not_depend_on_the_order_of_the_others(order: list[int], seed: int) -> None:
    tagger("en")
    options = DegradeOptions(names="replace", words="nouns,verbs", seed=seed)
    listed = lines(EN)
    whole = {line.id: line.text for line in degrade(listed, {"f": EN_CAST}, options).lines}
    shuffled = degrade([listed[row] for row in order], {"f": EN_CAST}, options)
    assert {line.id: line.text for line in shuffled.lines} == whole
    assert [line.id for line in shuffled.lines] == [listed[row].id for row in order]


def test_names_do_not_depend_on_other_lines_at_all() -> None:
    options = DegradeOptions(names="replace", seed=3)
    alone = degrade(lines(ZH)[:1], {"f": ZH_CAST}, options).lines[0]
    assert degrade(lines(ZH), {"f": ZH_CAST}, options).lines[0] == alone


def test_another_seed_is_another_draw() -> None:
    tagger("zh")
    draws = {tuple(spoilt(ZH, ZH_CAST, words="nouns,verbs", seed=seed)) for seed in range(4)}
    assert len(draws) == 4


def test_every_noun_and_verb_is_another_and_nothing_else_changes() -> None:
    for language, said, cast in (("zh", ZH, ZH_CAST), ("en", EN, EN_CAST)):
        names = Names.of_cast(cast)
        before = [tagger(language).words(text, names) for text in said]
        pool = {word.text.lower() for words in before for word in words if word.kind in ("noun", "verb")}
        for words, text in zip(before, spoilt(said, cast, words="nouns,verbs"), strict=True):
            for word in words:
                if word.kind in ("noun", "verb"):
                    other = next(each for each in sorted(pool, key=len, reverse=True) if text.lower().startswith(each))
                    assert other != word.text.lower()
                    text = text[len(other) :]
                else:
                    assert text.startswith(word.text)
                    text = text[len(word.text) :]
            assert text == ""


def test_only_the_words_that_were_asked_for_are_exchanged() -> None:
    names = Names.of_cast(ZH_CAST)
    for text, changed in zip(ZH, spoilt(ZH, ZH_CAST, words="nouns"), strict=True):
        verbs = [word.text for word in tagger("zh").words(text, names) if word.kind == "verb"]
        assert all(verb in changed for verb in verbs)


def test_english_words_keep_their_form_and_their_capital() -> None:
    tagger("en")
    said = ["Boats sink.", "Ships burn.", "He lifts an oar.", "He drops an apple."]
    found = spoilt(said, EN_CAST, words="nouns,verbs")
    assert found[2:] in (["He drops an apple.", "He lifts an oar."],)
    assert {text.split()[0] for text in found[:2]} == {"Ships", "Boats"}


def test_what_has_no_other_stays_and_is_said() -> None:
    alone = Cast("f", (Role("Anna"),))
    found = degrade(lines(["Anna waits for Anna."]), {"f": alone}, DegradeOptions(names="replace"))
    assert (found.lines[0].text, found.names, found.kept, found.changed) == ("Anna waits for Anna.", 0, 2, 0)
    assert [caution.id for caution in cautions(found)] == ["undegraded"]


def test_films_without_a_cast_keep_their_names_and_are_said() -> None:
    found = degrade(lines(["Anna waits."], film="g"), {"f": EN_CAST}, DegradeOptions(names="remove"))
    assert found.lines[0].text == "Anna waits."
    assert found.without_cast == ("g",)
    assert cautions(found)[0] == "names of 1 film without a cast were left: 'g'"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing is to be degraded"),
        ({"words": "adverbs"}, "'adverbs' is no kind of words"),
        ({"names": "swap"}, "swap"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        DegradeOptions(**options)


@pytest.mark.parametrize("kind", [".json", ".jsonl", ".csv"])
def test_what_is_written_is_read_back(kind: str, tmp_path: Path) -> None:
    told = [*lines(['He said "no", then left.', "老李，\n走了"]), Narration("bare", None, None, "It snows.")]
    path = tmp_path / f"out{kind}"
    path.write_text(format_narrations(told, kind), encoding="utf-8")
    assert list(read_narrations(path).values()) == told


@pytest.mark.data
def test_movie101_loses_every_name(data_folder: Path) -> None:
    movie101 = data_folder / "movie101"
    casts, written = read_casts(movie101 / "cast.json"), read_narrations(movie101 / "N" / "val.json")
    found = degrade(written.values(), casts, DegradeOptions(names="remove"))
    names = {film: Names.of_cast(cast) for film, cast in casts.items()}
    left = [len(names[line.film].in_text(line.text)) for line in found.lines]
    # What stood before and behind a name may make another one.
    assert np.count_nonzero(left) <= 2
    assert (found.changed, found.names) == (1077, 3566)
