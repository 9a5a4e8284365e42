"""Movie101 as it was published, in and out: G, N, GSR, LTG, casts, splits.

    G/PART.json, N/PART.json    [{"movie_id": "7042", "start_time": 51, "end_time": 57, "content": "..."}, ...]
    GSR/PART.json               [{"video_id": 0, "video": "7042_46_66", "caption": ["..."]}, ...]
    LTG/PART.json               as G, each with "window": [start, end]; ours, the published one was never released
    cast.json                   casts, see `casts.py`
    split.json                  {"train": ["7042", ...], "val": [...], "test": [...]}

`video_id` counts the shots of all films, those without narration too. A folder that `kataribe build movie` wrote can be
read by whatever reads Movie101, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kataribe.core.errors import Location, shorten
from kataribe.core.types import Cast, Narration, Segment
from kataribe.films.casts import read_casts
from kataribe.films.clips import name_of
from kataribe.films.shots import Shot
from kataribe.films.splits import Split, read_split
from kataribe.formats.source import check_id, check_number, check_text, read_json

SPLITS = ("split.json", "public_split.json")

_ITEM = '{"movie_id": ..., "start_time": 51, "end_time": 57, "content": "..."}'
_SHOT = '{"video_id": 0, "video": "7042_46_66", "caption": ["..."]}'


@dataclass(frozen=True)
class Movie101:
    """What a folder of Movie101 holds, by part of the split; what it does not have is empty."""

    g: Mapping[str, tuple[Narration, ...]]
    n: Mapping[str, tuple[Narration, ...]]
    gsr: Mapping[str, Mapping[str, tuple[Shot, ...]]]  # by part and film
    casts: Mapping[str, Cast]
    split: Split


def read_movie101(folder: Path) -> Movie101:
    """Whatever there is of G, N, GSR, cast.json and split.json (or public_split.json)."""
    parts = {name: sorted((folder / name).glob("*.json")) for name in ("G", "N", "GSR")}
    if not any(parts.values()):
        raise Location(folder).error("is no Movie101 folder", hint="it has G/val.json, N/val.json or GSR/val.json")
    split = next((folder / name for name in SPLITS if (folder / name).exists()), None)
    return Movie101(
        g={path.stem: read_narrations(path) for path in parts["G"]},
        n={path.stem: read_narrations(path) for path in parts["N"]},
        gsr={path.stem: read_shots(path) for path in parts["GSR"]},
        casts=read_cast_file(folder),
        split=read_split(split) if split else {},
    )


def read_cast_file(folder: Path) -> dict[str, Cast]:
    """The casts of a corpus; none where it has no file of them, or an empty one."""
    path = folder / "cast.json"
    return read_casts(path) if path.exists() and read_json(path) else {}


def read_narrations(path: Path) -> tuple[Narration, ...]:
    """The clips of G or N, in the order of the file."""
    return tuple(_narration(entry, location) for entry, location in _entries(path, _ITEM))


def read_shots(path: Path) -> dict[str, tuple[Shot, ...]]:
    """The shots of GSR by film; a shot's number counts from the film's first."""
    shots: dict[str, list[Shot]] = {}
    for entry, location in _entries(path, _SHOT):
        film, start, end = _video(entry.get("video"), location)
        captions = entry.get("caption")
        if not isinstance(captions, list):
            raise location.within("caption").error("is not a list", hint=f"an entry is {_SHOT}")
        text = "".join(check_text(caption, location.within("caption")) for caption in captions)
        known = shots.setdefault(film, [])
        first = known[0].segment.start if known else start
        known.append(Shot(round((start - first) / (end - start)), Segment(start, end), text))
    return {film: tuple(known) for film, known in shots.items()}


def narrations_document(clips: Iterable[Narration]) -> list[dict[str, Any]]:
    """
    >>> narrations_document([Narration("1", "7042", Segment(51.0, 57.25), "Maria waits.")])
    [{'movie_id': '7042', 'start_time': 51, 'end_time': 57.25, 'content': 'Maria waits.'}]
    """
    return [
        {
            "movie_id": clip.film,
            "start_time": plain(clip.segment.start),
            "end_time": plain(clip.segment.end),
            "content": clip.text,
        }
        for clip in clips
        if clip.segment is not None
    ]


def windows_document(clips: Sequence[Narration], windows: Sequence[Segment]) -> list[dict[str, Any]]:
    entries = narrations_document(clips)
    return [
        entry | {"window": [plain(window.start), plain(window.end)]}
        for entry, window in zip(entries, windows, strict=True)
    ]


def shots_document(film: str, shots: Iterable[Shot], first_id: int) -> list[dict[str, Any]]:
    """A film's shots; `first_id` is how many shots the films before it have.

    >>> shots_document("7042", [Shot(2, Segment(46.0, 66.0), "Maria waits.")], first_id=100)
    [{'video_id': 102, 'video': '7042_46_66', 'caption': ['Maria waits.']}]
    """
    return [
        {
            "video_id": first_id + shot.number,
            "video": f"{film}_{plain(shot.segment.start)}_{plain(shot.segment.end)}",
            "caption": [shot.text],
        }
        for shot in shots
    ]


def as_lines(entries: Iterable[Any]) -> str:
    """Items on a line each, so that two versions of a corpus can be compared by eye.

    >>> print(as_lines([{"movie_id": "7042"}, {"movie_id": "7043"}]), end="")
    [
    {"movie_id":"7042"},
    {"movie_id":"7043"}
    ]
    """
    lines = ",\n".join(msgspec.json.encode(entry).decode() for entry in entries)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def cast_document(casts: Iterable[Cast]) -> dict[str, Any]:
    """Casts as `casts.py` reads them: billing order, aliases, actors."""
    return {
        cast.film: [
            {"name": role.name}
            | ({"aliases": list(role.aliases)} if role.aliases else {})
            | ({"actor": role.actor} if role.actor else {})
            for role in cast.roles
        ]
        for cast in casts
    }


def plain(seconds: float) -> int | float:
    """Whole seconds as the published files have them, others to the millisecond.

    >>> plain(51.0), plain(57.2500001)
    (51, 57.25)
    """
    rounded = round(seconds, 3)
    return int(rounded) if rounded == int(rounded) else rounded


def _entries(path: Path, example: str) -> Iterable[tuple[Mapping[str, Any], Location]]:
    data = read_json(path)
    if not isinstance(data, list):
        raise Location(path).error(f"holds a {type(data).__name__}, not a list", hint=f"an entry is {example}")
    for number, entry in enumerate(data, start=1):
        location = Location(path, field=f"entry {number}")
        if not isinstance(entry, Mapping):
            raise location.error(f"is {shorten(repr(entry), 40)}, not an object", hint=f"an entry is {example}")
        yield entry, location


def _narration(entry: Mapping[str, Any], location: Location) -> Narration:
    lacks = [name for name in ("movie_id", "start_time", "end_time", "content") if name not in entry]
    if lacks:
        raise location.error(f"has no {lacks[0]}", hint=f"an entry is {_ITEM}")
    film = check_id(entry["movie_id"], location)
    times = (
        check_number(entry[name], location.within(name), hint="give seconds") for name in ("start_time", "end_time")
    )
    segment = Segment(*times)
    if not segment:
        raise location.error(f"lasts from {segment.start:g} to {segment.end:g}", hint="a clip ends after it starts")
    return Narration(name_of(film, segment), film, segment, check_text(entry["content"], location.within("content")))


def _video(value: Any, location: Location) -> tuple[str, float, float]:
    film, *times = str(value).rsplit("_", 2)
    try:
        start, end = map(float, times)
    except ValueError:
        start = end = 0.0
    if end <= start:
        raise location.within("video").error(f"is {shorten(repr(value), 40)}", hint=f"an entry is {_SHOT}")
    return film, start, end
