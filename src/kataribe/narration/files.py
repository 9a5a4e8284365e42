"""Narrations of films from every form the field uses, gz of any.

    Movie101            [{"movie_id": "7042", "start_time": 51, "end_time": 57, "content": "..."}, ...]
    Movie101 results    {"35833": {"sentences": ["..."], "timestamps": [[51, 57]], "movie_id": "7042"}, ...}
    plain JSON          {"35833": "..."}  or  [{"id": "35833", "text": "..."}, ...]
    JSON lines          one of the objects above on each line
    CSV, TSV            a header with text and id, or film, start and end
    WebVTT, SRT, ASS    one film, whose name is the file's
    Movie101 v2         one film, whose name is the file's: 0:3:33|0:3:40|[程勇]停了车。
    CMD-AD, MAD         CSV with vid, start, end, text_gt (references) and text_gen (predictions)
    a folder            of any of these

A line without an id is called after its film and its times: `7042_51-57`. Ids are compared as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, Location, shorten, some
from kataribe.core.types import Narration, Segment
from kataribe.films.clips import name_of, named_clips
from kataribe.films.described import GENERATED, REFERENCE
from kataribe.films.movie101_v2 import read_short
from kataribe.formats.source import (
    JSON_LINES,
    TABLES,
    Paths,
    check_id,
    check_text,
    entries_by_id,
    extension,
    first_field,
    listed_entries,
    read_by_extension,
    read_joined,
)
from kataribe.formats.storytable import parse_seconds, timestamp
from kataribe.formats.subtitles import SUBTITLES, read_subtitles

Source = str | Path | Mapping[Any, Any] | Iterable[Any]

ID_FIELDS = ("id", "narration_id", "clip_id", "clip", "key")
FILM_FIELDS = ("movie_id", "film", "movie", "film_id", "video_id", "video", "vid")
TEXT_FIELDS = ("content", "text", "narration", "sentence", "sentences", "caption", REFERENCE, GENERATED)
START_FIELDS = ("start_time", "start")
END_FIELDS = ("end_time", "end")
TIMES_FIELDS = ("timestamp", "timestamps", "segment")

_MOVIE101_V2 = ".txt"
_READABLE = (".json", *JSON_LINES, *TABLES, *SUBTITLES, _MOVIE101_V2)


def read_narrations(source: Source | Paths, texts: Sequence[str] = TEXT_FIELDS) -> dict[str, Narration]:
    """The lines of one file or, if they are spread over several, of all; each line is in one of them.

    >>> lines = read_narrations([{"movie_id": 7042, "start_time": 51, "end_time": 57.5, "content": "Maria waits."}])
    >>> lines["7042_51-57.5"]
    Narration(id='7042_51-57.5', film='7042', segment=Segment(start=51.0, end=57.5), text='Maria waits.')

    The first of `texts` that an entry has is its text.
    """
    return read_joined(source, lambda one: _read_narrations(one, texts))


def read_predictions(source: Source | Paths) -> dict[str, Narration]:
    """The same for what a system wrote: a file that has both texts says which is which."""
    return read_narrations(source, (GENERATED, *TEXT_FIELDS))


def _read_narrations(source: Source, texts: Sequence[str]) -> dict[str, Narration]:
    path = Path(source) if isinstance(source, str | Path) else None
    narrations: dict[str, Narration] = {}
    for file, narration in _read(path, texts) if path else ((None, one) for one in _from_json(source, None, texts)):
        if narration.id in narrations:
            raise Location(file, narration.id).error(
                "is there twice", hint="keep one line for each id, or give the lines ids"
            )
        narrations[narration.id] = narration
    if not narrations:
        raise Location(path).error("holds no narration", hint="did the program that wrote it stop early?")
    return narrations


def _read(path: Path, texts: Sequence[str]) -> Iterator[tuple[Path, Narration]]:
    if not path.is_dir():
        for narration in _read_file(path, texts):
            yield path, narration
        return
    for file in sorted(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith(".")):
        if extension(file) not in _READABLE:
            raise Location(file).error("is no narration file", hint=f"a folder holds only {', '.join(_READABLE)}")
        for narration in _read_file(file, texts):
            yield file, narration


def _read_file(path: Path, texts: Sequence[str]) -> Iterable[Narration]:
    film = path.name.removesuffix(".gz")[: -len(extension(path)) or None]
    if extension(path) in SUBTITLES:
        return _from_subtitles(path, film)
    if extension(path) == _MOVIE101_V2:
        return named_clips(film, (line.caption for line in read_short(path)))
    return read_by_extension(
        path,
        lines=lambda lines: _from_objects(lines, texts),
        table=lambda rows: _from_objects(((location, _cells(row)) for location, row in rows), texts),
        document=lambda data: _from_json(data, path, texts),
    )


def _from_subtitles(path: Path, film: str) -> Iterator[Narration]:
    for start, end, text in read_subtitles(path):
        segment = Segment(start, end)
        yield Narration(name_of(film, segment), film, segment, text)


def _from_json(data: Any, path: Path | None, texts: Sequence[str]) -> Iterator[Narration]:
    if isinstance(data, Mapping):
        for id, value in entries_by_id(data, path):
            entry = value if isinstance(value, Mapping) else {"text": value}
            yield _narration(entry, Location(path, field=f"id {id!r}"), texts, id)
    elif isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise Location(path).error(
            f"holds a single {type(data).__name__}, not narrations",
            hint='write [{"film": ..., "start": ..., "end": ..., "text": ...}] or {"id": "text"}',
        )
    else:
        yield from _from_objects(listed_entries(data, path), texts)


def _from_objects(entries: Iterable[tuple[Location, Any]], texts: Sequence[str]) -> Iterator[Narration]:
    for location, entry in entries:
        if isinstance(entry, Narration):
            yield entry
        elif isinstance(entry, Mapping):
            yield _narration(entry, location, texts)
        else:
            raise InputError(
                f"{location} is {shorten(repr(entry), 40)}, not an object",
                hint='write {"film": ..., "start": ..., "end": ..., "text": ...} for each line',
            )


def _narration(entry: Mapping[str, Any], location: Location, texts: Sequence[str], id: str | None = None) -> Narration:
    id_field, text_field, film_field = (first_field(entry, names) for names in (ID_FIELDS, texts, FILM_FIELDS))
    if text_field is None:
        raise InputError(
            f"{location} has no text (it has {some(entry) or 'nothing'})",
            hint=f"name the field {' or '.join(TEXT_FIELDS[:3])}",
        )
    film = check_id(entry[film_field], location.within(film_field)) if film_field else None
    segment = _segment(entry, Location(location.file, id or location.field))
    if id is None and id_field is not None:
        id = check_id(entry[id_field], location)
    if id is None:
        if film is None or segment is None:
            lacks = "its film" if film is None else "its times"
            raise InputError(
                f"{location} has neither an id nor {lacks}",
                hint="give id, or film, start and end, so that it can be found again",
            )
        id = name_of(film, segment)
    return Narration(id, film, segment, _text(entry[text_field], Location(location.file, id, text_field)))


def _text(value: Any, location: Location) -> str:
    """A string, or the one string of a list, as Movie101's own files have it."""
    if isinstance(value, list | tuple):
        if len(value) != 1:
            raise location.error(f"has {len(value)} texts", hint="give exactly one")
        value = value[0]
    return check_text(value, location)


def _segment(entry: Mapping[str, Any], location: Location) -> Segment | None:
    times_field, start, end = (first_field(entry, names) for names in (TIMES_FIELDS, START_FIELDS, END_FIELDS))
    if start and end:
        times: Any = (entry[start], entry[end])
        field = f"{start}, {end}"
    elif times_field:
        times, field = entry[times_field], times_field
        if isinstance(times, list | tuple) and len(times) == 1:
            times = times[0]
    else:
        return None
    location = location.at(field=field)
    if isinstance(times, list | tuple):  # Movie101's own files have them as text
        times = [parse_seconds(time, location) if isinstance(time, str) else time for time in times]
    segment = Segment(*timestamp(times, location))
    if not segment or not math.isfinite(segment.length):
        raise location.error(
            f"the line lasts from {segment.start:g} to {segment.end:g}",
            hint="a line ends after it starts; give seconds",
        )
    return segment


def _cells(row: Mapping[str, str]) -> dict[str, Any]:
    """A row of a table without its empty cells; an empty text stays."""
    return {name: cell for name, cell in row.items() if cell or name in TEXT_FIELDS}
