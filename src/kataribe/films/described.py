"""Audio descriptions as CMD-AD and MAD have them: a CSV file with a row for each description.

    vid, imdbid, start, end, text_gt, text_gen      text_gen, what a model wrote, may be missing

Times are seconds in the video `vid`, which is taken as the film; `imdbid` says which film it was cut from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kataribe.core.errors import Location
from kataribe.core.types import Caption, Segment
from kataribe.films.line_files import check_times, in_order
from kataribe.formats.source import check_text, open_text, read_table
from kataribe.formats.storytable import parse_seconds

FILM, IMDB, REFERENCE, GENERATED = "vid", "imdbid", "text_gt", "text_gen"

_NEEDED = (FILM, "start", "end", REFERENCE)


@dataclass(frozen=True)
class DescribedFilm:
    """The descriptions of one video in the order of time; `generated` is empty where the file has no model's texts."""

    film: str
    imdb: str
    reference: tuple[Caption, ...]
    generated: tuple[Caption, ...] = ()


@dataclass
class _Rows:
    imdb: str
    reference: list[Caption] = field(default_factory=list)
    generated: list[Caption] = field(default_factory=list)


def is_described(path: Path) -> bool:
    """Whether the header is that of such a file."""
    with open_text(path) as file:
        header = file.readline()
    return {FILM, REFERENCE} <= {name.strip().strip('"') for name in header.replace("\t", ",").split(",")}


def read_descriptions(path: Path) -> dict[str, DescribedFilm]:
    films: dict[str, _Rows] = {}
    for location, row in read_table(path):
        _check_header(row, path)
        rows = films.setdefault(row[FILM], _Rows(row.get(IMDB, "")))
        location = location.at(id=row[FILM])
        start, end = (parse_seconds(row[name], location.within(name)) for name in ("start", "end"))
        segment = Segment(start, end)
        check_times(segment, location)
        rows.reference.append(Caption(segment, check_text(row[REFERENCE], location.within(REFERENCE))))
        if GENERATED in row:
            rows.generated.append(Caption(segment, check_text(row[GENERATED], location.within(GENERATED))))
    if not films:
        raise Location(path).error("holds no description", hint="did the program that wrote it stop early?")
    return {
        film: DescribedFilm(film, rows.imdb, in_order(rows.reference), in_order(rows.generated))
        for film, rows in films.items()
    }


def _check_header(row: Mapping[str, str], path: Path) -> None:
    missing = [name for name in _NEEDED if name not in row]
    if missing:
        raise Location(path).error(
            f"the header ({', '.join(row)}) has no {missing[0]}", hint=f"name the columns {', '.join(_NEEDED)}"
        )
