"""Detectors' curves over a video, with what they found and the true boundaries: the paper's figure 8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kataribe.boundaries.result import DetectionCurve
from kataribe.report.pictures import new_figure, to_image

_COLOURS = {"pa": "#30638e", "pc": "#edae49", "cut": "#5a9e4b", "uniform": "#999999", "random": "#8f5fbf"}


def draw(detections: Mapping[str, DetectionCurve], truth: Sequence[float], format: str) -> bytes:
    """`detections` by method, all of one video; `truth` may be empty."""
    figure = new_figure(10, 3.2)
    axes = figure.add_subplot()
    for method, detection in detections.items():
        axes.plot(detection.times, detection.probabilities, color=_COLOURS[method], label=method.upper())
        found = detection.boundaries.times
        axes.plot(found, [1.03] * len(found), marker="v", linestyle="none", color=_COLOURS[method], markersize=6)
    for index, time in enumerate(truth):
        axes.axvline(time, color="#d1495b", linestyle="--", linewidth=1.2, label=None if index else "true boundary")
    video = next(iter(detections.values())).boundaries.video
    axes.set(xlabel="seconds", ylabel="probability", ylim=(0, 1.1), title=video)
    axes.legend(fontsize=8, loc="upper right")
    return to_image(figure, format)
