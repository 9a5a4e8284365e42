"""PA, predictability: a boundary is where what comes next is least like what came before. No training.

    d(t)    = 1 - cos(mean features of the 5 sampled frames before t, mean of the 5 after); every 3rd frame is sampled
    r(t, s) = s^2 times the Laplacian of Gaussian of -d, s sampled frames wide
    boundaries = local maxima over t of the highest r(t, s), s = 2 ... 15; confidence = d there

Shou, M. Z., Lei, S. W., Wang, W., Ghadiyaram, D., Feiszli, M. (2021). Generic event boundary detection: a benchmark
for event segmentation. ICCV.
Lindeberg, T. (1998). Feature detection with automatic scale selection. IJCV 30(2).

Choices. The paper puts boundaries where the gradient of r turns from negative to positive, that is at minima; with
-d filtered by the second derivative of a Gaussian a peak of d becomes a maximum of r, and on a clip with one hard cut
only the maxima find it. So maxima it is.

The paper has one scale, s = 15: 1.5 seconds at 30 frames a second, in which the cuts of an edited clip melt into one.
Here every change has its own: of the scales, each normalised by s^2, the one that answers most. A cut answers at the
smallest, a slow dissolve at a wide one. A wide change that holds a stronger one is left out. Near the ends of the video
fewer frames are compared, down to 2 before and 2 after.

Confidence is the distance itself, as in the paper's average precision: it means the same in every video, and a still
one has no boundary to be sure of. How great distances are depends on the backbone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from scipy.ndimage import gaussian_laplace

from kataribe.boundaries.detectors.detector import Found, spread
from kataribe.boundaries.detectors.window import Sampler, Window
from kataribe.boundaries.peaks import local_maxima
from kataribe.core.types import Floats, Int64s
from kataribe.media.video import Picture, Timeline

PAPER_SIGMA = 15.0
SCALES = (2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 15.0)
# Of normalised responses: a bump of the cosine distance of about 0.013. A camera's noise and a talking head stay below.
_LEAST = 0.005
# At one scale, maxima below a tenth of the highest one are noise beside a peak.
_RIPPLE = 0.1
# Near the ends of the video so many sampled frames are enough on each side.
_FEWEST = 2
# Below this nothing has changed: the same picture, coded twice.
_SAME = 1e-4


@dataclass(frozen=True)
class Predictability:
    """`sigma` fixes the scale; `reaches_ends` compares fewer frames near the ends of the video."""

    name: ClassVar[str] = "pa"

    sampler: Sampler
    sigma: float | None = None
    reaches_ends: bool = True
    distance: Literal["cosine", "squared"] = "cosine"

    @classmethod
    def of_the_paper(cls, sampler: Sampler, sigma: float | None = None) -> Predictability:
        return cls(sampler, sigma or PAPER_SIGMA, reaches_ends=False)

    def watch(self) -> _Watch:
        return _Watch(self)

    def peaks(self, curve: Floats) -> Int64s:
        if self.sigma is not None:
            return extrema(curve, self.sigma)
        return changes(curve, _LEAST if self.distance == "cosine" else None)


@dataclass(frozen=True)
class _Watch:
    detector: Predictability
    window: Window = field(default_factory=Window)
    curve: list[float] = field(default_factory=list)

    def see(self, picture: Picture) -> None:
        features = self.detector.sampler(picture)
        if features is None:
            return
        is_full, half = self.window.push(features), self.window.seen // 2
        if is_full:
            self._compare(self.window.side)
        elif self.detector.reaches_ends and self.window.seen % 2 == 0 and half >= _FEWEST:
            self._compare(half)

    def find(self, timeline: Timeline) -> Found:
        if self.detector.reaches_ends:
            for side in range(min(self.window.side, (self.window.seen + 1) // 2) - 1, _FEWEST - 1, -1):
                self._compare(side)
        curve = np.array(self.curve)
        # The number of sampled frames before the first comparison, and one more before each that follows.
        first = _FEWEST if self.detector.reaches_ends else self.window.side
        frames = (np.arange(len(curve)) + first) * self.detector.sampler.every
        peaks = self.detector.peaks(curve)
        times = timeline.times[frames[peaks]] if len(peaks) else np.zeros(0)
        probabilities = np.clip(spread(curve, frames.astype(np.float64), timeline.frames), 0, 1)
        return Found(times, _height(curve, peaks), probabilities)

    def _compare(self, side: int) -> None:
        """The last `side` sampled frames with as many before them."""
        vectors = np.stack(self.window.vectors)
        before, after = vectors[-2 * side : -side].mean(axis=0), vectors[-side:].mean(axis=0)
        self.curve.append(_DISTANCES[self.detector.distance](before, after))


def changes(curve: Floats, least: float | None = _LEAST) -> Int64s:
    """Where change is greatest, each at its own scale. Less than `least`, or than a tenth of the most, is too little.

    >>> change = np.zeros(100)
    >>> change[20:25], change[30:35], change[60:81] = 1.0, 0.8, 0.5
    >>> changes(change).tolist()
    [22, 32, 70]
    """
    if len(curve) < 3 or curve.max() < _SAME:
        return np.zeros(0, dtype=np.int64)
    responses = np.stack([scale**2 * _response(curve, scale) for scale in SCALES])
    response, scale = responses.max(axis=0), np.array(SCALES)[responses.argmax(axis=0)]
    peaks = local_maxima(response)
    peaks = peaks[response[peaks] > (_RIPPLE * response.max() if least is None else least)]
    kept: list[int] = []
    for peak in peaks[np.argsort(-response[peaks], kind="stable")]:
        if all(abs(peak - other) >= scale[peak] for other in kept):
            kept.append(int(peak))
    return np.array(sorted(kept), dtype=np.int64)


def extrema(curve: Floats, sigma: float) -> Int64s:
    """Where change is greatest at one scale.

    >>> change = np.zeros(100)
    >>> change[40:45] = 1.0
    >>> extrema(change, sigma=5.0).tolist()
    [42]
    """
    if len(curve) < 3 or curve.max() < _SAME:
        return np.zeros(0, dtype=np.int64)
    response = _response(curve, sigma)
    peaks = local_maxima(response)
    return peaks[response[peaks] > _RIPPLE * max(response[peaks], default=0.0)]


def _response(curve: Floats, sigma: float) -> Floats:
    # The curve is continued with its end values: a mirror image would double a change near the ends.
    response: Floats = gaussian_laplace(-curve, sigma, mode="nearest")
    return response


def _height(curve: Floats, peaks: Int64s) -> Floats:
    """The curve's height at peaks that the filter may have moved by one."""
    if not len(peaks):
        return np.zeros(0)
    around = np.clip(peaks[:, None] + np.array([-1, 0, 1]), 0, len(curve) - 1)
    height: Floats = curve[around].max(axis=1)
    return np.maximum(height, 0.0)


def _cosine(before: Floats, after: Floats) -> float:
    norms = np.linalg.norm(before) * np.linalg.norm(after)
    return float(1 - before @ after / norms) if norms > 0 else 0.0


def _squared(before: Floats, after: Floats) -> float:
    return float(np.mean((before - after) ** 2))


_DISTANCES = {"cosine": _cosine, "squared": _squared}
