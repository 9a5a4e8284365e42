"""`kataribe build features CORPUS --videos DIR -o FEATURES`: what models see of the films of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.interrupted import kept_on_interrupt
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.caution import remarking
from kataribe.core.errors import counted
from kataribe.core.progress import reporting, silent

HELP = "Look at every film of a corpus: frames as vectors, faces, portraits of the cast. Models learn from these files."


def command() -> Any:
    from kataribe.films.features import FeatureOptions

    cast = typer.Option(metavar="CAST", help="Roles with their portraits (a field `portrait`: a picture file).")
    parameters = [
        parameter("corpus", Path, typer.Argument(metavar="CORPUS", help="A folder that `build movie` wrote.")),
        parameter("output", Path, typer.Option("-o", "--output", metavar="FEATURES", help="The folder to write.")),
        parameter("videos", Path, typer.Option(metavar="DIR", help="The films: FILM.mp4, FILM.mkv, ...")),
        parameter("cast", Path | None, cast, None),
        *declared_parameters(FeatureOptions),
        parameter("processes", int | None, typer.Option(metavar="N", help="Films looked at at once.", min=1), None),
        common.silence(),
        common.quiet(),
    ]
    return build("features", HELP, parameters, _features)


def _features(given: Given) -> None:
    from kataribe.films.features import FeatureOptions, build_features

    output, quiet = given["output"], given["quiet"]
    options = FeatureOptions(**take_options(FeatureOptions, given))

    def kept() -> str | None:
        return (
            f"what was seen so far is kept in {output}; the same call goes on from there" if output.is_dir() else None
        )

    with (
        kept_on_interrupt(kept),
        progress_bar(quiet) as progress,
        reporting(progress or silent),
        remarking() as remarks,
    ):
        files = build_features(given["corpus"], given["videos"], output, given["cast"], options, given["processes"])
    warn_of(remarks, given["silence"], quiet)
    print(f"{output}: {counted(len(files), 'film')}, frames by {options.encoder}, {options.rate:g} a second")
