"""A corpus as a folder, whole or not at all; films whose input did not change are taken over from the last run.

G/ N/ GSR/ LTG/ PART.json   the items, in Movie101's forms (`movie101.py`)
cast.json  split.json       who is in each film, which films are in each part
statistics.json             `result.py`
films/FILM.json             everything of one film: dialogues, clips, counts, and the key of what it was made from
figures/                    the statistics drawn, where asked for
corpus.json                 what this is: rules, seed, version, and for each film its files and their encodings
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

import kataribe
from kataribe.core.errors import Location
from kataribe.core.folders import check_folder, whole_folder
from kataribe.core.types import Cast
from kataribe.films.corpus import FilmCorpus
from kataribe.films.movie101 import as_lines, cast_document, narrations_document, shots_document, windows_document
from kataribe.films.result import ClipCounts, CorpusStatistics
from kataribe.films.rules import Rules
from kataribe.films.shots import pieces
from kataribe.films.splits import Split

FORMAT = "kataribe movie corpus 1"

_ABOUT, _FILMS, _FIGURES = "corpus.json", "films", "figures"
_ENTRIES = {_ABOUT, _FILMS, _FIGURES, "G", "N", "GSR", "LTG", "cast.json", "split.json", "statistics.json"}

# The name of a picture and its content.
Pictures = Mapping[str, bytes]


@dataclass(frozen=True)
class ReadFile:
    """A file that a film was made from."""

    name: str
    encoding: str
    lines: int


@dataclass(frozen=True)
class FilmDocument:
    """Everything of one film. `key` stands for all that it was made from: files, cast, changes, rules, version."""

    key: str
    film: str
    title: str
    genres: tuple[str, ...]
    files: tuple[ReadFile, ...]
    corpus: FilmCorpus
    g: ClipCounts
    n: ClipCounts


@dataclass(frozen=True)
class Corpus:
    films: tuple[FilmDocument, ...]
    casts: Mapping[str, Cast]
    split: Split
    split_rule: str
    statistics: CorpusStatistics
    rules: Rules


def read_film(folder: Path, film: str) -> FilmDocument | None:
    """A film of an earlier run; None where there is none, or none that this version understands."""
    try:
        return msgspec.json.decode((folder / _FILMS / f"{film}.json").read_bytes(), type=FilmDocument)
    except (OSError, msgspec.DecodeError):
        return None


def film_ids(folder: Path) -> list[str]:
    """The films of a corpus, in its order."""
    return list(_read_about(folder)["films"])


def split_of(folder: Path) -> dict[str, tuple[str, ...]]:
    """The films of each part, in the order of the corpus."""
    parts: dict[str, list[str]] = {}
    for film, about in _read_about(folder)["films"].items():
        parts.setdefault(about["part"], []).append(film)
    return {part: tuple(films) for part, films in parts.items()}


def _read_about(folder: Path) -> dict[str, Any]:
    try:
        about = msgspec.json.decode((folder / _ABOUT).read_bytes())
        if about["format"] != FORMAT:
            problem = f"is a corpus of another version ({about['format']}; this one reads {FORMAT!r})"
            raise Location(folder).error(problem, hint="build it again")
        return {**about, "films": dict(about["films"])}
    except (OSError, KeyError, TypeError, ValueError):
        raise Location(folder).error(
            "is no corpus", hint="`kataribe build movie FILMS -o CORPUS` writes them, from a world's films.json too"
        ) from None


def check_corpus_folder(folder: Path) -> None:
    check_folder(folder, is_ours)


def write_corpus(corpus: Corpus, folder: Path, draw: Callable[[CorpusStatistics], Pictures] | None = None) -> None:
    """Replace the folder by this corpus; if anything fails, what was there stays."""
    with whole_folder(folder, is_ours) as new:
        for name in ("G", "N", "GSR", "LTG", _FILMS):
            (new / name).mkdir()
        first_ids = _first_ids(corpus)
        for part, members in corpus.split.items():
            films = [film.corpus for film in corpus.films if film.film in set(members)]
            _write(new / "G" / f"{part}.json", [e for film in films for e in narrations_document(film.clips)])
            _write(new / "N" / f"{part}.json", [e for film in films for e in narrations_document(film.long_clips)])
            shots = [e for film in films for e in shots_document(film.film, film.shots, first_ids[film.film])]
            _write(new / "GSR" / f"{part}.json", shots)
            windows = [e for film in films for e in windows_document(film.clips, film.windows)]
            _write(new / "LTG" / f"{part}.json", windows)
        for film in corpus.films:
            (new / _FILMS / f"{film.film}.json").write_bytes(msgspec.json.encode(film) + b"\n")
        _write(new / "cast.json", cast_document(corpus.casts.values()))
        _write(new / "split.json", corpus.split)
        _write(new / "statistics.json", corpus.statistics)
        _write(new / _ABOUT, _about(corpus))
        pictures = draw(corpus.statistics) if draw else {}
        if pictures:
            (new / _FIGURES).mkdir()
        for name, content in pictures.items():
            (new / _FIGURES / name).write_bytes(content)


def is_ours(folder: Path) -> bool:
    """A corpus that was written here, with nothing added to it."""
    try:
        about = msgspec.json.decode((folder / _ABOUT).read_bytes())
        is_corpus = isinstance(about, dict) and str(about.get("format")).startswith("kataribe movie corpus ")
        return is_corpus and {entry.name for entry in folder.iterdir()} <= _ENTRIES
    except (OSError, msgspec.DecodeError):
        return False


def _first_ids(corpus: Corpus) -> dict[str, int]:
    """How many shots, with narration or without, the films before each one have."""
    ids, count = {}, 0
    for film in corpus.films:
        ids[film.film] = count
        count += len(pieces(film.corpus.span, corpus.rules.shot_length))
    return ids


def _about(corpus: Corpus) -> dict[str, Any]:
    part_of = {film: part for part, members in corpus.split.items() for film in members}
    return {
        "format": FORMAT,
        "kataribe": kataribe.__version__,
        "rules": asdict(corpus.rules),
        "split_rule": corpus.split_rule,
        "films": {film.film: _about_film(film, part_of[film.film]) for film in corpus.films},
        "changes_not_applied": [str(each) for film in corpus.films for each in film.corpus.unapplied],
    }


def _about_film(film: FilmDocument, part: str) -> dict[str, Any]:
    counts = {name: len(getattr(film.corpus, name)) for name in ("dialogues", "clips", "long_clips", "shots")}
    about = {"title": film.title, "genres": film.genres, "part": part, "files": film.files}
    return about | counts | {"left_out": film.corpus.left_out, "span": film.corpus.span}


def _write(path: Path, document: Any) -> None:
    if isinstance(document, Sequence):
        path.write_text(as_lines(document), encoding="utf-8")
    else:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
