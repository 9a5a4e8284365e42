"""`kataribe ground LIBRARY|FEATURES|VIDEO --query "..." --model DIR`: the moments that a text describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, parameter
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.caution import remarking
from kataribe.core.errors import UsageError
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.grounding.search import Answer

HELP = "Find the moments that a text describes, in a film or in a library of films: shots, or spans round them."
_PICTURES = (".png", ".svg")


def command() -> Any:
    place = typer.Argument(metavar="LIBRARY|FEATURES|VIDEO", help="A library, a film's feature file, or a video.")
    query = typer.Option("--query", metavar="TEXT", help="What happens in the moment.")
    model = typer.Option("--model", metavar="DIR", help="A retriever: the folder that `train retriever` wrote.")
    locator = typer.Option(
        metavar="DIR", help="Also say where they start and end: the folder that `train locator` wrote."
    )
    ways = typer.Option("--k", metavar="N", min=1, help="Of --locator: look round so many of the first shots.")
    cast = typer.Option(metavar="CAST", help="Of --locator: the films' roles, so that it knows whom a text names.")
    features = typer.Option(metavar="DIR", help="Of --locator in a library: the films' feature files, FILM.npz.")
    picture = typer.Option(metavar="FILE", help="Draw the score over time of the films found (.png or .svg).")
    parameters = [
        parameter("place", Path, place),
        parameter("query", str, query),
        parameter("model", Path, model),
        parameter("locator", Path | None, locator, None),
        parameter("k", int, ways, 3),
        parameter("cast", Path | None, cast, None),
        parameter("features", Path | None, features, None),
        parameter("top", int, typer.Option(min=1, help="How many moments."), 10),
        parameter(
            "exact", bool, typer.Option("--exact", help="Look at every shot of a library that is sorted."), False
        ),
        common.output("Write the moments as .json, which `kataribe score grounding` reads."),
        parameter("picture", Path | None, picture, None),
        common.quiet(),
    ]
    return build("ground", HELP, parameters, _ground)


def _ground(given: Given) -> None:
    from kataribe.grounding.retrieval.library import open_library
    from kataribe.grounding.retrieval.shot_vectors import check_film, see_film
    from kataribe.grounding.search import encode_query, open_retriever, search_film, search_library

    place, query, output, picture = (given[name] for name in ("place", "query", "output", "picture"))
    _check(output, picture, place, given["model"])
    _check_locator(given)
    encoder = open_retriever(given["model"])
    shots = max(given["top"], given["k"]) if given["locator"] else given["top"]
    with (
        progress_bar(given["quiet"]) as progress,
        reporting(progress or silent),
        remarking() as remarks,
    ):
        if place.is_dir():
            answer = search_library(open_library(place), encoder, query, shots, exact=given["exact"])
        else:
            check_film(place)
            encode_query(encoder, query)  # refused before a film is looked at
            answer = search_film(see_film(place, encoder), encoder, query, shots)
        if given["locator"] is not None:
            answer = _located(given, answer)
    warn_of(remarks, quiet=given["quiet"])
    if picture is not None:
        write_whole(picture, _drawn(answer, picture.suffix.lower()[1:]))
    if output is not None:
        write_whole(output, json.dumps(answer.to_list(), ensure_ascii=False, indent=1) + "\n")
    print(_table(answer))


def _check(output: Path | None, picture: Path | None, *reads: Path) -> None:
    from kataribe.report.pictures import new_figure

    if output is not None and output.suffix.lower() != ".json":
        raise UsageError(f"{output}: moments are written as .json", hint="name it moments.json, say")
    if picture is not None:
        if picture.suffix.lower() not in _PICTURES:
            raise UsageError(f"{picture}: pictures are {' or '.join(_PICTURES)}", hint="name it scores.png, say")
        new_figure(1, 1)  # refused where matplotlib is missing
    check_outputs([output, picture], *reads)


def _check_locator(given: Given) -> None:
    """A locator sees faces as well as frames, and those are in feature files."""
    place, locator = given["place"], given["locator"]
    beside = [name for name in ("cast", "features") if given[name] is not None]
    if locator is None:
        if beside:
            raise UsageError(f"--{beside[0]} is for a locator", hint="give --locator DIR, or leave it out")
    elif place.is_dir() and given["features"] is None:
        raise UsageError("a locator looks at the films of a library again", hint="give --features DIR with FILM.npz")
    elif not place.is_dir() and place.suffix.lower() != ".npz":
        hint = f"`kataribe build features` makes it; then give {place.stem}.npz in the place of the video"
        raise UsageError("a locator needs the film's feature file, with frames and faces", hint=hint)


def _located(given: Given, answer: Answer) -> Answer:
    from kataribe.films.casts import read_casts
    from kataribe.films.seen import read_seen
    from kataribe.grounding.locators.model import open_locator
    from kataribe.grounding.search import located

    place = given["place"]
    casts = read_casts(given["cast"]) if given["cast"] is not None else {}
    films = dict.fromkeys(moment.film for moment in answer.moments[: given["k"]])
    files = {film: given["features"] / f"{film}.npz" if place.is_dir() else place for film in films}
    seen = {film: read_seen(file, casts.get(film)) for film, file in files.items()}
    return located(answer, open_locator(given["locator"]), seen, given["k"], given["top"])


def _table(answer: Answer) -> str:
    from kataribe.core import grid

    rows = [
        [moment.film, _clock(moment.span.start), _clock(moment.span.end), f"{moment.score:.3f}"]
        for moment in answer.moments
    ]
    return "\n".join(grid.aligned(["film", "from", "to", "score"], rows))


def _clock(seconds: float) -> str:
    """
    >>> _clock(3725.5)
    '1:02:05'
    """
    minutes, second = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{second:02}"


def _drawn(answer: Answer, format: str) -> bytes:
    from kataribe.report.score_over_time import FilmScores, draw_scores

    films = [
        FilmScores(
            film,
            curve.spans,
            curve.scores.tolist(),
            {place: moment.span for place, moment in enumerate(answer.moments, start=1) if moment.film == film},
        )
        for film, curve in answer.curves.items()
    ]
    return draw_scores(answer.query, films, format)
