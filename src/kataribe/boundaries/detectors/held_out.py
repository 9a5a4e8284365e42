"""Videos that no window of training comes from: how well boundaries are found in them, by any registered metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kataribe.boundaries.detectors.detector import spread
from kataribe.boundaries.detectors.examples import SampledVideo, pair_features
from kataribe.boundaries.detectors.network import Network
from kataribe.boundaries.detectors.window import EVERY, SIDE
from kataribe.boundaries.files import AnnotatedVideo
from kataribe.boundaries.peaks import run_centres
from kataribe.boundaries.task import TASK, BoundaryOptions
from kataribe.core.options import RunOptions
from kataribe.core.task import OpenReferences
from kataribe.core.types import Floats


@dataclass(frozen=True)
class HeldOut:
    """Videos by id, and the metric that scores them."""

    truth: Mapping[str, AnnotatedVideo]
    metric: str
    seed: int = 0

    def __post_init__(self) -> None:
        self.references()

    @property
    def measure(self) -> str:
        """The metric's full name."""
        return next(iter(TASK.parse([self.metric], BoundaryOptions())))

    @property
    def lower_is_better(self) -> bool:
        return TASK.parse([self.metric], BoundaryOptions())[self.measure].lower_is_better

    def references(self, bootstrap: int = 0) -> OpenReferences[Any, Any, Any, Any]:
        """Read once for all epochs; a metric that is unknown is refused."""
        known = {id: _as_data(video) for id, video in self.truth.items()}
        # Nobody leaves out videos that are held out, however little their annotators agree.
        options, run = BoundaryOptions(min_consistency=0.0), RunOptions(seed=self.seed, bootstrap=bootstrap)
        return OpenReferences(TASK, known, [self.metric], options, run)

    def predictions(self, videos: Mapping[str, SampledVideo], network: Network) -> dict[str, Any]:
        """What the detector would find in each of them."""
        has_frames = all(video.frames for video in self.truth.values())
        found = {}
        for id, video in self.truth.items():
            curve = probabilities(videos[id].features, network)
            centres, peaks = run_centres(curve)
            times = np.interp(centres + SIDE, np.arange(len(videos[id].times)), videos[id].times)
            found[id] = {"boundaries": np.clip(times, 0, video.duration).tolist(), "scores": peaks.tolist()}
            if has_frames:
                known = (np.arange(len(curve), dtype=np.float64) + SIDE) * EVERY
                found[id]["probabilities"] = spread(curve, known, video.frames or 0)
        return found


def probabilities(features: Floats, network: Network) -> Floats:
    """Of every full window of a video."""
    if len(features) < 2 * SIDE:
        return np.zeros(0)
    windows = np.lib.stride_tricks.sliding_window_view(features, 2 * SIDE, axis=0).swapaxes(1, 2)
    return network(pair_features(windows[:, :SIDE], windows[:, SIDE:]))


def _as_data(video: AnnotatedVideo) -> dict[str, Any]:
    annotators = [list(annotator.times) for annotator in video.annotators]
    known = {"duration": video.duration, "fps": video.fps, "num_frames": video.frames, "annotators": annotators}
    return {name: value for name, value in known.items() if value is not None}
