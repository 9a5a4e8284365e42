"""The statistics of a corpus as they are written down and drawn: Table 1, Appendix A and Figures 2 to 4 of Movie101."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ClipCounts:
    """What was counted in each clip of a film, one number for each. Actions of unknown languages are not counted."""

    seconds: tuple[float, ...] = ()
    letters: tuple[int, ...] = ()
    actions: tuple[int, ...] | None = None
    roles: tuple[int, ...] | None = None  # distinct roles of the cast
    mentions: tuple[int, ...] | None = None


@dataclass(frozen=True)
class ClipStatistics:
    """A line of Table 1; means over clips. None where nothing could be counted: no cast, no known language."""

    films: int
    clips: int
    film_seconds: float
    clip_seconds: float
    letters: float
    actions: float | None
    roles: float | None
    mentions: float | None


@dataclass(frozen=True)
class GapStatistics:
    """Appendix A: the gaps between dialogues, how many have narration, and how much of their time it covers."""

    dialogues: int
    gaps: int
    hours: float
    filled: float
    covered: float


@dataclass(frozen=True)
class Histogram:
    """How many clips have each value, or lie in each bin of a width: the bin 0 holds values from 0 below the width."""

    width: float
    counts: Mapping[int, int]


@dataclass(frozen=True)
class PartStatistics:
    """A split: its size, and how often each genre is in it."""

    films: int
    clips: int
    long_clips: int
    shots: int
    genres: Mapping[str, int]


@dataclass(frozen=True)
class CorpusStatistics:
    films: int
    roles: int
    letters_are: str  # characters or words
    genres: Mapping[str, int]  # films of each, the most frequent first
    g: ClipStatistics
    n: ClipStatistics | None
    shots: int
    gaps: GapStatistics | None
    roles_per_clip: Histogram | None
    actions_per_clip: Histogram | None
    seconds_per_long_clip: Histogram | None
    letters_per_long_clip: Histogram | None
    parts: Mapping[str, PartStatistics]
