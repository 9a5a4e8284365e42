"""PA, predictability: a boundary is where what comes next is least like what came before. No training.

    d(t) = 1 - cos(mean features of the 5 sampled frames before t, mean of the 5 after); every 3rd frame is sampled
    r    = Laplacian of Gaussian of -d, sigma 15 sampled frames;  boundaries = local maxima of r

Shou, M. Z., Lei, S. W., Wang, W., Ghadiyaram, D., Feiszli, M. (2021). Generic event boundary detection: a benchmark
for event segmentation. ICCV.
Lindeberg, T. (1998). Feature detection with automatic scale selection. IJCV 30(2).

Choices. The paper puts boundaries where the gradient of r turns from negative to positive, that is at minima; with
-d filtered by the second derivative of a Gaussian a peak of d becomes a maximum of r, and on a clip with one hard cut
only the maxima find it. So maxima it is. Maxima below a tenth of the highest are ripples beside a peak and are left
out. Confidence is r over its highest value; the curve is d, as in the paper's average precision.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from scipy.ndimage import gaussian_laplace

from kataribe.boundaries.detectors.detector import Found, spread
from kataribe.boundaries.detectors.video import Picture, Timeline
from kataribe.boundaries.detectors.window import Sampler, Window
from kataribe.boundaries.peaks import local_maxima
from kataribe.core.types import Floats

SIGMA = 15.0
_RIPPLE = 0.1
# Below this nothing has changed: the same picture, coded twice.
_SAME = 1e-4


@dataclass
class Predictability:
    name: ClassVar[str] = "pa"

    sampler: Sampler
    sigma: float = SIGMA
    distance: Literal["cosine", "squared"] = "cosine"
    _window: Window = field(default_factory=Window)
    _curve: list[float] = field(default_factory=list)

    def see(self, picture: Picture) -> None:
        features = self.sampler(picture)
        if features is not None and self._window.push(features):
            before, after = (side.mean(axis=0) for side in self._window.sides)
            self._curve.append(_DISTANCES[self.distance](before, after))

    def find(self, timeline: Timeline) -> Found:
        curve = np.array(self._curve)
        # Window number i has its middle before sampled frame side + i.
        places = (np.arange(len(curve)) + self._window.side) * self.sampler.every
        peaks, scores = extrema(curve, self.sigma)
        times = timeline.times[places[peaks]] if len(peaks) else np.zeros(0)
        return Found(times, scores, np.clip(spread(curve, places.astype(np.float64), timeline.frames), 0, 1))


def extrema(curve: Floats, sigma: float) -> tuple[np.ndarray, Floats]:
    """Where change is greatest, and how great beside the greatest.

    >>> change = np.zeros(100)
    >>> change[40:45] = 1.0
    >>> extrema(change, sigma=5.0)[0].tolist()
    [42]
    """
    if len(curve) < 3 or curve.max() < _SAME:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    # Beyond its ends the curve is taken as still: a mirror image would double a change near them.
    response = gaussian_laplace(-curve, sigma, mode="nearest")
    peaks = local_maxima(response)
    highest = max(response[peaks], default=0.0)
    if highest <= 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    scores = response[peaks] / highest
    kept = scores > _RIPPLE
    return peaks[kept], scores[kept]


def _cosine(before: Floats, after: Floats) -> float:
    norms = np.linalg.norm(before) * np.linalg.norm(after)
    return float(1 - before @ after / norms) if norms > 0 else 0.0


def _squared(before: Floats, after: Floats) -> float:
    return float(np.mean((before - after) ** 2))


_DISTANCES = {"cosine": _cosine, "squared": _squared}
