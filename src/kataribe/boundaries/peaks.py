"""From a curve over frames to single boundaries."""

from __future__ import annotations

import numpy as np

from kataribe.core.types import Floats, Int64s

THRESHOLD = 0.5


def run_centres(curve: Floats, threshold: float = THRESHOLD) -> tuple[Floats, Floats]:
    """The centre of each run of frames above the threshold, and the highest value in it.

    >>> run_centres(np.array([0.1, 0.6, 0.9, 0.7, 0.2, 0.8]))
    (array([2., 5.]), array([0.9, 0.8]))
    """
    above = np.concatenate([[False], curve > threshold, [False]])
    starts, ends = np.flatnonzero(~above[:-1] & above[1:]), np.flatnonzero(above[:-1] & ~above[1:])
    if not len(starts):
        return np.zeros(0), np.zeros(0)
    peaks = np.array([curve[start:end].max() for start, end in zip(starts, ends, strict=True)])
    return (starts + ends - 1) / 2, peaks


def local_maxima(curve: Floats) -> Int64s:
    """The frames at which the curve stops rising and falls; the middle one of a flat top. Ends are no maxima.

    >>> local_maxima(np.array([0.0, 1.0, 0.0, 2.0, 2.0, 2.0, 1.0])).tolist()
    [1, 4]
    """
    if len(curve) < 3:
        return np.zeros(0, dtype=np.int64)
    steps = np.sign(np.diff(curve))
    moving = np.flatnonzero(steps)
    turns = np.flatnonzero((steps[moving][:-1] > 0) & (steps[moving][1:] < 0))
    return (moving[turns] + 1 + moving[turns + 1]) // 2
