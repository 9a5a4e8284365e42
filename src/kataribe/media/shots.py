"""Hard cuts: two neighbouring frames whose colours have little in common. A shot lies between two cuts.

    h(t)  = colour histogram of frame t, in 2 x 2 regions;  d(t) = half the L1 distance of h(t - 1) and h(t), 0 to 1
    cut before frame t if d(t) > 0.25 and d(t) > 3 times the mean of d in the frames around

Cotsaces, C., Nikolaidis, N., Pitas, I. (2006). Video shot detection and condensed representation: a review. IEEE
Signal Processing Magazine 23(2).

The second condition keeps flicker, fast motion and dissolves out, in which many neighbouring distances are large.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.ndimage import uniform_filter1d

from kataribe.core.types import Floats, Int64s, Segment
from kataribe.media.video import Picture, Pixels, Size, Timeline, pictures

THRESHOLD, CONTRAST = 0.25, 3.0
_SIZE: Size = (64, 64)
_BINS, _AROUND = 16, 12


@dataclass
class ColourChange:
    """d(t) of the pictures seen so far; the first one has 0."""

    _last: Floats | None = None
    _distances: list[float] = field(default_factory=list)

    def see(self, picture: Picture) -> None:
        histogram = _histogram(picture.rgb(_SIZE))
        # An unchanged region adds nothing, a wholly changed one its share.
        moved = 0.0 if self._last is None else float(np.abs(histogram - self._last).sum() / 2)
        self._distances.append(moved)
        self._last = histogram

    @property
    def curve(self) -> Floats:
        return np.array(self._distances)


def hard_cuts(curve: Floats, threshold: float = THRESHOLD, contrast: float = CONTRAST) -> Int64s:
    """The indices of frames that begin a shot; the first frame of the video is not among them.

    >>> hard_cuts(np.array([0.0, 0.02, 0.7, 0.01, 0.03])).tolist()
    [2]
    """
    width = 2 * _AROUND + 1
    # The mean of the neighbours, without the frame itself.
    around = (uniform_filter1d(curve, width, mode="constant") * width - curve) / (width - 1)
    return np.flatnonzero((curve > threshold) & (curve > contrast * around))


def find_shots(path: Path, threshold: float = THRESHOLD, contrast: float = CONTRAST) -> list[Segment]:
    """The shots of a video file, in seconds; together they cover it."""
    change, times = ColourChange(), []
    for picture in pictures(path):
        times.append(picture.time)
        change.see(picture)
    timeline = Timeline.of(times)
    cuts = timeline.times[hard_cuts(change.curve, threshold, contrast)].tolist()
    return [Segment(start, end) for start, end in zip([0.0, *cuts], [*cuts, timeline.duration], strict=True)]


def _histogram(pixels: Pixels) -> Floats:
    """All regions and channels in one vector that sums to 1."""
    height, width, _ = pixels.shape
    region = (np.arange(height) * 2 // height)[:, None] * 2 + np.arange(width) * 2 // width
    cells = (region[..., None] * 3 + np.arange(3)) * _BINS + pixels // (256 // _BINS)
    return np.bincount(cells.ravel(), minlength=4 * 3 * _BINS) / pixels.size
