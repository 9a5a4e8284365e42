"""Videos for `tests/test_every_metric.py`: silent ones, missing ones, lone annotators, equal scores, odd names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.boundaries.files import read_predictions, read_truth
from kataribe.boundaries.items import Videos
from kataribe.boundaries.join import join
from kataribe.core import registry
from kataribe.core.metric import Metric

_ANNOTATORS = ("max", "confident", "mean", "majority")

# A case may end in what its predictions have: times alone, or a probability for each frame; otherwise confidences.
VARIANTS = {
    "boundary_f1": [
        *(f"boundary_f1({annotator})" for annotator in _ANNOTATORS),
        "boundary_f1(mean, mean, matching=optimal, average=macro, edge=open)",
    ],
    "chance_f1": [
        "chance_f1",
        "chance_f1(mean, 0.05+1s)",
        "chance_f1(majority, null=uniform)",
        "chance_f1(confident, null=random, draws=3)",
    ],
    "boundary_kappa": [
        *(f"boundary_kappa({annotator}, trials=3)" for annotator in _ANNOTATORS),
        "boundary_kappa(mean, 0.05+1s, others=5, trials=2) of times",
    ],
    "boundary_ap": [
        *(f"boundary_ap({annotator})" for annotator in _ANNOTATORS),
        "boundary_ap(max, 0.5s, average=video, trials=2) of times",
        "boundary_ap(mean, 0.05, edge=open) of curves",
    ],
    "frame_ap": [
        *(f"frame_ap({annotator}, trials=2)" for annotator in _ANNOTATORS),
        "frame_ap(mean, 0.05+1s, average=video) of times",
        "frame_ap of curves",
    ],
    "informedness": [f"informedness({annotator})" for annotator in _ANNOTATORS],
    "pk": [f"pk({annotator})" for annotator in _ANNOTATORS],
    "window_diff": [f"window_diff({annotator})" for annotator in _ANNOTATORS],
    "boundary_deviation": [
        *(f"boundary_deviation({annotator})" for annotator in _ANNOTATORS[:3]),
        "boundary_deviation(unit=seconds)",
    ],
}


def case(spec: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Metric, Videos]:
    written, _, content = spec.partition(" of ")
    return registry.parse(written), videos(content)


def videos(content: str, count: int = 40) -> Videos:
    """Predictions are somewhat like the annotators, who more or less agree; durations and frame rates differ."""
    rng = np.random.default_rng(11)
    truth: dict[str, Any] = {}
    predictions: dict[str, Any] = {}
    for number in range(count):
        id = f"{'vïdéo' if number % 3 else '動画'} {(number * 17) % count}"
        duration, fps = float(rng.uniform(4, 20)), float(rng.choice([5.0, 12.5, 30.0]))
        scene = np.sort(rng.uniform(0, duration, rng.integers(0, 7)))
        annotators = [_seen(scene, duration, rng) for _ in range(rng.integers(1, 6))]
        truth[id] = {"duration": duration, "fps": fps, "annotators": annotators}
        times = _seen(np.append(scene, rng.uniform(0, duration, 2)), duration, rng) if number % 8 else []
        if content == "curves":
            frames = int(np.rint(duration * fps))
            truth[id]["num_frames"] = frames
            # Few different probabilities, so that many frames of different videos are equal.
            predictions[id] = {"probabilities": rng.integers(0, 8, frames) / 8}
        elif content == "times":
            predictions[id] = times
        elif number % 13:  # the others have no prediction at all
            predictions[id] = [[time, float(rng.integers(0, 10)) / 10] for time in times]
    return join(read_predictions(predictions), read_truth(truth), "zero", "seconds", 0.0)[0]


def _seen(scene: np.ndarray, duration: float, rng: np.random.Generator) -> list[float]:
    seen = scene[rng.random(len(scene)) < 0.8]
    return np.sort(np.clip(seen + rng.normal(0, 0.03 * duration, len(seen)), 0, duration)).round(2).tolist()
