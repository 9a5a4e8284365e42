"""What narrations give to studies with people."""

from __future__ import annotations

import pytest

from kataribe.core.errors import InputError
from kataribe.core.types import Cast, Narration, Role, Segment
from kataribe.narration.study import RankingOptions, check_films, degraded_candidates, neighbours, not_degraded

pytest.importorskip("jieba", reason="needs kataribe[zh]")

CAST = {"f": Cast("f", (Role("老李"), Role("小宇"), Role("阿海")))}


def told(*texts: str) -> dict[str, Narration]:
    return {str(place): Narration(str(place), "f", Segment(place, place + 1), text) for place, text in enumerate(texts)}


def test_a_line_without_a_name_would_be_the_reference_itself() -> None:
    references = told("老李打开房门。", "他打开窗户。", "小宇！")
    degraded = degraded_candidates(references, CAST, RankingOptions(seed=1))
    assert degraded.language == "zh"
    assert "老李" not in degraded.names["0"].text
    assert degraded.names["0"].text.endswith("打开房门。")
    assert degraded.words["0"].text.startswith("老李")
    assert not_degraded(references, degraded) == {"1", "2"}, "one has no name, the other neither noun nor verb"


def test_names_are_removed_if_that_is_wanted() -> None:
    degraded = degraded_candidates(told("老李打开房门。", "小宇关上窗户。"), CAST, RankingOptions(names="remove"))
    assert degraded.names["0"].text == "打开房门。"


def test_lines_of_another_film_are_named() -> None:
    lines = told("老李打开房门。")
    with pytest.raises(InputError, match="vt: 1 line tells another film than in the references: '0'"):
        check_films({"0": Narration("0", "g", None, "...")}, lines, "vt")
    check_films({"0": Narration("0", None, None, "..."), "9": Narration("9", "g", None, "...")}, lines, "vt")


def test_neighbours_are_those_of_the_same_film_in_time() -> None:
    lines = [
        Narration("b", "f", Segment(5, 6), "second"),
        Narration("x", "g", Segment(2, 3), "elsewhere"),
        Narration("a", "f", Segment(1, 2), "first"),
        Narration("c", "f", Segment(9, 12), "third"),
        Narration("unplaced", None, None, "somewhere"),
    ]
    assert neighbours(lines) == {
        "a": ("", "second"),
        "b": ("first", "third"),
        "c": ("second", ""),
        "x": ("", ""),
    }
