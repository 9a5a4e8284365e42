"""Where there is time to tell."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.core.types import Caption, Narration, Segment
from kataribe.narration.telling.options import TellingOptions
from kataribe.narration.telling.spans import cut, find_spans, given_spans

lines = st.lists(st.tuples(st.integers(0, 900), st.integers(1, 20)), max_size=20).map(
    lambda times: [Caption(Segment(start / 3, (start + length) / 3), "") for start, length in times]
)
seconds = st.integers(1, 40)


def said(*times: tuple[float, float]) -> list[Caption]:
    return [Caption(Segment(start, end), "...") for start, end in times]


def test_gaps_lie_between_dialogues_and_edges_are_told_only_if_asked_for() -> None:
    dialogue = said((10, 12), (14, 15), (30, 31))
    assert [span.clip for span in find_spans("f", dialogue, 60, TellingOptions()).clips] == [Segment(15, 30)]
    found = find_spans("f", dialogue, 50, TellingOptions(edges=True))
    assert [span.clip for span in found.clips] == [Segment(0, 10), Segment(15, 30), Segment(31, 50)]
    assert found.gaps == 3


def test_a_film_in_which_nothing_is_said_is_one_gap_of_its_own() -> None:
    assert find_spans("f", [], 30, TellingOptions()).clips == ()
    whole = find_spans("f", [], 30, TellingOptions(edges=True))
    assert [span.clip for span in whole.clips] == [Segment(0, 15), Segment(15, 30)]


def test_short_gaps_are_counted_and_not_told() -> None:
    found = find_spans("f", said((0, 1), (7, 8), (30, 31)), 60, TellingOptions(shortest_gap=10))
    assert (found.gaps, found.too_short) == (1, 1)
    assert [span.id for span in found.clips] == ["f_8-19", "f_19-30"]


def test_given_clips_may_run_on_until_somebody_speaks() -> None:
    clips = [Narration("b", "f", Segment(20, 24), ""), Narration("a", "f", Segment(2, 5), "")]
    found = given_spans(clips, said((8, 9), (1, 2)), 60)
    assert [(span.id, span.until) for span in found.clips] == [("a", 8), ("b", 60)]


@given(lines, seconds, seconds)
def test_clips_fill_the_gaps_and_meet_no_dialogue(dialogue, longest, shortest) -> None:
    options = TellingOptions(longest_clip=longest, shortest_gap=shortest, edges=True)
    clips = [span.clip for span in find_spans("f", dialogue, 320.0, options).clips]
    assert all(clip.length <= longest + 0.002 for clip in clips)
    assert not any((clip & line.segment).length > 1e-9 for clip in clips for line in dialogue)
    assert clips == sorted(clips)


@given(st.integers(0, 1000), st.integers(1, 100_000), seconds)
def test_pieces_of_a_gap_touch_and_are_as_few_as_can_be(start, length, longest) -> None:
    gap = Segment(start / 7, start / 7 + length / 1000)
    pieces = cut(gap, longest)
    assert (pieces[0].start, pieces[-1].end) == (gap.start, gap.end)
    assert all(one.end == other.start for one, other in pairwise(pieces))
    assert (len(pieces) - 1) * longest < gap.length + 1e-6


@pytest.mark.parametrize("option", ["dialogue_gap", "shortest_gap", "longest_clip", "cps"])
def test_what_is_no_number_of_seconds_is_refused(option: str) -> None:
    with pytest.raises(UsageError, match=option):
        TellingOptions(**{option: float("nan")})
    with pytest.raises(UsageError, match=option):
        TellingOptions(**{option: -1.0})
