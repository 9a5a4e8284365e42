"""Where there is time to tell: the gaps between dialogues, cut into clips.

    dialogues   lines less than `dialogue_gap` (5) seconds apart belong together, as in Movie101
    gaps        the time between neighbouring dialogues; with `edges` also before the first and after the last
    clips       a gap shorter than `shortest_gap` (3 s) is not told; one longer than `longest_clip` (20 s) is cut into
                equal clips, as few as keep to that length

20 seconds is what Movie101's long clips last on average, and the length of its shots. Clips may also be given: then
they are told as they are, and a text may run on until somebody speaks or the next clip begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor

from kataribe.core.types import Caption, Narration, Segment
from kataribe.films.clips import name_of
from kataribe.films.dialogues import find_dialogues, gaps_between
from kataribe.narration.telling.options import TellingOptions


@dataclass(frozen=True)
class Span:
    """A clip to tell. Its text is spoken from the clip's start and must have ended at `until`, when somebody speaks."""

    id: str
    clip: Segment
    until: float


@dataclass(frozen=True)
class Spans:
    """The clips of a film in the order of time; `gaps` counts those that are told, `too_short` those that are not."""

    clips: tuple[Span, ...]
    gaps: int
    too_short: int = 0


def find_spans(film: str, dialogue: Iterable[Caption], duration: float, options: TellingOptions) -> Spans:
    """
    >>> said = [Caption(Segment(0, 4), "Who?"), Caption(Segment(50, 52), "Me."), Caption(Segment(60, 61), "Come in.")]
    >>> found = find_spans("f", said, 90.0, TellingOptions())
    >>> [span.clip for span in found.clips]
    [Segment(start=4.0, end=19.333), Segment(start=19.333, end=34.667), Segment(start=34.667, end=50.0), \
Segment(start=52.0, end=60.0)]
    >>> [span.until for span in found.clips]
    [50.0, 50.0, 50.0, 60.0]
    """
    dialogues = find_dialogues(dialogue, options.dialogue_gap)
    gaps = gaps_between(dialogues)
    if options.edges:
        first, last = (dialogues[0].segment.start, dialogues[-1].segment.end) if dialogues else (duration, duration)
        gaps = [Segment(0.0, first), *gaps, *([Segment(last, duration)] if dialogues else [])]
    gaps = [_in_milliseconds(gap) for gap in gaps]
    told = [gap for gap in gaps if gap and gap.length >= options.shortest_gap]
    clips = [Span(name_of(film, clip), clip, gap.end) for gap in told for clip in cut(gap, options.longest_clip)]
    return Spans(tuple(clips), len(told), sum(bool(gap) for gap in gaps) - len(told))


def cut(gap: Segment, longest: float) -> list[Segment]:
    """Equal clips, none longer than this; times in whole milliseconds, as files of cues have them.

    >>> cut(Segment(0, 9), 5)
    [Segment(start=0, end=4.5), Segment(start=4.5, end=9)]
    """
    number = max(1, ceil(gap.length / longest - 1e-9))
    edges = [round(gap.start + gap.length * part / number, 3) for part in range(number + 1)]
    edges[0], edges[-1] = gap.start, gap.end
    return [Segment(start, end) for start, end in pairwise(edges)]


def _in_milliseconds(gap: Segment) -> Segment:
    """What is left of a gap in whole milliseconds, so that no cue meets the line beside it."""
    return Segment(ceil(gap.start * 1000 - 1e-6) / 1000, floor(gap.end * 1000 + 1e-6) / 1000)


def given_spans(clips: Iterable[Narration], dialogue: Sequence[Caption], duration: float) -> Spans:
    """Clips as somebody cut them. A text may run beyond its clip, up to the next line that is said."""
    placed = sorted(((clip.segment, clip.id) for clip in clips if clip.segment), key=lambda placed: placed[0])
    starts = sorted(line.segment.start for line in dialogue)
    spans = []
    for segment, id in placed:
        until = next((start for start in starts if start >= segment.end), max(duration, segment.end))
        spans.append(Span(id, segment, until))
    return Spans(tuple(spans), len(spans))
