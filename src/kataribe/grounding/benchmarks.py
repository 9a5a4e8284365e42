"""The queries of published benchmarks, each in its own form.

    ActivityNet Captions  {"v_bXdq": {"duration": 73.1, "timestamps": [[0, 10.2], ...], "sentences": ["...", ...]}}
    TACoS                 the same with fps and num_frames; its time stamps are numbers of frames
    Charades-STA          lines: `3MSZA 24.3 30.4##person turn a light on.`; lengths come from elsewhere
    Movie101-G, LTG       [{"movie_id": "7042", "start_time": 51, "end_time": 57, "content": "...", "window": [...]}]
    Movie101-GSR          [{"video_id": 0, "video": "7042_46_66", "caption": ["..."]}]: shots to be retrieved
    reannotated           CSV with HITId, video_id, description, start, end: a row for each person, in percent

Queries without ids are called after their video and numbered from 0 in the order of the file, `v_bXdq_0`; those of
Movie101 after film and times, `7042_51-57`, as everywhere in this package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, Location, shorten
from kataribe.core.types import Query, Segment
from kataribe.films.clips import name_of
from kataribe.formats.source import check_id, open_text
from kataribe.grounding.annotated import (
    AnnotatedQuery,
    check_list,
    check_query,
    check_span,
    check_time,
    check_true_span,
    counter,
)

_CHARADES = re.compile(r"\s*(\S+)\s+(\S+)\s+(\S+?)\s*##(.*)")
_SHOT = re.compile(r"(.+)_(\d+(?:\.\d+)?)_(\d+(?:\.\d+)?)")


def is_captions(entry: Any) -> bool:
    """Whether a video's entry is that of ActivityNet Captions or TACoS."""
    return isinstance(entry, Mapping) and "timestamps" in entry and "sentences" in entry


def of_captions(video: str, entry: Mapping[str, Any], file: Path | None) -> Iterator[AnnotatedQuery]:
    location = Location(file, video)
    sentences = check_list(entry["sentences"], location.at(field="sentences"), "sentences")
    times = check_list(entry["timestamps"], location.at(field="timestamps"), "[start, end]")
    if len(times) != len(sentences):
        raise location.at(field="timestamps").error(f"has {len(times)} spans for {len(sentences)} sentences")
    rate = check_time(entry["fps"], location.at(field="fps")) if "num_frames" in entry and "fps" in entry else 1.0
    if rate <= 0:
        raise location.at(field="fps").error(f"is {rate:g}", hint="give frames per second")
    length = next((entry[name] for name in ("duration", "num_frames") if entry.get(name) is not None), None)
    duration = None
    if length is not None:
        field = location.at(field="duration" if "duration" in entry else "num_frames")
        duration = check_length(length, field) / (rate if field.field == "num_frames" else 1.0)
    for number, (sentence, span) in enumerate(zip(sentences, times, strict=True)):
        id = f"{video}_{number}"
        text = check_query(sentence, Location(file, id, "sentences"))
        true = check_true_span(span, Location(file, id, "timestamps"))
        yield AnnotatedQuery(Query(id, video, text, duration), ((Segment(true.start / rate, true.end / rate),),))


def check_length(value: Any, location: Location) -> float:
    length = check_time(value, location)
    if length <= 0:
        raise location.error(f"is {length:g}: nothing can be found in a video without length", hint="remove the video")
    return length


def read_charades(path: Path) -> Iterator[AnnotatedQuery]:
    names = counter()
    with open_text(path) as text:
        for number, line in enumerate(text, start=1):
            if not line.strip():
                continue
            location = Location(path, field=f"line {number}")
            found = _CHARADES.fullmatch(line.rstrip("\r\n"))
            if not found:
                raise InputError(
                    f"{location} is {shorten(line.strip(), 40)!r}, not a line of Charades-STA",
                    hint="write VIDEO START END##SENTENCE",
                )
            video, start, end, sentence = found.groups()
            query = Query(names.next(video), video, check_query(sentence, location))
            yield AnnotatedQuery(query, ((check_true_span([start, end], location),),))


def is_narration(entry: Any) -> bool:
    return isinstance(entry, Mapping) and {"movie_id", "start_time", "end_time", "content"} <= set(entry)


def of_narrations(entries: Iterable[tuple[Location, Mapping[str, Any]]]) -> Iterator[AnnotatedQuery]:
    """Movie101-G, or LTG, whose clips have the window in which they are to be found."""
    seen: dict[str, int] = {}
    for location, entry in entries:
        film = check_id(entry["movie_id"], location)
        span = check_true_span([entry["start_time"], entry["end_time"]], location.within("start_time, end_time"))
        name = name_of(film, span)
        seen[name] = seen.get(name, 0) + 1
        id = name if seen[name] == 1 else f"{name}_{seen[name]}"
        text = check_query(entry["content"], Location(location.file, id, "content"))
        window = entry.get("window")
        part = check_true_span(window, Location(location.file, id, "window")) if window is not None else None
        yield AnnotatedQuery(Query(id, film, text), ((span,),), window=part)


def is_shot(entry: Any) -> bool:
    has_fields = isinstance(entry, Mapping) and {"video_id", "video", "caption"} <= set(entry)
    return has_fields and _SHOT.fullmatch(str(entry["video"])) is not None


def of_shots(entries: Iterable[tuple[Location, Mapping[str, Any]]]) -> Iterator[AnnotatedQuery]:
    """Movie101-GSR: the caption of a shot is the query, the shot itself is to be found."""
    for location, entry in entries:
        id = check_id(entry["video_id"], location)
        found = _SHOT.fullmatch(str(entry["video"]))
        if found is None:
            raise InputError(f"{location} has a shot called {shorten(entry['video'])!r}", hint="write FILM_START_END")
        film, start, end = found.groups()
        captions = entry["caption"] if isinstance(entry["caption"], list) else [entry["caption"]]
        text = check_query(" ".join(map(str, captions)), Location(location.file, id, "caption"))
        span = check_span([start, end], Location(location.file, id, "video"))
        yield AnnotatedQuery(Query(id, film, text), ((span,),), shots=(found[0],))


def is_reannotated(columns: Iterable[str]) -> bool:
    return {"HITId", "video_id", "description", "start", "end"} <= set(columns)


def of_reannotated(rows: Sequence[tuple[Location, Mapping[str, str]]]) -> Iterator[AnnotatedQuery]:
    """A row for each person. The published files have their header again wherever a part of them starts."""
    queries: dict[str, Query] = {}
    people: dict[str, list[tuple[Segment, ...]]] = {}
    for location, row in rows:
        if row["start"] == "start" and row["end"] == "end":
            continue
        id = row["HITId"]
        queries.setdefault(id, Query(id, row["video_id"], check_query(row["description"], location)))
        span = check_true_span([row["start"], row["end"]], location.within("start, end"))
        if span.end > 100 or span.start < 0:
            raise location.error(f"{span.start:g} to {span.end:g} is not in percent of the video", hint="give 0 to 100")
        people.setdefault(id, []).append((span,))
    for id, query in queries.items():
        yield AnnotatedQuery(query, tuple(people[id]), in_percent=True)
