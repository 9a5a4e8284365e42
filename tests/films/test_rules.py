"""The rules of a corpus: nothing lost, nothing twice, gaps respected, order kept."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.types import Caption, Narration, Segment
from kataribe.films.clips import narration_clips
from kataribe.films.corpus import FilmInput, build
from kataribe.films.dialogues import Dialogue, find_dialogues, gaps_between
from kataribe.films.lines import FilmLines
from kataribe.films.long_clips import long_clips
from kataribe.films.shots import belongs, pieces, shots_with_clips
from kataribe.films.windows import window_of

from .strategies import lines


def numbers(texts: list[str]) -> list[str]:
    return [number for text in texts for number in re.findall(r"<\d+>", text)]


def line(start: float, end: float, text: str = "x") -> Caption:
    return Caption(Segment(start, end), text)


@given(lines(), st.randoms(use_true_random=False))
def test_dialogues_hold_every_line_once_in_order(said: list[Caption], random: object) -> None:
    shuffled = said[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    dialogues = find_dialogues(shuffled)
    assert [one for dialogue in dialogues for one in dialogue.lines] == said
    assert all(gap.length >= 5 for gap in gaps_between(dialogues))
    for dialogue in dialogues:
        assert all(b.segment.start - a.segment.end < 5 for a, b in pairwise(dialogue.lines))
        assert dialogue.segment == Segment(dialogue.lines[0].segment.start, dialogue.lines[-1].segment.end)


def test_lines_exactly_five_seconds_apart_are_two_dialogues() -> None:
    assert len(find_dialogues([line(0, 1), line(6, 7)])) == 2
    assert len(find_dialogues([line(0, 1), line(5.999, 7)])) == 1


def test_a_long_line_keeps_its_dialogue_open() -> None:
    (dialogue,) = find_dialogues([line(0, 30), line(2, 3), line(34, 35)])
    assert dialogue.segment == Segment(0, 35)


@given(lines())
def test_clips_hold_every_fragment_once_in_order(told: list[Caption]) -> None:
    clips = narration_clips(told)
    assert numbers([clip.text for clip in clips]) == numbers([one.text for one in told])
    assert all(a.segment.end <= b.segment.start for a, b in pairwise(clips))
    fragments = {one.text for one in told}
    assert all(len(clip.text) <= 100 for clip in clips if clip.text not in fragments)


@given(lines())
def test_no_clip_reaches_over_a_pause_of_a_second(told: list[Caption]) -> None:
    silences = [Segment(a.segment.end, b.segment.start) for a, b in pairwise(told)]
    for silence in (each for each in silences if each.length >= 1):
        assert not any(clip.segment & silence for clip in narration_clips(told))


@given(lines())
def test_neighbouring_clips_could_not_have_been_joined(told: list[Caption]) -> None:
    """Between two clips there is a pause, a full stop, or no room for the next fragment."""
    clips = narration_clips(told)
    starts = {one.segment.start: one.text for one in told}
    for clip, following in pairwise(clips):
        is_pause = following.segment.start - clip.segment.end >= 1
        is_stop = len(clip.text) >= 30 and clip.text.endswith((".", "。"))
        is_full = len(clip.text) + len(starts[following.segment.start]) + 1 > 100
        assert is_pause or is_stop or is_full


def test_a_full_stop_ends_a_clip_that_is_long_enough() -> None:
    told = [
        line(0, 2, "他看着窗外的雨，久久没有说话，手里的信已经被雨水打湿了。"),
        line(2, 4, "门开了。"),
        line(4, 5, "雨停了。"),
    ]
    assert [clip.text for clip in narration_clips(told, enough=0)] == [one.text for one in told]
    assert len(narration_clips(told, enough=20)) == 2
    assert len(narration_clips(told, enough=200)) == 1


def test_blank_fragments_tell_nothing() -> None:
    assert narration_clips([line(0, 1, "  "), line(1, 2, "Rain.")]) == (line(1, 2, "Rain."),)


def test_fragments_that_nobody_has_written_down_are_joined_by_their_times() -> None:
    assert narration_clips([line(0, 1, ""), line(1.5, 2, ""), line(3, 4, "")]) == (line(0, 2, ""), line(3, 4, ""))
    corpus = build(FilmInput(FilmLines("f", 40.0, [line(10, 12, "Who?")], [line(0, 3, ""), line(20, 24, "")])))
    assert [clip.segment for clip in corpus.long_clips] == [Segment(0, 3), Segment(20, 24)]


@given(lines(), lines())
def test_long_clips_hold_every_clip_once_in_order(told: list[Caption], said: list[Caption]) -> None:
    clips, dialogues = narration_clips(told), find_dialogues(said)
    long = long_clips(clips, dialogues)
    assert numbers([one.text for one in long]) == numbers([clip.text for clip in clips])
    assert len(long) <= len(clips)


@given(lines(), lines())
def test_no_line_of_dialogue_lies_between_the_clips_of_a_long_clip(told: list[Caption], said: list[Caption]) -> None:
    clips, dialogues = narration_clips(told), find_dialogues(said)
    for long in long_clips(clips, dialogues):
        members = [clip for clip in clips if set(numbers([clip.text])) <= set(numbers([long.text]))]
        for one, following in pairwise(members):
            between = Segment(one.segment.end, following.segment.start)
            assert not any(between.start <= s.segment.start and s.segment.end <= between.end for s in said)


def test_clips_between_two_dialogues_are_one() -> None:
    said = [line(0, 5, "Hello."), line(60, 65, "Bye.")]
    told = [line(6, 10, "A."), line(30, 33, "B."), line(50, 58, "C."), line(66, 70, "D.")]
    assert [one.text for one in long_clips(told, find_dialogues(said))] == ["A. B. C.", "D."]


def test_a_clip_in_a_pause_of_a_dialogue_stands_alone() -> None:
    said = [line(10, 12, "Who?"), line(16, 18, "Me.")]
    told = [line(0, 5, "Before."), line(12.5, 15.5, "She turns."), line(19, 22, "After.")]
    dialogues = find_dialogues(said)
    assert len(dialogues) == 1
    assert [one.text for one in long_clips(told, dialogues)] == ["Before.", "She turns.", "After."]


@given(lines(), st.sampled_from([0.0, 7.3]))
def test_every_clip_inside_the_shots_belongs_to_one(told: list[Caption], start: float) -> None:
    clips = [clip for clip in narration_clips(told) if clip.segment.start >= start]
    span = Segment(start, start + 20 * 250)
    shots = shots_with_clips(clips, span)
    assert set(numbers([clip.text for clip in clips])) == set(numbers([shot.text for shot in shots]))
    for shot in shots:
        assert shot.segment == pieces(span)[shot.number]
        texts = [clip.text for clip in clips if belongs(clip.segment, shot.segment)]
        assert numbers(texts) == numbers([shot.text])


def test_shots_lie_side_by_side_and_the_last_is_whole() -> None:
    assert pieces(Segment(46, 105)) == [Segment(46, 66), Segment(66, 86)]
    assert all(a.end == b.start for a, b in pairwise(pieces(Segment(0.1, 500))))
    assert pieces(Segment(0, 19.9)) == []


def test_half_a_clip_is_enough_as_published_and_not_as_written() -> None:
    clip, span = [line(15, 25, "A.")], Segment(0, 60)
    assert [shot.number for shot in shots_with_clips(clip, span)] == [0, 1]
    assert shots_with_clips(clip, span, overlap="more") == ()


def test_half_a_shot_is_enough() -> None:
    assert belongs(Segment(10, 300), Segment(0, 20))
    assert not belongs(Segment(10.1, 300), Segment(0, 20))


@given(
    st.floats(0, 5900),
    st.floats(0.1, 300),
    st.floats(10, 6000),
    st.integers(0, 3),
    st.integers(0, 3),
    st.text(max_size=5),
)
def test_a_window_covers_its_clip(start: float, length: float, end: float, seed: int, epoch: int, id: str) -> None:
    clip = Narration(id, "f", Segment(start, start + length), "x")
    span = Segment(0, max(end, start + length))
    window = window_of(clip, span, seed=seed, epoch=epoch)
    assert window.start <= start
    assert window.end >= start + length - 1e-6
    assert window.start >= 0
    assert window.end <= span.end + 1e-6
    assert abs(window.length - min(max(200, length), span.length)) < 1e-6


def test_windows_are_fixed_for_testing_and_drawn_anew_for_training() -> None:
    clip, span = Narration("f_51-57", "f", Segment(3000, 3006), "x"), Segment(0, 6000)
    assert window_of(clip, span) == window_of(clip, span)
    epochs = {window_of(clip, span, epoch=epoch).start for epoch in range(1, 21)}
    assert len(epochs) == 20
    assert max(epochs) - min(epochs) > 100
    assert window_of(clip, span, seed=1) != window_of(clip, span)


@given(lines().filter(bool), lines())
def test_a_film_loses_nothing_on_the_way(told: list[Caption], said: list[Caption]) -> None:
    corpus = build(FilmInput(FilmLines("f", None, said, told)))
    expected = numbers([one.text for one in told])
    assert numbers([clip.text for clip in corpus.clips]) == expected
    assert numbers([clip.text for clip in corpus.long_clips]) == (expected if said else [])
    assert set(numbers([shot.text for shot in corpus.shots])) == set(expected)
    assert len(corpus.windows) == len(corpus.clips)
    assert len({clip.id for clip in corpus.clips}) == len(corpus.clips)
    assert [one for dialogue in corpus.dialogues for one in dialogue.lines] == said


def test_dialogues_may_be_given_as_they_are() -> None:
    spoken = line(10, 12, "Who?")
    assert long_clips([line(0, 1, "A."), line(20, 21, "B.")], [Dialogue(spoken.segment, (spoken,))]) == (
        line(0, 1, "A."),
        line(20, 21, "B."),
    )
