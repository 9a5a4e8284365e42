"""Narrations of films from every form the field uses, gz of any.

    Movie101            [{"movie_id": "7042", "start_time": 51, "end_time": 57, "content": "..."}, ...]
    Movie101 results    {"35833": {"sentences": ["..."], "timestamps": [[51, 57]], "movie_id": "7042"}, ...}
    plain JSON          {"35833": "..."}  or  [{"id": "35833", "text": "..."}, ...]
    JSON lines          one of the objects above on each line
    CSV, TSV            a header with text and id, or film, start and end
    WebVTT, SRT, ASS    one film, whose name is the file's
    a folder            of any of these

A line without an id is called after its film and its times: `7042_51-57`. Ids are compared as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, shorten, some
from kataribe.core.types import Narration, Segment
from kataribe.formats.source import (
    Paths,
    check_id,
    check_text,
    extension,
    read_joined,
    read_json,
    read_json_lines,
    read_table,
    refuse_repeated_keys,
)
from kataribe.formats.storytable import timestamp
from kataribe.formats.subtitles import SUBTITLES, read_subtitles

Source = str | Path | Mapping[Any, Any] | Iterable[Any]

ID_FIELDS = ("id", "narration_id", "clip_id", "clip", "key")
FILM_FIELDS = ("movie_id", "film", "movie", "film_id", "video_id", "video")
TEXT_FIELDS = ("content", "text", "narration", "sentence", "sentences", "caption")
START_FIELDS = ("start_time", "start")
END_FIELDS = ("end_time", "end")
TIMES_FIELDS = ("timestamp", "timestamps", "segment")

_TABLES = (".csv", ".tsv")
_READABLE = (".json", ".jsonl", ".ndjson", *_TABLES, *SUBTITLES)


def read_narrations(source: Source | Paths) -> dict[str, Narration]:
    """The lines of one file or, if they are spread over several, of all; each line is in one of them.

    >>> lines = read_narrations([{"movie_id": 7042, "start_time": 51, "end_time": 57.5, "content": "Maria waits."}])
    >>> lines["7042_51-57.5"]
    Narration(id='7042_51-57.5', film='7042', segment=Segment(start=51.0, end=57.5), text='Maria waits.')
    """
    return read_joined(source, _read_narrations)


def _read_narrations(source: Source) -> dict[str, Narration]:
    path = Path(source) if isinstance(source, str | Path) else None
    narrations: dict[str, Narration] = {}
    for file, narration in _read(path) if path else ((None, one) for one in _from_json(source, None)):
        if narration.id in narrations:
            raise InputError(
                "is there twice", file=file, id=narration.id, hint="keep one line for each id, or give the lines ids"
            )
        narrations[narration.id] = narration
    if not narrations:
        raise InputError("holds no narration", file=path, hint="did the program that wrote it stop early?")
    return narrations


def name_of(film: str, segment: Segment) -> str:
    """What a line without an id is called; it can also name a file or a folder of frames.

    >>> name_of("7042", Segment(51.0, 57.25))
    '7042_51-57.25'
    """
    start, end = (str(int(time)) if time == int(time) else repr(time) for time in (segment.start, segment.end))
    return f"{film}_{start}-{end}"


def _read(path: Path) -> Iterator[tuple[Path, Narration]]:
    if not path.is_dir():
        for narration in _read_file(path):
            yield path, narration
        return
    for file in sorted(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith(".")):
        if extension(file) not in _READABLE:
            raise InputError("is no narration file", file=file, hint=f"a folder holds only {', '.join(_READABLE)}")
        for narration in _read_file(file):
            yield file, narration


def _read_file(path: Path) -> Iterator[Narration]:
    kind = extension(path)
    if kind in (".jsonl", ".ndjson"):
        return _from_objects(read_json_lines(path), path)
    if kind in _TABLES:
        return _from_objects(((location, _cells(row)) for location, row in read_table(path)), path)
    if kind in SUBTITLES:
        return _from_subtitles(path)
    return _from_json(read_json(path), path)


def _from_subtitles(path: Path) -> Iterator[Narration]:
    film = path.name.removesuffix(".gz")[: -len(extension(path))]
    for start, end, text in read_subtitles(path):
        segment = Segment(start, end)
        yield Narration(name_of(film, segment), film, segment, text)


def _from_json(data: Any, path: Path | None) -> Iterator[Narration]:
    if isinstance(data, Mapping):
        refuse_repeated_keys(data, path)  # type: ignore[arg-type]
        for key, value in data.items():
            id = check_id(key, file=path, place="a key")
            yield _narration(value if isinstance(value, Mapping) else {"text": value}, path, f"id {id!r}", id)
    elif isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InputError(
            f"holds a single {type(data).__name__}, not narrations",
            file=path,
            hint='write [{"film": ..., "start": ..., "end": ..., "text": ...}] or {"id": "text"}',
        )
    else:
        yield from _from_objects(((f"entry {row}", entry) for row, entry in enumerate(data, start=1)), path)


def _from_objects(entries: Iterable[tuple[str, Any]], path: Path | None) -> Iterator[Narration]:
    for location, entry in entries:
        if isinstance(entry, Narration):
            yield entry
        elif isinstance(entry, Mapping):
            yield _narration(entry, path, location)
        else:
            raise InputError(
                f"{location} is {shorten(repr(entry), 40)}, not an object",
                file=path,
                hint='write {"film": ..., "start": ..., "end": ..., "text": ...} for each line',
            )


def _narration(entry: Mapping[str, Any], path: Path | None, location: str, id: str | None = None) -> Narration:
    id_field, text_field, film_field = (_field(entry, names) for names in (ID_FIELDS, TEXT_FIELDS, FILM_FIELDS))
    if text_field is None:
        raise InputError(
            f"{location} has no text (it has {some(entry) or 'nothing'})",
            file=path,
            hint=f"name the field {' or '.join(TEXT_FIELDS[:3])}",
        )
    film = check_id(entry[film_field], file=path, place=f"{location}, {film_field}") if film_field else None
    segment = _segment(entry, path, id or location)
    if id is None and id_field is not None:
        id = check_id(entry[id_field], file=path, place=location)
    if id is None:
        if film is None or segment is None:
            lacks = "its film" if film is None else "its times"
            raise InputError(
                f"{location} has neither an id nor {lacks}",
                file=path,
                hint="give id, or film, start and end, so that it can be found again",
            )
        id = name_of(film, segment)
    return Narration(id, film, segment, _text(entry[text_field], path, id, text_field))


def _text(value: Any, path: Path | None, id: str, field: str) -> str:
    """A string, or the one string of a list, as Movie101's own files have it."""
    if isinstance(value, list | tuple):
        if len(value) != 1:
            raise InputError(f"has {len(value)} texts", file=path, id=id, field=field, hint="give exactly one")
        value = value[0]
    return check_text(value, file=path, id=id, field=field)


