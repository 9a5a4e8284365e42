"""Reading what results contain, strictly, and rounding what a page shows, so that it stays small."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from kataribe.core.errors import InputError

T = TypeVar("T")

# Enough for a score times 100 with three decimals, and for a time in milliseconds.
_SCORE_DIGITS, _TIME_DIGITS = 5, 3


def read_as(data: Any, type: type[T], system: str, field: str) -> T:
    """A part of a result as typed values; a file that was edited by hand may hold anything."""
    try:
        return msgspec.convert(data, type)
    except msgspec.ValidationError as error:
        raise InputError(
            f"cannot be shown ({error})", file=system, field=field, hint="score it again with -o"
        ) from None


def packed_scores(values: Iterable[float | None]) -> list[float | None]:
    """
    >>> packed_scores([0.123456789, float("nan"), None])
    [0.12346, None, None]
    """
    return [None if value is None or math.isnan(value) else round(value, _SCORE_DIGITS) for value in values]


def packed_time(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, _TIME_DIGITS)
