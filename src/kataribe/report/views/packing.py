"""What a page shows, rounded, so that the page stays small."""

from __future__ import annotations

import math
from collections.abc import Iterable

# Enough for a score times 100 with three decimals, and for a time in milliseconds.
_SCORE_DIGITS, _TIME_DIGITS = 5, 3


def packed_scores(values: Iterable[float | None]) -> list[float | None]:
    """
    >>> packed_scores([0.123456789, float("nan"), None])
    [0.12346, None, None]
    """
    return [None if value is None or math.isnan(value) else round(value, _SCORE_DIGITS) for value in values]


def packed_time(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, _TIME_DIGITS)