def _segment(entry: Mapping[str, Any], path: Path | None, id: str) -> Segment | None:
    times_field, start, end = (_field(entry, names) for names in (TIMES_FIELDS, START_FIELDS, END_FIELDS))
    if start and end:
        times: Any = (entry[start], entry[end])
        field = f"{start}, {end}"
    elif times_field:
        times, field = entry[times_field], times_field
        if isinstance(times, list | tuple) and len(times) == 1:
            times = times[0]
    else:
        return None
    if isinstance(times, list | tuple):  # Movie101's own files have them as text
        times = [_seconds(time, path, id, field) for time in times]
    segment = Segment(*timestamp(times, str(path or ""), id, field))
    if not segment or not math.isfinite(segment.length):
        raise InputError(
            f"the line lasts from {segment.start:g} to {segment.end:g}",
            file=path,
            id=id,
            field=field,
            hint="a line ends after it starts; give seconds",
        )
    return segment


def _seconds(value: Any, path: Path | None, id: str, field: str) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        raise InputError(f"is {shorten(value, 30)!r}, not a number of seconds", file=path, id=id, field=field) from None


def _cells(row: Mapping[str, str]) -> dict[str, Any]:
    """A row of a table; an empty cell is one that the row does not have, unless it is the text."""
    return {name: cell for name, cell in row.items() if cell or name in TEXT_FIELDS}


def _field(entry: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((name for name in names if name in entry), None)
