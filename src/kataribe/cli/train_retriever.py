"""`kataribe train retriever CORPUS --features FEATURES -o MODEL`: shots of films and texts in one space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.output import check_model_output
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.cli.training import curves_of, percent, resumable, state_parameter, trained_lines
from kataribe.core.caution import remarking
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.grounding.retrieval.training import Trained
    from kataribe.learning.folder import Model


def command(help: str) -> Any:
    from kataribe.grounding.retrieval.options import RetrieverOptions

    corpus = typer.Argument(metavar="CORPUS", help="A folder that `kataribe build movie` wrote, or Movie101's.")
    features = typer.Option("--features", metavar="DIR", help="The films' feature files: FILM.npz with frames.")
    videos = typer.Option("--videos", metavar="DIR", help="The films themselves, for --finetune-pictures.")
    output = typer.Option("-o", "--output", metavar="MODEL", help="The folder to write the model into.")
    parameters = [
        parameter("corpus", Path, corpus),
        parameter("features", Path, features),
        parameter("output", Path, output),
        *declared_parameters(RetrieverOptions),
        parameter("videos", Path | None, videos, None),
        state_parameter(),
        common.silence(),
        common.quiet(),
    ]
    return build("retriever", help, parameters, _train)


def _train(given: Given) -> None:
    from kataribe.grounding.retrieval.options import RetrieverOptions
    from kataribe.grounding.retrieval.pairs import read_pairs
    from kataribe.grounding.retrieval.training import train
    from kataribe.learning.fit import is_main_process

    options = RetrieverOptions(**take_options(RetrieverOptions, given))
    corpus, features, output, state = (given[name] for name in ("corpus", "features", "output", "state"))
    videos = given["videos"]
    check_model_output(output, corpus, features, videos, state, options.log_folder)
    quiet = given["quiet"] or not is_main_process()
    with (
        resumable(state),
        progress_bar(quiet) as progress,
        reporting(progress or silent),
        remarking() as remarks,
    ):
        trained = train(read_pairs(corpus, features, options.learn), options, videos=videos, state=state)
    warn_of(remarks, given["silence"], quiet)
    if is_main_process():
        model = trained.save(output, curves_of(trained.courses))
        print(_answer(output, trained, model))


def _answer(output: Path, trained: Trained, model: Model) -> str:
    """What was trained on what, and how often a text finds its shot."""
    from kataribe.core import grid
    from kataribe.core.errors import counted

    learned = trained.data["learned"]
    pairs = f"{counted(learned['pairs'], 'pair')} of {counted(learned['films'], 'film')}"
    lines = trained_lines(output, model, pairs, trained.seed, trained.courses, trained.trials)
    rows = []
    for part, found in trained.recalls.items():
        cells = [percent(value, found.intervals.get(name)) for name, value in found.values.items()]
        rows.append([part, str(found.films), f"{found.texts:,}", *cells])
        rows.append(["  by chance", "", "", *(percent(value) for value in found.chance.values())])
    if rows:
        measures = list(next(iter(trained.recalls.values())).values)
        lines += ["", *grid.aligned(["", "films", "texts", *measures], rows)]
        lines += ["", "times 100, mean over films, 95% intervals over texts; only shots with a text are searched"]
    return "\n".join(
        [*lines, "", f"use it: kataribe index FILMS... --model {output} -o LIBRARY; -m 'emscore(model={output})'"]
    )
