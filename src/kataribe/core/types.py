"""The small frozen values that every task shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """One number and the parts it is made of. Values are fractions; tables show them times 100.

    >>> Score(0.5, {"precision": 0.4, "recall": 0.667}).parts["precision"]
    0.4
    """

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class Coverage:
    """How much of the data was there to be scored; nothing partial is scored silently."""

    references: int
    predicted: int
    scored: int
    missing: int = 0
    extra: int = 0
    empty: int = 0


@dataclass(frozen=True)
class Boundaries:
    """Where one video changes, in seconds and in order; `scores`, if there are any, say how sure each one is.

    >>> Boundaries("clip", 10.0, (2.0, 7.5)).relative
    (0.2, 0.75)
    """

    video: str
    duration: float
    times: tuple[float, ...]
    scores: tuple[float, ...] | None = None

    @property
    def relative(self) -> tuple[float, ...]:
        """The times as fractions of the video."""
        return tuple(time / self.duration for time in self.times)

    def __len__(self) -> int:
        return len(self.times)
