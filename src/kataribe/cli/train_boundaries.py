"""`kataribe train boundaries VIDEO... -r TRUTH -o MODEL_DIR`: the pairwise classifier."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.output import check_model_output
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.cli.training import curves_of, resumable, state_parameter
from kataribe.core.errors import OutputError
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.boundaries.detectors.training import Trained


def command(help: str) -> Any:
    from kataribe.boundaries.detectors.training_options import PairwiseOptions

    videos = typer.Argument(metavar="VIDEO...", help="Video files named after their ids.")
    references = typer.Option("-r", "--references", metavar="TRUTH", help="Annotators' boundaries.")
    output = typer.Option("-o", "--output", metavar="MODEL_DIR", help="The folder to write the model into.")
    backbone = typer.Option(help="histogram, efficientnet-lite0, timm:NAME or transformers:NAME.")
    cache = typer.Option(help="Keep features in this folder, not in the cache folder.")
    parameters = [
        parameter("videos", list[Path], videos),
        parameter("references", Path, references),
        parameter("output", Path, output),
        parameter("backbone", str, backbone, "histogram"),
        parameter("cache", Path | None, cache, None),
        *declared_parameters(PairwiseOptions),
        state_parameter(),
        parameter("quiet", bool, typer.Option("--quiet", "-q", help="No progress."), False),
    ]
    return build("boundaries", help, parameters, _train)


def _train(given: Given) -> None:
    from kataribe.boundaries.detectors.training import train
    from kataribe.boundaries.detectors.training_options import PairwiseOptions
    from kataribe.boundaries.files import read_truth
    from kataribe.encoders.pictures import open_pictures
    from kataribe.encoders.store import damage_said, open_store
    from kataribe.learning.fit import is_main_process

    options = PairwiseOptions(**take_options(PairwiseOptions, given))
    videos, output, state, cache = given["videos"], given["output"], given["state"], given["cache"]
    check_model_output(output, videos, given["references"], state, cache, options.log_folder)
    if cache is not None and not cache.is_dir():
        raise OutputError(f"{cache}: there is no such folder", hint="create it first")
    truth = read_truth(given["references"])
    quiet = given["quiet"] or not is_main_process()
    with resumable(state), progress_bar(quiet) as progress, reporting(progress or silent):
        encoder = open_pictures(given["backbone"])
        store, remarks = open_store(encoder.key, cache)
        trained = train(videos, truth, encoder, options=options, store=store, state=state)
    warn_of([*remarks, *damage_said(store, range(store.damaged_rows), videos, "videos")], quiet=quiet)
    if is_main_process():
        trained.model.save(output, trained.card(), curves_of(trained.courses))
        print(_answer(output, trained))


def _answer(output: Path, trained: Trained) -> str:
    """What was trained on what, and how it does on the videos that were held out."""
    from kataribe.core.errors import counted
    from kataribe.learning.result import summarise
    from kataribe.report.learning import SummaryTable, render_summaries

    model, held_out = trained.model, trained.data["held_out"]["videos"]
    videos = counted(trained.data["training"]["videos"], "video")
    kept = f", seed {trained.seed} kept" if len(trained.courses) > 1 else ""
    lines = [f"{output}: pairwise classifier of {videos}, backbone {model.backbone}, label {model.labels}{kept}"]
    if trained.scored is not None:
        lines += ["", render_summaries(SummaryTable(summarise(trained.trials), trained.lower_is_better))]
        interval = trained.scored.interval
        reach = f" [{interval[0]:.4f}, {interval[1]:.4f}]" if interval else ""
        what = f"{trained.scored.metric} of the model on {counted(held_out, 'held-out video')}"
        lines += ["", f"{what}: {trained.scored.value:.4f}{reach}"]
    return "\n".join(lines)
