"""`kataribe train locator CORPUS --features FEATURES -o MODEL`: where in a window a moment starts and ends."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.output import check_model_output
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.cli.training import curves_of, percent, resumable, state_parameter, trained_lines
from kataribe.core.caution import remarking
from kataribe.core.errors import UsageError
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.grounding.locators.options import LocatorOptions
    from kataribe.grounding.locators.training import Material, Trained
    from kataribe.learning.folder import Model

_VARIED = ("model", "faces", "projection")


def command(help: str) -> Any:
    from kataribe.grounding.locators.options import LocatorOptions

    corpus = typer.Argument(metavar="CORPUS", help="A folder that `kataribe build movie` wrote.")
    features = typer.Option(
        "--features", metavar="DIR", help="The films' feature files, from `kataribe build features`."
    )
    output = typer.Option("-o", "--output", metavar="MODEL", help="The folder to write the model into (--ablate: all).")
    queries = typer.Option(metavar="DIR", help="Further queries: train.json, val.json, test.json, test-NAME.json.")
    learn_clips = typer.Option("--learn-clips/--learn-queries", help="Learn from clips too, or from --queries alone.")
    ablate = typer.Option("--ablate", help="Train the whole table: every network, faces here and there, every seed.")
    parameters = [
        parameter("corpus", Path, corpus),
        parameter("features", Path, features),
        parameter("output", Path, output),
        parameter("queries", Path | None, queries, None),
        parameter("learn_clips", bool, learn_clips, True),
        *declared_parameters(LocatorOptions),
        parameter("ablate", bool, ablate, False),
        state_parameter(),
        common.silence(),
        common.quiet(),
    ]
    return build("locator", help, parameters, _train)


def _train(given: Given) -> None:
    from kataribe.grounding.locators.options import LocatorOptions
    from kataribe.learning.fit import is_main_process

    options = LocatorOptions(**take_options(LocatorOptions, given))
    _check(given, options)
    quiet = given["quiet"] or not is_main_process()
    state = given["output"] if given["ablate"] else given["state"]
    with resumable(state), progress_bar(quiet) as progress, reporting(progress or silent), remarking() as remarks:
        answer = (_table if given["ablate"] else _one)(given, options)
    warn_of(remarks, given["silence"], quiet)
    if is_main_process():
        print(answer)


def _check(given: Given, options: LocatorOptions) -> None:
    """What can be refused before the work starts is refused before the work starts."""
    from kataribe.grounding.locators.ablation import check_table_folder
    from kataribe.grounding.locators.options import LocatorOptions

    reads = [given[name] for name in ("corpus", "features", "queries", "state") if given[name] is not None]
    if not given["ablate"]:
        check_model_output(given["output"], *reads, options.log_folder)
        return
    for name in _VARIED:
        if getattr(options, name) != getattr(LocatorOptions, name):
            raise UsageError(f"--{name} is what the table varies", hint="leave it out beside --ablate")
    if given["state"] is not None:
        raise UsageError("--state is of one model, not of the whole table", hint="leave it out beside --ablate")
    check_table_folder(given["output"])


def _material(given: Given, options: LocatorOptions) -> Material:
    from kataribe.films.seen import read_seen_corpus
    from kataribe.grounding.locators.queries import asked_films
    from kataribe.grounding.locators.training import Material

    corpus = read_seen_corpus(given["corpus"], given["features"])
    asked = asked_films(corpus, given["queries"], options.window, learn_clips=given["learn_clips"])
    return Material.of(asked, options.text, options.axes)


def _one(given: Given, options: LocatorOptions) -> str:
    from kataribe.grounding.locators.training import train
    from kataribe.learning.fit import is_main_process

    trained = train(_material(given, options), options, state=given["state"])
    if not is_main_process():
        return ""
    return _answer(given["output"], trained, trained.save(given["output"], _curves(trained)))


def _table(given: Given, options: LocatorOptions) -> str:
    from kataribe.grounding.locators.ablation import ablate, render

    return render(ablate(_material(given, options), options, given["output"], _curves))


def _curves(trained: Trained) -> Mapping[str, bytes]:
    return curves_of(trained.courses)


def _answer(output: Path, trained: Trained, model: Model) -> str:
    """What was trained on what, and how often a moment is found."""
    from kataribe.core import grid
    from kataribe.core.errors import counted
    from kataribe.grounding.locators.ablation import SHOWN

    learned = trained.data["learned"]
    asked = f"{counted(learned['queries'], 'query', 'queries')} of {counted(learned['films'], 'film')}"
    lines = trained_lines(output, model, asked, trained.seed, trained.courses, trained.trials)
    rows = []
    for name, hits in trained.hits.items():
        intervals, means = hits.intervals(trained.seed), hits.means
        rows.append([name, f"{len(hits):,}", *(percent(means[each], intervals.get(each)) for each in SHOWN)])
    if rows:
        lines += ["", *grid.aligned(["test windows", "queries", *SHOWN], rows)]
        lines += ["", f"times 100, 95% intervals over queries; windows of {trained.wiring.window:g} s"]
    return "\n".join(lines)
