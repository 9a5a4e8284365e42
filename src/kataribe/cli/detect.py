"""`kataribe detect VIDEO --method pa`: boundaries in video files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar
from kataribe.core.errors import UsageError
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.boundaries.detectors.detector import DetectedBoundaries
    from kataribe.boundaries.files import Prediction

HELP = "Find event boundaries in video files; times are seconds of the original video."


def command() -> Any:
    from kataribe.boundaries.detectors.choice import DetectorOptions

    videos = typer.Argument(metavar="VIDEO...", help="Video files, in any format FFmpeg reads.")
    method = typer.Option("--method", help="pa, pc, uniform, random or cut; several for a plot.")
    plot = typer.Option(help="A picture of the curves (.png or .svg), of one video.")
    references = typer.Option("-r", "--references", help="True boundaries for the plot.")
    parameters = [
        parameter("videos", list[Path], videos),
        parameter("method", list[str] | None, method, None),
        *declared_parameters(DetectorOptions),
        common.output("Write .json, .jsonl, .csv, or .npz with every frame's value."),
        parameter("probabilities", bool, typer.Option(help="Every frame's value in JSON too."), False),
        parameter("plot", Path | None, plot, None),
        parameter("references", Path | None, references, None),
        parameter("quiet", bool, typer.Option("--quiet", "-q", help="No progress."), False),
    ]
    return build("detect", HELP, parameters, _detect)


def _detect(given: Given) -> None:
    from kataribe.boundaries.detectors.choice import DetectorOptions, open_detector
    from kataribe.boundaries.detectors.detector import detect
    from kataribe.boundaries.files import read_truth
    from kataribe.boundaries.output import format_boundaries
    from kataribe.formats.source import extension

    videos, methods = given["videos"], list(dict.fromkeys(given["method"] or ["pa"]))
    output, plot, references = given["output"], given["plot"], given["references"]
    options = DetectorOptions(**take_options(DetectorOptions, given))
    _check(methods, videos, plot)
    _check_answers(output, plot, [*videos, *filter(None, [references, options.model])])
    truth = read_truth(references) if references is not None else {}
    with progress_bar(given["quiet"]) as progress, reporting(progress or silent):
        detectors = [open_detector(name, options) for name in methods]
        detected = {video.stem: detect(video, detectors) for video in videos}
    answers = {id: _prediction(by_method[methods[0]]) for id, by_method in detected.items()}
    if output is not None:
        write_whole(output, format_boundaries(answers, extension(output), with_curves=given["probabilities"]))
    if plot is not None:
        (id,) = detected
        times = truth[id].annotators[0].times if id in truth else ()
        write_whole(plot, _drawn(detected[id], times, extension(plot).removeprefix(".")))
    if output is None:
        print(format_boundaries(answers, ".json", with_curves=given["probabilities"]).decode(), end="")


def _check(methods: Sequence[str], videos: Sequence[Path], plot: Path | None) -> None:
    """What can be refused before hours of video are read."""
    from kataribe.boundaries.detectors.choice import check_method

    for name in methods:
        check_method(name)
    if len(methods) > 1 and plot is None:
        raise UsageError("several methods are only shown together in a plot", hint="add --plot FILE.png")
    if len({video.stem for video in videos}) < len(videos):
        raise UsageError("two videos have the same name, which would be their id", hint="rename one")
    if plot is not None and (len(videos) > 1 or plot.suffix.lower() not in (".png", ".svg")):
        raise UsageError("a plot shows one video, as .png or .svg", hint="give one video and a name like curves.png")


def _check_answers(output: Path | None, plot: Path | None, reads: Sequence[Path]) -> None:
    from kataribe.boundaries.output import check_kind
    from kataribe.report.pictures import new_figure

    check_outputs([output, plot], reads)
    if output is not None:
        check_kind(output)
    if plot is not None:
        new_figure(1, 1)  # refused where matplotlib is missing


def _prediction(detected: DetectedBoundaries) -> Prediction:
    from kataribe.boundaries.files import Prediction

    boundaries, timeline = detected.boundaries, detected.timeline
    return Prediction(boundaries.times, boundaries.scores, detected.probabilities, timeline.fps, timeline.duration)


def _drawn(by_method: Mapping[str, DetectedBoundaries], truth: Sequence[float], format: str) -> bytes:
    from kataribe.boundaries.result import DetectionCurve
    from kataribe.report.boundary_curves import draw

    curves = {
        name: DetectionCurve(found.boundaries, found.timeline.times, found.probabilities)
        for name, found in by_method.items()
    }
    return draw(curves, truth, format)
