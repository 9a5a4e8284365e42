"""Hard cuts: two neighbouring frames whose colours have little in common. A shot lies between two cuts.

    h(t)  = colour histogram of frame t, in 2 x 2 regions;  d(t) = half the L1 distance of h(t - 1) and h(t), 0 to 1
    cut before frame t if d(t) > 0.25 and d(t) > 3 times the mean of d in the frames around

Cotsaces, C., Nikolaidis, N., Pitas, I. (2006). Video shot detection and condensed representation: a review. IEEE
Signal Processing Magazine 23(2).

The second condition keeps flicker, fast motion and dissolves out, in which many neighbouring distances are large.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import uniform_filter1d

from kataribe.core.types import Floats, Int64s, Segment
from kataribe.media.stage import Arrays, Chunk, is_due, run_through
from kataribe.media.video import Picture, Pixels, Size, Timeline, pictures

THRESHOLD, CONTRAST = 0.25, 3.0
_SIZE: Size = (64, 64)
_BINS, _AROUND = 16, 12


@dataclass
class ColourChange:
    """d(t) of the pictures seen so far; the first one has 0 unless `last`, a histogram, came before it."""

    last: Floats | None = None
    _distances: list[float] = field(default_factory=list)

    def see(self, picture: Picture) -> None:
        histogram = _histogram(picture.rgb(_SIZE))
        # An unchanged region adds nothing, a wholly changed one its share.
        moved = 0.0 if self.last is None else float(np.abs(histogram - self.last).sum() / 2)
        self._distances.append(moved)
        self.last = histogram

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


@dataclass(frozen=True)
class Shots:
    """The stage: d(t) of every frame, then cuts; its value is the shots, which together cover the film."""

    threshold: float = THRESHOLD
    contrast: float = CONTRAST

    @property
    def name(self) -> str:
        return "shots"

    @property
    def recipe(self) -> Mapping[str, Any]:
        return asdict(self)

    def chunks(self, video: Path, last: Chunk | None) -> Iterator[Chunk]:
        change = ColourChange() if last is None else ColourChange(last.state["histogram"])
        times: list[float] = []
        for picture in pictures(video, None if last is None else last.until, skip_broken=True):
            if times and is_due(picture.time, times[-1]):
                yield _chunk(times, change)
                change, times = ColourChange(change.last), []
            times.append(picture.time)
            change.see(picture)
        if times:
            yield _chunk(times, change)

    def conclude(self, rows: Arrays) -> Arrays:
        cut = hard_cuts(rows["change"], self.threshold, self.contrast)
        duration = Timeline.of(rows["time"].tolist()).duration
        return {**rows, "cut": rows["time"][cut], "duration": np.array(duration)}

    def value(self, arrays: Arrays) -> list[Segment]:
        cuts = arrays["cut"].tolist()
        return [
            Segment(start, end) for start, end in zip([0.0, *cuts], [*cuts, float(arrays["duration"])], strict=True)
        ]


def find_shots(path: Path, threshold: float = THRESHOLD, contrast: float = CONTRAST) -> list[Segment]:
    """The shots of a video file, in seconds; together they cover it."""
    return run_through(Shots(threshold, contrast), path)


def cuts(path: Path, threshold: float = THRESHOLD, contrast: float = CONTRAST) -> list[float]:
    """The seconds at which a new shot begins; the start of the film is not among them."""
    return [shot.start for shot in find_shots(path, threshold, contrast)[1:]]


def _chunk(times: list[float], change: ColourChange) -> Chunk:
    state = {} if change.last is None else {"histogram": change.last}
    return Chunk(times[-1], {"time": np.array(times), "change": change.curve}, state)


def _histogram(pixels: Pixels) -> Floats:
    """All regions and channels in one vector that sums to 1."""
    height, width, _ = pixels.shape
    region = (np.arange(height) * 2 // height)[:, None] * 2 + np.arange(width) * 2 // width
    cells = (region[..., None] * 3 + np.arange(3)) * _BINS + pixels // (256 // _BINS)
    return np.bincount(cells.ravel(), minlength=4 * 3 * _BINS) / pixels.size
