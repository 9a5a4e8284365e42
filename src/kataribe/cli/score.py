"""`kataribe score TASK PRED -r REFS`: one command for each registered task, built from the options it declares."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Commands, Given, build, declared_parameters, group_of, parameter, paths_in, take_options
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.core.result import Result
    from kataribe.core.task import Task


def _names() -> list[str]:
    from kataribe.core import plugins

    return list(plugins.registered(plugins.TASKS))


def _help(name: str) -> str:
    """A task's help, if possible without loading the task: a list of four tasks would take long."""
    from kataribe.core import plugins

    written = plugins.written_argument(plugins.TASKS, name, "help")
    if written:
        return written
    from kataribe.core.task import load

    return load(name).help


def _command(name: str) -> Any:
    from kataribe.core.task import load

    task = load(name)
    return build(task.name, task.help, _parameters(task), partial(_score, task))


def _parameters(task: Task[Any, Any, Any, Any]) -> list[Parameter]:
    from kataribe.core.options import RunOptions

    return [
        common.predictions(task.predictions.metavar, task.predictions.help),
        common.references(*task.references),
        common.metrics(),
        *declared_parameters(task.options),
        common.format("table, json, csv, markdown or latex."),
        common.output("Write the full result (items, statistics) here; FILE.csv: only the scores of items."),
        parameter("engine", str, typer.Option(help="Where to compute: local."), "local"),
        parameter("threads", int, typer.Option(help="Threads of the local engine; 0: every core."), 0),
        *declared_parameters(RunOptions),
        common.silence(),
        common.quiet(),
    ]


def _score(task: Task[Any, Any, Any, Any], given: Given) -> None:
    from kataribe.api import evaluate
    from kataribe.core.options import RunOptions
    from kataribe.core.tables import check_format

    options = take_options(task.options, given)
    run = {"engine": given["engine"], "threads": given["threads"], **take_options(RunOptions, given)}
    metrics, output = given["metric"] or None, given["output"]
    # What can be refused before the work starts is refused before the work starts.
    check_format(given["format"])
    check_outputs([output], given["predictions"], given["references"], paths_in(options), metrics=metrics)
    with progress_bar(given["quiet"]) as progress:
        result = evaluate(
            task.name,
            given["predictions"],
            given["references"] or None,
            metrics,
            **options,
            **run,
            details=output is not None,
            progress=progress,
        )
    _answer(result, given["format"], output, given["silence"], given["quiet"])


def _answer(result: Result, format: str, output: Path | None, silence: Sequence[str] | None, quiet: bool) -> None:
    if output is not None:
        write_whole(output, result.to_csv() if output.suffix == ".csv" else result.to_json())
    warn_of(result.warnings, silence, quiet)
    print(result.table(format))


app = typer.Typer(
    cls=group_of(Commands(_names, _help, _command)),
    help="Score predictions against references.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
