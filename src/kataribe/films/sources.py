"""Which films a corpus is built from, and where their lines are.

    a list      JSON, JSON lines or CSV with a film on each line; paths are relative to the list
                {"film": "ithaca", "dialogue": "ithaca.srt", "narration": "ithaca.vtt", "genres": ["drama"],
                 "title": "Ithaca", "duration": 5400}
    a folder    of files called FILM.dialogue.EXT and FILM.narration.EXT (or FILM.clips.EXT), or of videos FILM.mp4
    a video     of one film: what is not in other files is read and heard in it, see `watching.py`
    Movie101 v2 a folder with the folders v2-short-zh (or another v2-short-...) and v2-meta; there is no dialogue
    CMD-AD, MAD a CSV file with vid, imdbid, start, end and text_gt, see `described.py`; there is no dialogue

`narration` is in fragments, which are joined into clips; `clips` are clips already. Instead of them, a film of a list
may name its `video`. A table separates genres by |.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from kataribe.core.errors import InputError, Location, shorten, some
from kataribe.films.described import is_described, read_descriptions
from kataribe.films.line_files import READABLE
from kataribe.films.lines import FilmLines
from kataribe.films.movie101_v2 import read_facts
from kataribe.formats.source import (
    TABLES,
    check_id,
    check_number,
    check_text,
    extension,
    listed_entries,
    read_by_extension,
)
from kataribe.media.video import SUFFIXES

_FIELDS = ("film", "dialogue", "narration", "clips", "video", "genres", "title", "duration")
_EXAMPLE = 'write {"film": "ithaca", "dialogue": "ithaca.srt", "narration": "ithaca.vtt", "genres": ["drama"]}'
_NAMES = "call the files FILM.dialogue.srt and FILM.narration.srt, or FILM.mp4, or give a list of films"


@dataclass(frozen=True)
class FilmSource:
    """The files of one film: one of `narration`, `clips` and `video`, or `lines`, which somebody has read already.

    A video is watched for what other files do not give; with narration in a file of its own it is not needed.
    """

    film: str
    dialogue: Path | None = None
    narration: Path | None = None
    clips: Path | None = None
    video: Path | None = None
    genres: tuple[str, ...] = ()
    title: str = ""
    duration: float | None = None
    cast: Path | None = None  # of this film alone, as Movie101 v2 has it
    lines: FilmLines | None = None
    are_clips: bool = False  # whether `lines` has clips, not fragments

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of lines."""
        return tuple(path for path in (self.dialogue, self.narration, self.clips) if path is not None)

    @property
    def watched(self) -> Path | None:
        """The video, where nothing else says what the narrator tells."""
        has_lines = self.lines is not None or self.narration is not None or self.clips is not None
        return None if has_lines else self.video


def read_sources(path: Path) -> tuple[FilmSource, ...]:
    """The films of a list or a folder, each once, or the one film of a video."""
    if path.suffix.lower() in SUFFIXES:
        return (FilmSource(path.stem, video=path),)
    found = tuple(_of_folder(path) if path.is_dir() else _of_list(path))
    if not found:
        raise Location(path).error("names no film", hint=_NAMES if path.is_dir() else _EXAMPLE)
    seen: set[str] = set()
    for source in found:
        check_film(source, Location(path, source.film))
        if source.film in seen:
            raise Location(path, source.film).error("is there twice", hint="keep one")
        seen.add(source.film)
    return found


def check_film(source: FilmSource, location: Location) -> None:
    """A film names a file of the corpus, and has narration in one form."""
    if source.film != Path(source.film).name or source.film.startswith("."):
        raise location.error("cannot name a file", hint="call the film something without / that starts with no dot")
    if source.lines is None and source.narration is None and source.clips is None and source.video is None:
        raise location.error(
            "has no narration", hint="name its file: narration (fragments), clips (whole ones) or video"
        )
    if source.narration is not None and source.clips is not None:
        raise location.error("has both narration and clips", hint="keep one: narration is joined into clips")


