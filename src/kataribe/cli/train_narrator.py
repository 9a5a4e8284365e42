"""`kataribe train narrator CORPUS --features FEATURES -o MODEL`: VT, OVP, RMN; `--ablate` for the paper's table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.output import check_model_output
from kataribe.cli.progress import progress_bar
from kataribe.cli.training import curves_of, resumable, state_parameter
from kataribe.core.errors import OutputError, UsageError, counted
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.narration.narrators.options import NarratorOptions, NarratorTraining
    from kataribe.narration.narrators.training import Trained

_TABLES = {"table.txt": "table", "table.md": "markdown", "table.tex": "latex", "table.json": "json", "table.csv": "csv"}


def command(help: str) -> Any:
    from kataribe.narration.narrators.options import NarratorOptions, NarratorTraining

    corpus = typer.Argument(metavar="CORPUS", help="A folder of `kataribe build movie`.")
    features = typer.Option(metavar="FEATURES", help="A folder of `kataribe build features`.")
    output = typer.Option("-o", "--output", metavar="FOLDER", help="Where the model is written (with --ablate: all).")
    ablate = typer.Option("--ablate", help="Train the whole table of the paper, and score it on the part test.")
    emscore = typer.Option(metavar="MODEL", help="Of --ablate: a dual encoder, for EMScore and MNScore.")
    videos = typer.Option(metavar="DIR", help="Of --ablate: the films, FILM.mp4, which EMScore looks at.")
    bootstrap = typer.Option(help="Of --ablate: draws of clips for intervals; 0: none.", min=0)
    row = typer.Option(metavar="NAME", help="Of --ablate: only these rows; repeatable.")
    return build(
        "narrator",
        help,
        [
            parameter("corpus", Path, corpus),
            parameter("features", Path, features),
            parameter("output", Path, output),
            *declared_parameters(NarratorOptions),
            *declared_parameters(NarratorTraining),
            state_parameter(),
            parameter("ablate", bool, ablate, False),
            parameter("row", list[str] | None, row, None),
            parameter("emscore_model", Path | None, emscore, None),
            parameter("videos", Path | None, videos, None),
            parameter("bootstrap", int, bootstrap, 1000),
            common.format("Of --ablate: table, json, csv, markdown or latex."),
            parameter("quiet", bool, typer.Option("--quiet", "-q", help="No progress."), False),
        ],
        _train,
    )


def _train(given: Given) -> None:
    from kataribe.learning.fit import is_main_process
    from kataribe.narration.narrators.options import NarratorOptions, NarratorTraining
    from kataribe.report.narrators import check_narrators_format

    model = NarratorOptions(**take_options(NarratorOptions, given))
    options = NarratorTraining(**take_options(NarratorTraining, given))
    check_narrators_format(given["format"])
    _refuse_what_does_not_belong(given)
    is_quiet = given["quiet"] or not is_main_process()
    state = given["output"] if given["ablate"] else given["state"]
    with resumable(state), progress_bar(is_quiet) as progress, reporting(progress or silent):
        answer = (_ablate if given["ablate"] else _train_one)(given, model, options)
    if answer is not None:
        print(answer)


def _refuse_what_does_not_belong(given: Given) -> None:
    if given["ablate"] and given["state"] is not None:
        raise UsageError("--state is of one model, not of the whole table", hint="leave it out beside --ablate")
    for name in ("row", "emscore_model", "videos"):
        if given[name] and not given["ablate"]:
            raise UsageError(f"--{name.replace('_', '-')} is of the whole table", hint="give --ablate, too")


def _train_one(given: Given, model: NarratorOptions, options: NarratorTraining) -> str | None:
    from kataribe.films.seen import read_seen_corpus
    from kataribe.learning.fit import is_main_process
    from kataribe.narration.narrators.training import train

    folder = given["output"]
    check_model_output(folder, given["corpus"], given["features"], given["state"], options.log_folder)
    trained = train(read_seen_corpus(given["corpus"], given["features"]), model, options, state=given["state"])
    if not is_main_process():
        return None
    trained.write(folder, curves_of(trained.courses))
    return _answer(folder, trained)


def _answer(folder: Path, trained: Trained) -> str:
    """What was trained on what, and how it does on the validation films."""
    from kataribe.learning.result import summarise
    from kataribe.narration.narrators.options import VALIDATION_LOSS
    from kataribe.report.learning import SummaryTable, render_summaries

    training = trained.data["training"]
    kept = f", seed {trained.seed} kept" if len(trained.courses) > 1 else ""
    clips = f"{counted(training['clips'], 'clip')} of {counted(training['films'], 'film')}"
    lines = [f"{folder}: {trained.narrator.options.model.upper()} narrator, trained on {clips}{kept}", ""]
    lines.append(render_summaries(SummaryTable(summarise(trained.trials), ("loss", VALIDATION_LOSS))))
    lines += ["", *trained.card().notes]
    return "\n".join(lines)


def _ablate(given: Given, model: NarratorOptions, options: NarratorTraining) -> str | None:
    from kataribe.films.seen import read_seen_corpus
    from kataribe.learning.fit import is_main_process
    from kataribe.narration.narrators.ablation import ROWS, TableOptions, ablate
    from kataribe.report.narrators import render_narrators

    folder = given["output"]
    _check_table_folder(folder)
    table = TableOptions(given["emscore_model"], given["videos"], given["bootstrap"], tuple(given["row"] or ROWS))
    corpus = read_seen_corpus(given["corpus"], given["features"])
    folder.mkdir(exist_ok=True)
    found = ablate(corpus, folder, model, options, table, lambda trained: curves_of(trained.courses))
    if not is_main_process():
        return None
    for name, format in _TABLES.items():
        write_whole(folder / name, render_narrators(found, format) + "\n")
    return render_narrators(found, given["format"])


def _check_table_folder(folder: Path) -> None:
    """A new or empty folder, or one in which an earlier table stands or was begun."""
    if not folder.parent.is_dir():
        raise OutputError(f"{folder}: there is no folder {folder.parent}", hint="create it first")
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; a table and its models are a folder", hint="choose another place")
    strange = [entry for entry in folder.iterdir() if not _is_of_table(entry)] if folder.is_dir() else []
    if strange:
        problem = f"{folder}: holds other things than a table and its models ({strange[0].name})"
        raise OutputError(problem, hint="name a new or empty folder")


def _is_of_table(entry: Path) -> bool:
    from kataribe.narration.narrators.ablation import ROWS, STATES, folder_name

    return entry.name in (*_TABLES, STATES, *map(folder_name, ROWS))
