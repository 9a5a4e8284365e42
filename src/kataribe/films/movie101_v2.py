"""Movie101 v2: narrations as lines of text, one file for each film, and what is known of the film as JSON.

    short/FILM.txt    0:3:33|0:3:40|[程勇]开着一辆破旧面包车，      hours:minutes:seconds of start and end, text
    meta/FILM.json    {"id": ..., "title": ..., "genre": [...], "role": {...}, ...}; `casts.py` reads the roles

Square brackets mark names of people, whether the cast lists them or not. Times are whole seconds: a line that starts
and ends in the same second lasts no longer than that second. Files that were read are written again byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kataribe.core.errors import InputError, Location, shorten
from kataribe.core.types import Caption, Cast, Segment
from kataribe.films.names import Names
from kataribe.formats.output import write_whole
from kataribe.formats.source import check_text, open_text, read_json

_LINE = re.compile(r"(\d+):(\d+):(\d+)\|(\d+):(\d+):(\d+)\|(.*)", re.DOTALL)
_MARK = re.compile(r"\[([^\[\]]*)\]")
_EXAMPLE = "0:3:33|0:3:40|text"


class Mark(NamedTuple):
    """Where a text has a name that was in brackets."""

    start: int
    end: int


@dataclass(frozen=True)
class MarkedLine:
    """A line without its brackets, and where these were."""

    start: int
    end: int
    text: str
    marks: tuple[Mark, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.text[mark.start : mark.end] for mark in self.marks)

    @property
    def caption(self) -> Caption:
        """The line with a length: one that starts and ends in the same second has that second."""
        return Caption(Segment(self.start, max(self.end, self.start + 1)), self.text)


@dataclass(frozen=True)
class FilmFacts:
    """What v2's metadata says of a film beside its roles."""

    film: str
    title: str
    genres: tuple[str, ...]


@dataclass(frozen=True)
class FilmText:
    """A film of v2: what is known of it, and its narration."""

    facts: FilmFacts
    lines: tuple[MarkedLine, ...]


def read_short(path: Path) -> list[MarkedLine]:
    with open_text(path) as file:
        return [line for _, line in parse_lines(file.read(), path)]


def parse_lines(content: str, path: Path | None) -> Iterator[tuple[int, MarkedLine]]:
    """(number, line) of each line that is not blank.

    >>> [line for _, line in parse_lines("0:3:33|0:3:40|[程勇]停了车。", None)]
    [MarkedLine(start=213, end=220, text='程勇停了车。', marks=(Mark(start=0, end=2),))]
    """
    for number, written in enumerate(content.split("\n"), start=1):
        if not written.strip():
            continue
        location = Location(path, field=f"line {number}")
        parts = _LINE.fullmatch(written.removesuffix("\r"))
        if parts is None:
            raise InputError(f"{location} is {shorten(written.strip(), 40)!r}, not like {_EXAMPLE}")
        start, end = _seconds(parts.groups()[:3]), _seconds(parts.groups()[3:6])
        if end < start:
            raise location.error(f"lasts from {start} to {end} seconds", hint="a line ends after it starts")
        yield number, MarkedLine(start, end, *_unmark(check_text(parts[7], location)))


def write_short(lines: Iterable[MarkedLine]) -> str:
    """
    >>> write_short([MarkedLine(213, 220, "程勇停了车。", (Mark(0, 2),))])
    '0:3:33|0:3:40|[程勇]停了车。\\n'
    """
    return "".join(f"{_clock(line.start)}|{_clock(line.end)}|{_mark(line)}\n" for line in lines)


def marked(clips: Iterable[Caption], cast: Cast | None) -> list[MarkedLine]:
    """Clips as v2 writes them: whole seconds, and the names of the cast marked by longest match."""
    names = Names.of_cast(cast) if cast else Names({})
    return [
        MarkedLine(
            round(clip.segment.start),
            round(clip.segment.end),
            clip.text,
            tuple(Mark(mention.start, mention.end) for mention in names.mentions(clip.text)),
        )
        for clip in clips
    ]


def read_v2(folder: Path, language: str = "zh") -> dict[str, FilmText]:
    """All films of a v2 folder, by id: `v2-short-LANGUAGE` and `v2-meta`."""
    short = folder / f"v2-short-{language}"
    paths = sorted(short.glob("*.txt"))
    if not paths:
        raise Location(folder).error(f"has no {short.name} with text files", hint="is this Movie101 v2?")
    return {path.stem: FilmText(read_facts(_meta(folder, path.stem)), tuple(read_short(path))) for path in paths}


def write_v2(folder: Path, films: Iterable[tuple[FilmText, Cast | None]], language: str = "zh") -> None:
    """Films as v2 has them, into a folder that is there."""
    short = folder / f"v2-short-{language}"
    for path in (short, folder / "v2-meta"):
        path.mkdir(exist_ok=True)
    for film, cast in films:
        write_whole(short / f"{film.facts.film}.txt", write_short(film.lines))
        document = facts_document(film.facts, cast or Cast(film.facts.film, ()))
        write_whole(_meta(folder, film.facts.film), json.dumps(document, ensure_ascii=False, indent=4) + "\n")


def _meta(folder: Path, film: str) -> Path:
    return folder / "v2-meta" / f"{film}.json"


def read_facts(path: Path) -> FilmFacts:
    data = read_json(path)
    location = Location(path)
    if not isinstance(data, dict) or not isinstance(data.get("genre"), list) or "id" not in data:
        raise location.error("is not Movie101 v2's metadata", hint='it has {"id": ..., "genre": [...], "role": {...}}')
    genres = [check_text(genre, location.within("genre")) for genre in data["genre"]]
    return FilmFacts(str(data["id"]), str(data.get("title", "")), tuple(dict.fromkeys(genres)))


def facts_document(facts: FilmFacts, cast: Cast) -> dict[str, Any]:
    """A film's metadata as v2 writes it, as far as a corpus knows it."""
    roles = {str(number): {"actor": role.actor, "role": role.name} for number, role in enumerate(cast.roles)}
    return {"id": facts.film, "title": facts.title, "genre": list(facts.genres), "role": roles}


def _seconds(clock: Sequence[str]) -> int:
    hours, minutes, seconds = map(int, clock)
    return 3600 * hours + 60 * minutes + seconds


def _clock(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60}:{seconds % 60}"


def _unmark(text: str) -> tuple[str, tuple[Mark, ...]]:
    plain, marks, at = "", [], 0
    for found in _MARK.finditer(text):
        plain += text[at : found.start()]
        marks.append(Mark(len(plain), len(plain) + len(found[1])))
        plain, at = plain + found[1], found.end()
    return plain + text[at:], tuple(marks)


def _mark(line: MarkedLine) -> str:
    text, at = "", 0
    for mark in line.marks:
        text += f"{line.text[at : mark.start]}[{line.text[mark.start : mark.end]}]"
        at = mark.end
    return text + line.text[at:]