def _of_list(path: Path) -> Iterator[FilmSource]:
    if extension(path) in TABLES and is_described(path):
        for film in read_descriptions(path).values():
            lines = FilmLines(film.film, None, (), film.reference)
            yield FilmSource(film.film, title=film.imdb, lines=lines, are_clips=True)
        return
    entries = read_by_extension(
        path,
        lines=lambda lines: lines,
        table=lambda rows: ((location, _cells(row)) for location, row in rows),
        document=lambda data: listed_entries(data if isinstance(data, list) else [data], path),
    )
    for location, entry in entries:
        yield _source(entry, location, path.parent)


def _source(entry: Any, location: Location, folder: Path) -> FilmSource:
    if not isinstance(entry, Mapping) or "film" not in entry:
        raise InputError(f"{location} is {shorten(repr(entry), 40)}, not a film", hint=_EXAMPLE)
    film = check_id(entry["film"], location)
    location = location.at(id=film)
    if unknown := [name for name in entry if name not in _FIELDS]:
        raise location.error(f"has {some(unknown)}, which means nothing", hint=f"there are: {', '.join(_FIELDS)}")
    genres = entry.get("genres", [])
    if not isinstance(genres, list):
        raise location.within("genres").error("is not a list", hint=_EXAMPLE)
    paths = {
        name: folder / check_text(entry[name], location.within(name))
        for name in ("dialogue", "narration", "clips", "video")
        if entry.get(name)
    }
    return FilmSource(
        film,
        dialogue=paths.get("dialogue"),
        narration=paths.get("narration"),
        clips=paths.get("clips"),
        video=paths.get("video"),
        genres=tuple(dict.fromkeys(check_text(genre, location.within("genres")) for genre in genres)),
        title=check_text(entry.get("title", ""), location.within("title")),
        duration=check_duration(entry["duration"], location) if entry.get("duration") is not None else None,
    )


def check_duration(value: Any, location: Location) -> float:
    duration = check_number(value, location.within("duration"), hint="give seconds")
    if duration <= 0:
        raise location.within("duration").error(f"is {duration:g}", hint="give seconds")
    return duration


def _cells(row: Mapping[str, str]) -> dict[str, Any]:
    """A row without its empty cells; a table keeps the genres of a film in one cell."""
    genres = [genre.strip() for genre in row.get("genres", "").split("|") if genre.strip()]
    return {name: cell for name, cell in row.items() if cell} | ({"genres": genres} if genres else {})


def _of_folder(folder: Path) -> Iterator[FilmSource]:
    short = sorted(path for path in folder.iterdir() if path.is_dir() and path.name.startswith("v2-short"))
    if short:
        yield from _of_movie101_v2(short, folder / "v2-meta")
        return
    films: dict[str, FilmSource] = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        film, kind = _role_of(path)
        if kind not in ("dialogue", "narration", "clips", "video"):
            continue  # a cast, a list of changes
        source = films.get(film, FilmSource(film))
        if getattr(source, kind) is not None:
            raise Location(path, film).error(f"has its {kind} twice", hint="keep one file")
        films[film] = replace(source, **cast(dict[str, Any], {kind: path}))
    yield from films.values()


def _role_of(path: Path) -> tuple[str, str]:
    """
    >>> _role_of(Path("ithaca.dialogue.srt.gz")), _role_of(Path("ithaca.mp4"))
    (('ithaca', 'dialogue'), ('ithaca', 'video'))
    """
    if path.suffix.lower() in SUFFIXES:
        return path.stem, "video"
    if extension(path) not in READABLE:
        return path.name, ""
    name = path.name.removesuffix(".gz")
    stem = name[: -len(extension(path))]
    film, _, kind = stem.rpartition(".")
    return film, kind


def _of_movie101_v2(short: list[Path], meta: Path) -> Iterator[FilmSource]:
    if len(short) > 1:
        names = ", ".join(path.name for path in short)
        raise Location(meta.parent).error(f"has {names}", hint="give a folder with one of them and v2-meta")
    for path in sorted(short[0].glob("*.txt")):
        known = meta / f"{path.stem}.json"
        facts = read_facts(known)
        yield FilmSource(path.stem, clips=path, genres=facts.genres, title=facts.title, cast=known)
