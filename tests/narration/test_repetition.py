"""What was just said, said again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.core.types import Cast, Role, Segment
from kataribe.narration.repetition import Repetition

from .corpora import corpora, in_two_films, narrations, rows_by_film, score


def told(*lines: str) -> list[tuple[str, str]]:
    return [(line, f"line {place}") for place, line in enumerate(lines)]


def test_a_line_said_twice_is_repeated_whole() -> None:
    found = score(Repetition(n=2, tok="none"), narrations(told("a b c", "a b c")))
    assert found.value == pytest.approx(1 / 2)
    assert found.parts["copies"] == 1 / 2


def test_a_line_may_repeat_itself() -> None:
    assert score(Repetition(n=1, tok="none"), narrations(told("a a b a"))).value == pytest.approx(2 / 4)


def test_only_what_other_lines_said_may_be_counted() -> None:
    lines = narrations(told("a a b a", "b c"))
    assert score(Repetition(n=1, tok="none"), lines).value == pytest.approx(3 / 6)
    assert score(Repetition(n=1, tok="none", across=True), lines).value == pytest.approx(1 / 6)
    with pytest.raises(UsageError, match="window at least 1 where only other lines count"):
        Repetition(window=0, across=True)


def test_lines_follow_each_other_as_they_are_told() -> None:
    items = narrations(told("a b", "c d", "a b"))
    together = replace(items, spoken=[Segment(0, 1), Segment(9, 10), Segment(1, 2)])
    metric = Repetition(n=2, tok="none", window=1)
    assert (score(metric, items).value, score(metric, together).value) == (0.0, pytest.approx(1 / 3))


def test_what_was_said_long_ago_is_forgotten() -> None:
    lines = told("a b", "c d", "a b")
    assert score(Repetition(n=2, tok="none", window=1), narrations(lines)).value == 0.0
    assert score(Repetition(n=2, tok="none", window=2), narrations(lines)).value == pytest.approx(1 / 3)


def test_films_do_not_repeat_each_other() -> None:
    casts = Cast("f", (Role("A"),)), Cast("g", (Role("B"),))
    items = narrations(told("a b", "a b"), casts, ["f", "g"])
    assert score(Repetition(n=2, tok="none"), items).value == 0.0


def test_lines_without_ngrams_count_for_nothing() -> None:
    found = score(Repetition(), narrations(told("a", "b", "")))
    assert found.value == 0.0
    assert found.parts["copies"] == 0.0


def test_the_reference_is_read_in_the_same_way() -> None:
    items = narrations([("x", "a b c d"), ("y", "a b c d")])
    found = score(Repetition(tok="none"), items)
    assert (found.value, found.parts["reference"], found.parts["reference copies"]) == (0.0, 0.5, 0.5)


@given(corpora)
def test_rows_of_a_shard_are_rows_of_the_whole(lines) -> None:
    items = in_two_films(lines)
    metric = Repetition(n=1, tok="none")
    assert np.array_equal(rows_by_film(metric, items), metric.rows(items))


@given(corpora, st.integers(1, 3), st.integers(0, 4))
def test_ngrams_are_counted_as_defined(lines, n: int, window: int) -> None:
    told = [line.split() for line, _ in lines if line.split()]
    grams = [[tuple(words[at : at + n]) for at in range(len(words) - n + 1)] for words in told]
    repeated = sum(
        gram in [*line[:at], *(said for earlier in grams[max(0, row - window) : row] for said in earlier)]
        for row, line in enumerate(grams)
        for at, gram in enumerate(line)
    )
    total = sum(map(len, grams))
    expected = (repeated / total if total else 0.0) if told else np.nan
    found = score(Repetition(n=n, window=window, tok="none"), narrations(lines)).value
    assert found == pytest.approx(expected, nan_ok=True)


def test_impossible_options_are_refused() -> None:
    for options in ({"n": 0}, {"window": -1}):
        with pytest.raises(UsageError, match="at least"):
            Repetition(**options)
