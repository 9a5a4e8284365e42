"""Queries and predictions from every form the field uses, gz of any.

References: the benchmarks of `benchmarks.py`, and

    QVHighlights    JSON lines: qid, query, vid, duration, relevant_windows [[start, end], ...], relevant_clip_ids,
                    saliency_scores (for each of these clips the points of each rater)
    our own         JSON, JSON lines: {"id", "video", "query", "duration", "windows": [[start, end], ...]}; where
                    several people marked it {"people": [[[start, end]], ...]}; where only a part of the video is
                    searched {"window": [start, end]}; shots that show it {"shots": ["film_40_60"]}
    CSV, TSV        id, video, query, start, end, and perhaps duration and person: a row for each span

Predictions: `predictions.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, Location, some
from kataribe.core.types import Query, Segment
from kataribe.formats.source import (
    JSON_LINES,
    TABLES,
    Paths,
    check_id,
    entries_by_id,
    extension,
    first_field,
    listed_entries,
    read_json,
    read_json_lines,
    read_table,
)
from kataribe.grounding import benchmarks
from kataribe.grounding.annotated import (
    AnnotatedQuery,
    check_list,
    check_query,
    check_time,
    check_true_span,
    counter,
)

Source = str | Path | Mapping[Any, Any] | Iterable[Any]

ID_FIELDS = ("qid", "id", "query_id", "annotation_id")
VIDEO_FIELDS = ("vid", "video", "film", "movie_id", "video_id")
QUERY_FIELDS = ("query", "sentence", "description", "text", "content", "caption")
DURATION_FIELDS = ("duration", "video_duration", "length")
WINDOWS_FIELDS = ("relevant_windows", "windows", "spans", "timestamps")
_CHARADES = (".txt", "")
_HINT = 'write {"id": ..., "video": ..., "query": ..., "duration": ..., "windows": [[start, end]]}'


def read_queries(source: Source) -> dict[str, AnnotatedQuery]:
    """The queries of one file, or of the plain value that it would have parsed to, by id."""
    path = Path(source) if isinstance(source, str | Path) else None
    found: dict[str, AnnotatedQuery] = {}
    for annotated in _read_file(path) if path else _of_data(source, None):
        id = annotated.query.id
        if id in found:
            raise Location(path, id).error("is there twice", hint="keep one entry for each query")
        found[id] = annotated
    if not found:
        raise Location(path).error("holds no query", hint="did the program that wrote it stop early?")
    return found


def _read_file(path: Path) -> Iterator[AnnotatedQuery]:
    kind = extension(path)
    if kind in _CHARADES:
        return benchmarks.read_charades(path)
    if kind in JSON_LINES:
        return _of_listed(read_json_lines(path))
    if kind in TABLES:
        return _of_table(list(read_table(path)), path)
    return _of_data(read_json(path), path)


def _of_data(data: Any, file: Path | None) -> Iterator[AnnotatedQuery]:
    if isinstance(data, Mapping):
        for id, entry in entries_by_id(data, file):
            if benchmarks.is_captions(entry):
                yield from benchmarks.of_captions(id, entry, file)
            elif isinstance(entry, Mapping):
                yield _of_object({**entry, "id": id}, Location(file, id))
            else:
                raise Location(file, id).error("is not an object", hint=_HINT)
    elif isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise Location(file).error(f"holds a single {type(data).__name__}, not queries", hint=_HINT)
    else:
        yield from _of_listed(listed_entries(data, file))


def _of_listed(entries: Iterable[tuple[Location, Any]]) -> Iterator[AnnotatedQuery]:
    """All entries are of one kind: the first one tells of which."""
    listed = list(entries)
    wrong = next((location for location, entry in listed if not isinstance(entry, Mapping | AnnotatedQuery)), None)
    if wrong is not None:
        raise InputError(f"{wrong} is not an object", hint=_HINT)
    kinds: Sequence[tuple[Callable[[Any], bool], Callable[[Any], Iterator[AnnotatedQuery]]]] = (
        (benchmarks.is_narration, benchmarks.of_narrations),
        (benchmarks.is_shot, benchmarks.of_shots),
    )
    for is_kind, read in kinds:
        if listed and all(is_kind(entry) for _, entry in listed):
            yield from read(listed)
            return
    names = counter()
    for location, entry in listed:
        yield entry if isinstance(entry, AnnotatedQuery) else _of_object(entry, location, names.next)


def _of_object(
    entry: Mapping[str, Any], location: Location, name: Callable[[str], str] | None = None
) -> AnnotatedQuery:
    video_field, query_field = first_field(entry, VIDEO_FIELDS), first_field(entry, QUERY_FIELDS)
    if video_field is None or query_field is None:
        lacking = "video" if video_field is None else "query"
        raise InputError(f"{location} has no {lacking} (it has {some(entry) or 'nothing'})", hint=_HINT)
    video = check_id(entry[video_field], location.within(video_field))
    id_field = first_field(entry, ID_FIELDS)
    if id_field is not None:
        id = check_id(entry[id_field], location)
    elif name is not None:
        id = name(video)
    else:
        raise InputError(f"{location} has no id", hint=_HINT)
    here = Location(location.file, id)
    text = check_query(entry[query_field], here.at(field=query_field))
    duration_field = first_field(entry, DURATION_FIELDS)
    given = entry[duration_field] if duration_field else None
    duration = benchmarks.check_length(given, here.at(field=duration_field)) if given is not None else None
    shots = tuple(check_id(shot, here.at(field="shots")) for shot in check_list(entry.get("shots", []), here, "shots"))
    people = _people(entry, here)
    if not people and not shots and "saliency_scores" not in entry:
        raise here.at(field="windows").error("is missing", hint=_HINT)
    window = entry.get("window")
    return AnnotatedQuery(
        Query(id, video, text, duration),
        people,
        window=check_true_span(window, here.at(field="window")) if window is not None else None,
        ratings=_ratings(entry, duration, here.at(field="saliency_scores")),
        shots=shots,
    )


def _people(entry: Mapping[str, Any], here: Location) -> tuple[tuple[Segment, ...], ...]:
    """What each person marked: `people`, or the spans of the only one."""
    if entry.get("people") is not None:
        listed = check_list(entry["people"], here.at(field="people"), "lists of [start, end]")
        return tuple(_spans(spans, here.at(field=f"people, person {n}")) for n, spans in enumerate(listed, start=1))
    field = first_field(entry, WINDOWS_FIELDS)
    if field is not None:
        return (_spans(entry[field], here.at(field=field)),)
    if "start" in entry and "end" in entry:
        return ((check_true_span([entry["start"], entry["end"]], here.at(field="start, end")),),)
    return ()


def _spans(value: Any, location: Location) -> tuple[Segment, ...]:
    listed = check_list(value, location, "[start, end]")
    if not listed:
        raise location.error("has no span: there is nothing to find", hint="remove the query")
    if len(listed) == 2 and not any(isinstance(each, list | tuple) for each in listed):
        listed = [listed]  # a single span
    return tuple(check_true_span(each, location) for each in listed)


def _ratings(entry: Mapping[str, Any], duration: float | None, location: Location) -> tuple[tuple[float, ...], ...]:
    """A row for each clip of the video: 0 from everybody where nobody was asked."""
    if entry.get("saliency_scores") is None:
        return ()
    scores = check_list(entry["saliency_scores"], location, "lists of points")
    clips = check_list(entry.get("relevant_clip_ids"), location.at(field="relevant_clip_ids"), "numbers of clips")
    if len(scores) != len(clips):
        raise location.error(f"has {len(scores)} rows for {len(clips)} clips")
    if duration is None:
        raise location.at(field="duration").error("is missing: how many clips are there?", hint="give seconds")
    rows = [tuple(check_time(point, location) for point in check_list(row, location, "points")) for row in scores]
    raters = {len(row) for row in rows}
    if len(raters) != 1 or 0 in raters:
        raise location.error("has rows of different length", hint="give one number for each rater")
    count = int(duration / 2)
    table = [(0.0,) * raters.pop()] * count
    for clip, row in zip(clips, rows, strict=True):
        if not isinstance(clip, int) or not 0 <= clip < count:
            raise location.at(field="relevant_clip_ids").error(f"{clip!r} is none of the {count} clips of the video")
        table[clip] = row
    return tuple(table)


def _of_table(rows: Sequence[tuple[Location, dict[str, str]]], file: Path) -> Iterator[AnnotatedQuery]:
    if rows and benchmarks.is_reannotated(rows[0][1]):
        yield from benchmarks.of_reannotated(rows)
        return
    entries: dict[str, dict[str, Any]] = {}
    for location, row in rows:
        field = first_field(row, ID_FIELDS)
        if field is None or "start" not in row or "end" not in row:
            raise Location(file).error(f"the header ({', '.join(row)}) has no id, start or end", hint="name them so")
        id = check_id(row[field], location)
        cells = {name: cell for name, cell in row.items() if cell and name not in ("start", "end", "person")}
        entry = entries.setdefault(id, {**cells, "id": id, "people": {}})
        span = check_true_span([row["start"], row["end"]], location.at(id=id).within("start, end"))
        entry["people"].setdefault(row.get("person", ""), []).append([span.start, span.end])
    for id, entry in entries.items():
        yield _of_object({**entry, "people": list(entry["people"].values())}, Location(file, id))


def read_lengths(source: Mapping[str, Any] | Path | str | Paths) -> dict[str, float]:
    """Seconds of each video: a table with id (or video) and length (or duration, seconds), or JSON by video."""
    if isinstance(source, Mapping):
        return {str(id): benchmarks.check_length(value, Location(None, str(id))) for id, value in source.items()}
    if isinstance(source, list | tuple):
        return {id: length for each in source for id, length in read_lengths(each).items()}
    path = Path(str(source))
    if extension(path) not in TABLES:
        data = read_json(path)
        if not isinstance(data, Mapping):
            raise Location(path).error("is not an object", hint='write {"video": seconds}')
        return {id: benchmarks.check_length(value, Location(path, id)) for id, value in entries_by_id(data, path)}
    lengths: dict[str, float] = {}
    for location, row in read_table(path):
        id_field = first_field(row, ("id", "video", "video_id", "vid", "film"))
        length_field = first_field(row, ("length", "duration", "seconds"))
        if id_field is None or length_field is None:
            raise Location(path).error(f"the header ({', '.join(row)}) has no id or no length", hint="name them so")
        lengths[row[id_field]] = benchmarks.check_length(row[length_field], location.at(id=row[id_field]))
    return lengths
