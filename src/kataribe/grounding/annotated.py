"""What files say of queries: what people marked, and what a system offers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kataribe.core.errors import Location, shorten
from kataribe.core.types import Moment, Query, Segment
from kataribe.formats.source import check_text

Spans = tuple[Segment, ...]

# Of the names of videos, what files add or leave out.
_ENDINGS = (".mp4", ".avi", ".mkv", ".webm")


@dataclass(frozen=True)
class AnnotatedQuery:
    """A query and the spans that each person marked for it, in seconds or, where `in_percent`, in hundredths.

    `window` is the part of the video that is searched. `ratings` has a row for each clip of two seconds, `shots` are
    the names of the shots that show it.
    """

    query: Query
    people: tuple[Spans, ...] = ()
    window: Segment | None = None
    ratings: tuple[tuple[float, ...], ...] = ()
    shots: tuple[str, ...] = ()
    in_percent: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return key_of(self.query.video, self.query.text)


@dataclass(frozen=True)
class ScoreCurve:
    """How well each moment of a video fits a query, as a system sees it."""

    times: tuple[float, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Prediction:
    """What was predicted for one query, as it is in the file.

    Where the file gives no id, `key` is its video and its sentence. `answer` is the free text that the moments were
    read from; nothing could be read where it is there and there are no moments.
    """

    moments: tuple[Moment, ...] = ()
    saliency: tuple[float, ...] | None = None
    shots: tuple[str, ...] | None = None
    anchor: Segment | None = None
    curve: ScoreCurve | None = None
    key: tuple[str, str] | None = None
    answer: str | None = None

    @property
    def is_unreadable(self) -> bool:
        return self.answer is not None and bool(self.answer.strip()) and not self.moments

    @property
    def is_empty(self) -> bool:
        return not (self.moments or self.saliency or self.shots)


@dataclass
class _Counts:
    """Queries without an id are called after their video, in the order of the file."""

    seen: dict[str, int] = field(default_factory=dict)

    def next(self, video: str) -> str:
        number = self.seen.get(video, 0)
        self.seen[video] = number + 1
        return f"{video}_{number}"


def counter() -> _Counts:
    return _Counts()


def key_of(video: str, text: str) -> tuple[str, str]:
    """What a query is found by where files do not share ids: its video and its words.

    >>> key_of("v_a0Yy.mp4", "  They run. ") == key_of("a0Yy", "they run.")
    True
    """
    plain = video.removeprefix("v_")
    for ending in _ENDINGS:
        plain = plain.removesuffix(ending)
    return plain, " ".join(text.split()).casefold()


def check_query(value: Any, location: Location) -> str:
    text = check_text(value, location)
    if not text.strip():
        raise location.error("is empty: there is nothing to look for", hint="remove the query or give its sentence")
    return " ".join(text.split())


def check_span(value: Any, location: Location) -> Segment:
    """[start, end] in order."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise location.error(f"is {shorten(repr(value), 40)}, not [start, end]", hint="give two numbers of seconds")
    start, end = (check_time(time, location) for time in value)
    if end < start:
        raise location.error(f"{start:g} to {end:g} is reversed", hint="a span ends after it starts")
    return Segment(start, end)


def check_true_span(value: Any, location: Location) -> Segment:
    span = check_span(value, location)
    if not span:
        raise location.error(f"{span.start:g} to {span.end:g} has no length", hint="a true span lasts some time")
    return span


def check_time(value: Any, location: Location) -> float:
    """A finite number; tables and some files have it as text."""
    try:
        time = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        raise location.error(f"is {shorten(repr(value), 30)}, not a number", hint="give seconds") from None
    if not math.isfinite(time):
        raise location.error(f"is {time}, not a time", hint="give seconds")
    return time


def check_list(value: Any, location: Location, of: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise location.error(f"is {shorten(repr(value), 40)}, not a list of {of}")
    return value
