"""Files of lines, said in a film or told about it: WebVTT, SRT, ASS, JSON lines, Movie101 v2's text; gz of any.

    JSON lines      {"start": 51, "end": 57.5, "text": "Maria waits."}, or with start_time, end_time and content
    Movie101 v2     0:3:33|0:3:40|[程勇]开着一辆破旧面包车，

Any common encoding; it is detected (`formats/encodings.py`) and told. What cannot be the lines of a film is refused:
negative times, a line that ends before it starts, and two lines of one voice at the same time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, Location, shorten, some
from kataribe.core.types import Caption, Segment
from kataribe.films.movie101_v2 import parse_lines
from kataribe.formats.encodings import decode
from kataribe.formats.source import JSON_LINES, check_text, extension, first_field, open_binary, parse_json
from kataribe.formats.storytable import parse_seconds, timestamp
from kataribe.formats.subtitles import SUBTITLES, parse_subtitles

READABLE = (*SUBTITLES, *JSON_LINES, ".txt")

START_FIELDS = ("start", "start_time")
END_FIELDS = ("end", "end_time")
TEXT_FIELDS = ("text", "content", "sentence", "narration", "caption")

# Recognisers round: two lines of one voice may overlap by this many seconds.
ROUNDING = 0.1

_HINT = 'write {"start": 51, "end": 57.5, "text": "..."} on each line'


@dataclass(frozen=True)
class LineFile:
    """What a file of lines holds, in the order of time, and the encoding it was read in."""

    path: Path
    encoding: str
    lines: tuple[Caption, ...]


def read_lines(path: Path, encoding: str | None = None) -> LineFile:
    """The lines of one file; `encoding` is detected where nobody names it."""
    kind = extension(path)
    if kind not in READABLE:
        raise Location(path).error("is no file of lines", hint=f"lines are in {', '.join(READABLE)}, or gz of these")
    with open_binary(path) as file:
        data = file.read()
    content, encoding = decode(data, Location(path), encoding)
    if kind in SUBTITLES:
        lines = [Caption(Segment(start, end), text) for start, end, text in parse_subtitles(content, path)]
        located = [(Location(path, field=f"cue {number}"), line) for number, line in enumerate(lines, start=1)]
    elif kind in JSON_LINES:
        located = list(_from_json_lines(content, path))
    else:
        located = [
            (Location(path, field=f"line {number}"), line.caption) for number, line in parse_lines(content, path)
        ]
    for location, line in located:
        check_times(line.segment, location)
    if not located:
        raise Location(path).error("holds no line", hint="did the program that wrote it stop early?")
    return LineFile(path, encoding, in_order(line for _, line in located))


def in_order(lines: Iterable[Caption]) -> tuple[Caption, ...]:
    return tuple(sorted(lines, key=lambda line: line.segment))


def check_times(segment: Segment, location: Location) -> None:
    if segment.start < 0:
        raise location.error(f"starts at {segment.start:g} seconds", hint="times start at 0")
    if not segment:
        problem = f"lasts from {segment.start:g} to {segment.end:g} seconds"
        raise location.error(problem, hint="a line ends after it starts")


def check_one_voice(lines: Sequence[Caption], location: Location) -> None:
    """A narrator cannot tell two things at the same time."""
    for line, following in pairwise(lines):
        if following.segment.start < line.segment.end - ROUNDING:
            raise location.error(
                f"{shorten(following.text, 30)!r} starts at {following.segment.start:g} s, before "
                f"{shorten(line.text, 30)!r} has ended at {line.segment.end:g} s",
                hint="a narrator tells one thing at a time; mend the times, or <overlaps cut> ends the first there",
                options=["overlaps"],
            )


def cut_overlaps(lines: Sequence[Caption], location: Location) -> tuple[Caption, ...]:
    """The same lines, each ended where the next one starts; two cannot start at the same time."""
    cut = []
    for line, following in pairwise(lines):
        end = min(line.segment.end, following.segment.start)
        if end <= line.segment.start:
            problem = f"two lines start at {line.segment.start:g} seconds"
            raise location.error(problem, hint="a narrator tells one thing at a time; join them")
        cut.append(replace(line, segment=Segment(line.segment.start, end)))
    return (*cut, *lines[-1:])


def _from_json_lines(content: str, path: Path) -> Iterator[tuple[Location, Caption]]:
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        location = Location(path, field=f"line {number}")
        try:
            entry = parse_json(line)
        except (json.JSONDecodeError, RecursionError):
            raise InputError(f"{location} is not JSON", hint=_HINT) from None
        yield location, _caption(entry, location)


def _caption(entry: Any, location: Location) -> Caption:
    if not isinstance(entry, Mapping):
        raise InputError(f"{location} is {shorten(repr(entry), 40)}, not an object", hint=_HINT)
    start, end, text = (first_field(entry, names) for names in (START_FIELDS, END_FIELDS, TEXT_FIELDS))
    if start is None or end is None or text is None:
        raise InputError(f"{location} lacks start, end or text (it has {some(entry) or 'nothing'})", hint=_HINT)
    times = [
        parse_seconds(entry[name], location.within(name)) if isinstance(entry[name], str) else entry[name]
        for name in (start, end)
    ]
    segment = Segment(*timestamp(times, location.within(f"{start}, {end}")))
    return Caption(segment, check_text(entry[text], location.within(text)))
