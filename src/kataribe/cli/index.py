"""`kataribe index FILMS... --model DIR -o LIBRARY`: films to search in."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, parameter
from kataribe.cli.interrupted import kept_on_interrupt
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.caution import remarking
from kataribe.core.errors import UsageError, counted, shorten
from kataribe.core.progress import report, reporting, silent

HELP = "Add films to a library that `kataribe ground` searches: videos, or their feature files."
_PRECISIONS = ("float32", "float16")


def command() -> Any:
    films = typer.Argument(metavar="FILMS...", help="Videos, or feature files (.npz) with frames; named by their film.")
    model = typer.Option("--model", metavar="DIR", help="A retriever: the folder that `train retriever` wrote.")
    output = typer.Option("-o", "--output", metavar="LIBRARY", help="The library, which is made where there is none.")
    precision = typer.Option(help="Of a new library: float32, or float16 in half the space; default: float32.")
    approximate = typer.Option(
        "--approximate", help="Sort all shots for approximate search with faiss; worth it past a million."
    )
    parameters = [
        parameter("films", list[Path] | None, films, None),
        parameter("model", Path, model),
        parameter("output", Path, output),
        parameter("precision", str | None, precision, None),
        parameter("approximate", bool, approximate, False),
        common.silence(),
        common.quiet(),
    ]
    return build("index", HELP, parameters, _index)


def _index(given: Given) -> None:
    from kataribe.core.need import need
    from kataribe.grounding.retrieval.library import (
        add_film,
        check_place,
        is_known,
        is_library,
        open_library,
        sort_library,
    )
    from kataribe.grounding.retrieval.shot_vectors import film_of, see_film
    from kataribe.grounding.search import open_retriever

    films, folder, quiet = list(given["films"] or ()), given["output"], given["quiet"]
    if not films and not given["approximate"]:
        raise UsageError("there are no films to add", hint="give videos or feature files")
    precision = _precision(given["precision"])
    check_place(folder)
    if given["approximate"]:
        need("faiss", extra="faiss", purpose="approximate search")
    encoder = open_retriever(given["model"])
    library = open_library(folder) if is_library(folder) else None
    if library is not None:
        library.check_model(encoder)
    named = [(path, *film_of(path)) for path in films]
    if len({film for _, film, _ in named}) < len(named):
        raise UsageError("two files have the same name, which would be their film's", hint="rename one")
    new = [path for path, film, video in named if not is_known(library, film, video)]
    done: list[Path] = []
    with (
        kept_on_interrupt(
            lambda: f"{folder} has {counted(len(done), 'new film')}; the same call goes on" if done else None
        ),
        progress_bar(quiet) as progress,
        reporting(progress or silent),
        remarking() as remarks,
    ):
        for path in new:
            report("films", len(done), len(new))
            library = add_film(folder, see_film(path, encoder), path.absolute(), encoder, precision)
            done.append(path)
        report("films", len(done), len(new))
        if given["approximate"]:
            library = sort_library(library if library is not None else open_library(folder))
    warn_of(remarks, given["silence"], quiet)
    assert library is not None
    kept = f", {counted(len(films) - len(new), 'film was', 'films were')} there" if len(new) < len(films) else ""
    held = f"{counted(len(library.films), 'film')}, {counted(len(library), 'shot')}, {library.about.precision}"
    sorted_rows = f", {library.about.sorted_rows:,} sorted" if library.about.sorted_rows else ""
    print(f"{folder}: {counted(len(new), 'film')} added{kept}; it holds {held}{sorted_rows}, by {library.about.model}")


def _precision(text: str | None) -> Literal["float32", "float16"] | None:
    if text is not None and text not in _PRECISIONS:
        raise UsageError(f"--precision {shorten(text)}: is not known", hint=f"there are: {', '.join(_PRECISIONS)}")
    return text  # type: ignore[return-value] # one of the two
