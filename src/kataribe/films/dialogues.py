"""Dialogues: lines less than 5 seconds apart belong together.

The rule of Movie101 (Yue et al., 2023, section 3.1). Lines are taken in the order of their starts; a line belongs to
the dialogue before it if it starts less than `gap` seconds after the last of that dialogue's lines has ended. People
speak at the same time: overlapping lines are of one dialogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kataribe.core.types import Caption, Segment

GAP = 5.0


@dataclass(frozen=True)
class Dialogue:
    """Lines that belong together, from the start of the first to the last end."""

    segment: Segment
    lines: tuple[Caption, ...]


def find_dialogues(lines: Iterable[Caption], gap: float = GAP) -> tuple[Dialogue, ...]:
    """
    >>> lines = [Caption(Segment(0, 2), "Who?"), Caption(Segment(6.9, 8), "Me."), Caption(Segment(13, 14), "Come in.")]
    >>> [dialogue.segment for dialogue in find_dialogues(lines)]
    [Segment(start=0, end=8), Segment(start=13, end=14)]
    """
    found: list[list[Caption]] = []
    end = 0.0
    for line in sorted(lines, key=lambda line: line.segment):
        if found and line.segment.start - end < gap:
            found[-1].append(line)
            end = max(end, line.segment.end)
        else:
            found.append([line])
            end = line.segment.end
    return tuple(Dialogue(_hull(lines), tuple(lines)) for lines in found)


def gaps_between(dialogues: Sequence[Dialogue]) -> list[Segment]:
    """The gaps between neighbouring dialogues: one less than there are dialogues."""
    return [Segment(one.segment.end, next.segment.start) for one, next in pairwise(dialogues)]


def _hull(lines: Sequence[Caption]) -> Segment:
    return Segment(lines[0].segment.start, max(line.segment.end for line in lines))
