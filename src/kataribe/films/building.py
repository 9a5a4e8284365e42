"""`kataribe build movie` without the command line: films in, a corpus out, with what its reader should know."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec

import kataribe
from kataribe.core.caution import Caution
from kataribe.core.errors import Location, UsageError, counted, some
from kataribe.core.options import option
from kataribe.core.progress import report
from kataribe.core.types import Caption, Cast
from kataribe.films.casts import read_casts
from kataribe.films.corpus import FilmInput, build
from kataribe.films.folder import FORMAT, Corpus, FilmDocument, ReadFile, read_film
from kataribe.films.line_files import LineFile, check_one_voice, cut_overlaps, read_lines
from kataribe.films.lines import FilmLines
from kataribe.films.names import nested_names
from kataribe.films.overrides import Override, Unapplied, read_overrides
from kataribe.films.rules import Rules
from kataribe.films.sources import FilmSource
from kataribe.films.splits import DRAWS, only, read_split, split_films
from kataribe.films.statistics import CountedFilm, corpus_statistics, count_clips
from kataribe.films.watched import depends, lines_of_video
from kataribe.films.watching import Watching


@dataclass(frozen=True)
class BuildOptions(Rules):
    """Everything that moves the corpus beside the films themselves."""

    encoding: str | None = option(None, "The encoding of all files of lines; without it, it is detected.")
    overlaps: Literal["refuse", "cut"] = option(
        "refuse", "refuse: two lines of the narrator at once are an error; cut: the first ends there.", noun="choice"
    )
    val: int | None = option(None, "Films to hold out for validation; default: a tenth.", minimum=0)
    test: int | None = option(None, "Films to hold out for testing; default: a tenth.", minimum=0)


@dataclass(frozen=True)
class Built:
    corpus: Corpus
    unchanged: tuple[str, ...]  # films that were taken over from the last run
    cautions: tuple[Caution, ...]


def build_corpus(
    sources: Sequence[FilmSource],
    options: BuildOptions,
    *,
    cast: Path | None = None,
    overrides: Path | None = None,
    split: Path | None = None,
    last: Path | None = None,
    watching: Watching | None = None,
    kept: Path | None = None,
) -> Built:
    """A corpus of these films. `last` is the folder of an earlier run: what did not change is not computed again.

    `watching` says how videos are watched, `kept` is the folder where what was found in them is kept.
    """
    watching = watching or Watching()
    _check_videos(sources, kept)
    casts = _casts(sources, cast)
    changes = read_overrides(overrides) if overrides else ()
    parts, rule = _split(sources, split, options)  # before the long work: a mistake in it is told at once
    documents, unchanged = [], []
    for number, source in enumerate(sources, start=1):
        of_film = tuple(change for change in changes if change.film == source.film)
        key = _key(source, casts.get(source.film), of_film, options, watching)
        document = read_film(last, source.film) if last else None
        if document is not None and document.key == key:
            unchanged.append(source.film)
        else:
            lines, files = _read(source, options, watching, kept)
            document = _make(source, lines, files, casts.get(source.film), of_film, options, key)
        documents.append(document)
        report("films", number, len(sources))
    counted_films = [CountedFilm(d.corpus, casts.get(d.film), d.genres, d.g, d.n) for d in documents]
    statistics = corpus_statistics(counted_films, parts)
    rules = Rules(**{each.name: getattr(options, each.name) for each in fields(Rules)})
    corpus = Corpus(tuple(documents), casts, parts, rule, statistics, rules)
    return Built(corpus, tuple(unchanged), tuple(_cautions(corpus, changes)))


def _casts(sources: Sequence[FilmSource], path: Path | None) -> dict[str, Cast]:
    casts = read_casts(path) if path else {}
    for source in sources:
        if source.cast is not None and source.film not in casts:
            casts |= read_casts(source.cast) if _has_roles(source.cast) else {}
    films = [source.film for source in sources]
    if path and not any(film in casts for film in films):
        raise Location(path).error(
            f"has none of the films: {some(films)}", hint="were these files made for each other?"
        )
    return {film: casts[film] for film in films if film in casts}


def _has_roles(path: Path) -> bool:
    """Movie101 v2 knows no role of some films."""
    return bool(msgspec.json.decode(path.read_bytes()).get("role"))


def _check_videos(sources: Sequence[FilmSource], kept: Path | None) -> None:
    """Before hours of film are watched."""
    for source in sources:
        if source.watched is None:
            continue
        if not source.watched.is_file():
            raise Location(source.watched, source.film).error("there is no such video", hint="check the path")
        if kept is None:
            raise UsageError(
                f"{source.film} is watched, and nothing says where to keep what is found",
                hint="give <kept FOLDER>",
                options=["kept"],
            )


def _key(
    source: FilmSource, cast: Cast | None, overrides: Sequence[Override], options: BuildOptions, watching: Watching
) -> str:
    digest = hashlib.sha256()
    contents = [hashlib.sha256(_content(path)).hexdigest() for path in source.files]
    watched = depends(source.watched, watching) if source.watched else None
    facts = (source.film, source.genres, source.title, source.duration, source.lines, source.are_clips, watched)
    files = [path.name for path in source.files]
    digest.update(
        msgspec.json.encode((FORMAT, kataribe.__version__, facts, files, contents, cast, overrides, _moving(options)))
    )
    return digest.hexdigest()


def _moving(options: BuildOptions) -> dict[str, object]:
    """The options on which a film depends; the sizes of the parts concern only the split."""
    return {each.name: getattr(options, each.name) for each in fields(options) if each.name not in ("val", "test")}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Location(path).error(f"cannot be read ({error.strerror})", hint="check the path and its rights") from None


def _make(
    source: FilmSource,
    lines: FilmLines,
    files: Sequence[LineFile],
    cast: Cast | None,
    overrides: tuple[Override, ...],
    options: BuildOptions,
    key: str,
) -> FilmDocument:
    are_clips = source.clips is not None or source.are_clips
    made = build(FilmInput(lines, overrides, are_clips), options)
    return FilmDocument(
        key=key,
        film=source.film,
        title=source.title,
        genres=source.genres,
        files=tuple(ReadFile(file.path.name, file.encoding, len(file.lines)) for file in files),
        corpus=made,
        g=count_clips(made.clips, cast),
        n=count_clips(made.long_clips, cast),
    )


def _read(
    source: FilmSource, options: BuildOptions, watching: Watching, kept: Path | None
) -> tuple[FilmLines, list[LineFile]]:
    if source.lines is not None:
        return source.lines, []
    said = read_lines(source.dialogue, options.encoding) if source.dialogue else None
    if source.watched is not None and kept is not None:
        lines = lines_of_video(source.film, source.watched, watching, said.lines if said else None, kept)
        return replace(lines, duration=source.duration or lines.duration), [said] if said else []
    path = source.narration or source.clips
    if path is None:
        raise Location(None, source.film).error("has no narration", hint="name its file")
    told = read_lines(path, options.encoding)
    narration = told.lines
    if source.clips is None:
        location = Location(path)
        if options.overlaps == "cut":
            narration = cut_overlaps(narration, location)
        check_one_voice(narration, location)
    lines = FilmLines(source.film, source.duration, said.lines if said else (), narration)
    return lines, [file for file in (said, told) if file is not None]


def _split(sources: Sequence[FilmSource], path: Path | None, options: BuildOptions) -> tuple[dict[str, list[str]], str]:
    films = [source.film for source in sources]
    if path is not None:
        return only(read_split(path), films, path), f"given: {path.name}"
    genres = {source.film: source.genres for source in sources}
    rule = f"best mixed genres of {DRAWS:,} draws, seed {options.seed}"
    return split_films(genres, options.val, options.test, options.seed), rule


def _cautions(corpus: Corpus, overrides: Iterable[Override]) -> Iterable[Caution]:
    films = [document.film for document in corpus.films]
    strangers = [Unapplied(each, "no such film is in the corpus") for each in overrides if each.film not in films]
    for unapplied in (*strangers, *(each for document in corpus.films for each in document.corpus.unapplied)):
        yield Caution("override-not-applied", f"a change was not applied: {unapplied}")
    yield from _of_casts(corpus.casts, films)
    overlapping = sum(_overlapping(d.lines) for film in corpus.films for d in film.corpus.dialogues)
    if overlapping:
        said = counted(overlapping, "line of dialogue starts", "lines of dialogue start")
        yield Caution("overlapping-dialogue", f"{said} before the line before has ended; they are of one dialogue")


def _of_casts(casts: Mapping[str, Cast], films: Sequence[str]) -> Iterable[Caution]:
    uncast = [film for film in films if film not in casts]
    if uncast:
        text = f"no cast for {counted(len(uncast), 'film')}: {some(uncast)}; roles are not counted there"
        yield Caution("uncast-films", text)
    nested = {film: found[0] for film, cast in casts.items() if (found := nested_names(cast))}
    if nested:
        film, (name, longer) = next(iter(nested.items()))
        whose = f"in {counted(len(nested), 'cast')} a role's name is part of another's"
        text = f"{whose} ({name!r} of {longer!r} in {film!r}): the longest name that fits is taken"
        yield Caution("nested-names", text)


def _overlapping(lines: Sequence[Caption]) -> int:
    return sum(following.segment.start < line.segment.end for line, following in pairwise(lines))
