"""How far from a true boundary a prediction may lie and still be right.

0.05          a fraction of the video's duration
0.5s          seconds
0.1+0.2       several: the score is the mean over them
mean          0.05+0.1+...+0.5, the published benchmark's average
tight, loose  1s+2s+...+5s and 5s+10s+...+60s, as action spotting averages them
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kataribe.core.types import Floats, Int64s

_NAMED = {
    "mean": "+".join(f"{step * 5 / 100:g}" for step in range(1, 11)),
    "tight": "+".join(f"{step}s" for step in range(1, 6)),
    "loose": "+".join(f"{step}s" for step in range(5, 61, 5)),
}


@dataclass(frozen=True)
class Distance:
    """One tolerance.

    >>> str(Distance(0.05)), str(Distance(0.5, in_seconds=True))
    ('0.05', '0.5s')
    """

    size: float
    in_seconds: bool = False

    def of(self, durations: Floats) -> Floats:
        """In the unit of the durations, for each of them."""
        return durations * 0 + self.size if self.in_seconds else durations * self.size

    def in_frames(self, frames: Int64s, fps: Floats) -> Floats:
        """In frames, for videos of so many frames. A hair is added: 5% of 300 frames must not become 14.999."""
        base = fps if self.in_seconds else frames.astype(np.float64)
        return self.size * base + 1e-9

    def __str__(self) -> str:
        return f"{self.size:g}{'s' * self.in_seconds}"


class Tolerance:
    """One distance or several, as written in a metric's name.

    >>> Tolerance("0.05").distances, str(Tolerance("0.5s+1s"))
    ((Distance(size=0.05, in_seconds=False),), '0.5s+1s')
    >>> len(Tolerance("mean").distances), str(Tolerance("mean"))
    (10, 'mean')
    """

    def __init__(self, text: str) -> None:
        self.distances = tuple(_distance(part.strip()) for part in _NAMED.get(text, text).split("+"))
        text_of_all = "+".join(map(str, self.distances))
        self._text = next((name for name, meaning in _NAMED.items() if meaning == text_of_all), text_of_all)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Tolerance({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tolerance) and self.distances == other.distances

    def __hash__(self) -> int:
        return hash(self.distances)


def _distance(text: str) -> Distance:
    size = float(text.removesuffix("s"))
    if not math.isfinite(size) or size < 0:
        raise ValueError(f"{text!r} is not a tolerance")
    return Distance(size, text.endswith("s"))
