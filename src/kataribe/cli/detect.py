"""`kataribe detect VIDEO --method pa`: boundaries in video files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar
from kataribe.core.errors import UsageError, nearest, shorten
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.boundaries.detectors.detector import DetectedBoundaries, Detector

METHODS = ("pa", "pc", "uniform", "random", "cut")


def detect(
    videos: Annotated[list[Path], typer.Argument(metavar="VIDEO...", help="Video files, in any format FFmpeg reads.")],
    method: Annotated[
        list[str] | None,
        typer.Option("--method", help="pa, pc, uniform, random or cut; several for a plot."),
    ] = None,
    model: Annotated[Path | None, typer.Option(help="The classifier of pc, from `kataribe train boundaries`.")] = None,
    backbone: Annotated[
        str, typer.Option(help="Of pa: histogram, efficientnet-lite0, timm:NAME or transformers:NAME.")
    ] = "histogram",
    sigma: Annotated[
        float | None,
        typer.Option(help="Of pa: one width of the filter, in sampled frames; default: each change has its own."),
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="Of pa: `paper` takes sigma 15 and whole windows only, as published.")
    ] = None,
    count: Annotated[int, typer.Option(help="Of uniform and random: how many boundaries.")] = 9,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write .json, .jsonl, .csv, or .npz with every frame's value.")
    ] = None,
    probabilities: Annotated[bool, typer.Option(help="Every frame's value in JSON too.")] = False,
    plot: Annotated[Path | None, typer.Option(help="A picture of the curves (.png or .svg), of one video.")] = None,
    references: Annotated[Path | None, typer.Option("-r", "--references", help="True boundaries for the plot.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Find event boundaries in video files; times are seconds of the original video."""
    from kataribe.boundaries.detectors.detector import detect as detect_in
    from kataribe.boundaries.files import Prediction, read_truth
    from kataribe.boundaries.output import check_kind, spell
    from kataribe.boundaries.result import DetectionCurve
    from kataribe.formats.source import extension
    from kataribe.report.boundary_curves import draw
    from kataribe.report.pictures import new_figure

    methods = method or ["pa"]
    _check(methods, videos, plot, count, sigma)
    if protocol not in (None, "paper"):
        raise UsageError(f"no protocol is called {shorten(protocol)!r}", hint="there is: paper")
    check_outputs([output, plot], videos, references, model)
    if output is not None:
        check_kind(output)
    if plot is not None:
        new_figure(1, 1)
    truth = read_truth(references) if references is not None else {}
    detections: dict[str, dict[str, DetectedBoundaries]] = {}
    with progress_bar(quiet) as progress, reporting(progress or silent):
        detectors = [
            open_detector(name, model, backbone, sigma, protocol, count, seed) for name in dict.fromkeys(methods)
        ]
        for video in videos:
            detections[video.stem] = detect_in(video, detectors)
    first = {id: found[methods[0]] for id, found in detections.items()}
    answers = {
        id: Prediction(
            found.boundaries.times,
            found.boundaries.scores,
            found.probabilities,
            found.timeline.fps,
            found.timeline.duration,
        )
        for id, found in first.items()
    }
    if output is not None:
        write_whole(output, spell(answers, extension(output), with_curves=probabilities))
    if plot is not None:
        id, found = next(iter(detections.items()))
        marks = truth[id].annotators[0].times if id in truth else ()
        drawn = {
            name: DetectionCurve(one.boundaries, one.timeline.times, one.probabilities) for name, one in found.items()
        }
        write_whole(plot, draw(drawn, marks, extension(plot).removeprefix(".")))
    if output is None:
        print(spell(answers, ".json", with_curves=probabilities).decode(), end="")


def _check(methods: list[str], videos: list[Path], plot: Path | None, count: int, sigma: float | None) -> None:
    """What can be refused before hours of video are read."""
    for name in methods:
        if name not in METHODS:
            raise UsageError(f"no method is called {name!r}", hint=nearest(name, METHODS))
    if len(set(methods)) > 1 and plot is None:
        raise UsageError("several methods are only shown together in a plot", hint="add --plot FILE.png")
    if len({video.stem for video in videos}) < len(videos):
        raise UsageError("two videos have the same name, which would be their id", hint="rename one")
    if plot is not None and (len(videos) > 1 or plot.suffix.lower() not in (".png", ".svg")):
        raise UsageError("a plot shows one video, as .png or .svg", hint="give one video and a name like curves.png")
    if count < 1 or (sigma is not None and not sigma > 0):
        raise UsageError("--count and --sigma must be greater than 0")


def open_detector(
    name: str, model: Path | None, backbone: str, sigma: float | None, protocol: str | None, count: int, seed: int
) -> Detector:
    """A detector with its backbone, for all videos."""
    from kataribe.boundaries.detectors.blind import Blind
    from kataribe.boundaries.detectors.cut import HardCuts
    from kataribe.boundaries.detectors.pa import Predictability
    from kataribe.boundaries.detectors.pc import PairwiseClassifier, PairwiseModel
    from kataribe.boundaries.detectors.window import Sampler
    from kataribe.encoders.pictures import open_pictures

    if name == "pa":
        sampler = Sampler(open_pictures(backbone))
        return Predictability.of_the_paper(sampler, sigma) if protocol == "paper" else Predictability(sampler, sigma)
    if name == "cut":
        return HardCuts()
    if name == "pc":
        if model is None:
            raise UsageError("pc is a trained detector", hint="--model FILE, made by `kataribe train boundaries`")
        trained = PairwiseModel.load(model)
        return PairwiseClassifier(Sampler(trained.open_encoder(), trained.every), trained.network)
    return Blind("uniform" if name == "uniform" else "random", count, seed)
