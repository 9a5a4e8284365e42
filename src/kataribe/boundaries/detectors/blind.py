"""Uniform and Random as detectors: the floor that any other one must leave. They count frames and look at none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kataribe import _native
from kataribe.boundaries.detectors.detector import Found
from kataribe.core.types import Floats
from kataribe.media.video import Picture, Timeline

# The width of the Gaussian that the paper puts on each boundary to make a curve.
_SIGMA_FRAMES = 5.0


@dataclass(frozen=True)
class Blind:
    name: Literal["uniform", "random"]
    count: int
    seed: int = 0

    def watch(self) -> Blind:
        return self

    def see(self, picture: Picture) -> None:
        pass

    def find(self, timeline: Timeline) -> Found:
        times = self._times(timeline)
        frames = np.searchsorted(timeline.times, times).clip(0, timeline.frames - 1).astype(np.float64)
        offsets, length = np.array([0, len(times)]), np.array([timeline.frames])
        curve = _native.boundary_density((frames, offsets), np.ones(len(times)), length, _SIGMA_FRAMES)
        return Found(times, np.ones(len(times)), curve)

    def _times(self, timeline: Timeline) -> Floats:
        if self.name == "uniform":
            return timeline.duration * np.arange(1, self.count + 1) / (self.count + 1)
        count = min(self.count, timeline.frames)
        drawn = np.random.default_rng(self.seed).choice(timeline.frames, count, replace=False)
        return timeline.times[np.sort(drawn)]
