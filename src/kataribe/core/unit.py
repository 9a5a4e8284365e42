"""What a value is: whether higher or lower is better, and whether it is a fraction or a plain number.

Both travel with every result. Values stay as they are everywhere; only where one is printed or drawn does its unit
decide how: a fraction is shown times 100, a number (a perplexity, say) as it is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from kataribe.core.metric import Metric

Direction = Literal["higher", "lower"]
Unit = Literal["fraction", "number"]

V = TypeVar("V", float, npt.NDArray[np.float64])

_SHOWN_TIMES: dict[Unit, float] = {"fraction": 100.0, "number": 1.0}


def direction_of(metric: Metric) -> Direction:
    return "lower" if metric.lower_is_better else "higher"


def unit_of(metric: Metric) -> Unit:
    return "fraction" if metric.percent else "number"


def checked(written: str, choices: Any) -> Any:
    """A direction or a unit as a file has it; anybody may have edited the file."""
    if written not in get_args(choices):
        raise ValueError(f"{written!r} is none of {get_args(choices)}")
    return written


def shown(value: V, unit: Unit) -> V:
    """
    >>> shown(0.5, "fraction"), shown(31.2, "number")
    (50.0, 31.2)
    """
    return _SHOWN_TIMES[unit] * value


def shown_text(value: float | None, unit: Unit) -> str:
    """A score that does not exist (of people, where there was only one) is a dash.

    >>> shown_text(0.12345, "fraction"), shown_text(float("nan"), "number"), shown_text(None, "number")
    ('12.35', '-', '')
    """
    if value is None:
        return ""
    return "-" if math.isnan(value) else f"{shown(value, unit):.2f}"
