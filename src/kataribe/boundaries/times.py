"""Lists of times, stretched to other durations or put on frames."""

from __future__ import annotations

import numpy as np

from kataribe.core.ragged import Ragged
from kataribe.core.types import Floats, Int64s


def scaled(lists: Ragged, factors: Floats) -> Ragged:
    """Every time multiplied by its list's factor.

    >>> scaled(Ragged.of([[1.0, 2.0], [3.0]]), np.array([10.0, 2.0])).values.tolist()
    [10.0, 20.0, 6.0]
    """
    return lists.with_values(lists.values * lists.spread(factors))


def on_frames(lists: Ragged, fps: Floats, frames: Int64s) -> Ragged:
    """Seconds as the nearest frames, inside the video; each list with its own fps and number of frames.

    >>> on_frames(Ragged.of([[0.52, 9.9]]), np.array([10.0]), np.array([50])).values.tolist()
    [5.0, 49.0]
    """
    nearest = np.rint(scaled(lists, fps).values)
    return lists.with_values(np.clip(nearest, 0, lists.spread(np.maximum(frames - 1, 0))))
