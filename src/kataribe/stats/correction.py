"""Many tests at once: p-values corrected so that the best of many lucky draws is not taken for a discovery.

holm   the chance of even one false discovery stays below the level. Holm, S. (1979). A simple sequentially
       rejective multiple test procedure. Scandinavian Journal of Statistics 6(2).
bh     the expected share of false ones among the discoveries stays below the level. Benjamini, Y., Hochberg, Y.
       (1995). Controlling the false discovery rate. Journal of the Royal Statistical Society B 57(1).
none   as they are

A test without a p-value (not a number) is none of the tests: it stays without one and the others are corrected as if it
had not been made.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kataribe.stats.arrays import Floats


def holm(p: Floats) -> Floats:
    """
    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = _defined_in_order(p)
    scaled = p[order] * np.arange(len(order), 0, -1)
    return _restore(np.maximum.accumulate(scaled), order, len(p))


def benjamini_hochberg(p: Floats) -> Floats:
    """
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    order = _defined_in_order(p)
    scaled = p[order] * len(order) / np.arange(1, len(order) + 1)
    return _restore(np.minimum.accumulate(scaled[::-1])[::-1], order, len(p))


def _defined_in_order(p: Floats) -> npt.NDArray[np.intp]:
    """NaN is sorted last."""
    return np.argsort(p)[: np.count_nonzero(np.isfinite(p))]


def _restore(ordered: Floats, order: npt.NDArray[np.intp], count: int) -> Floats:
    corrected = np.full(count, np.nan)
    corrected[order] = np.minimum(ordered, 1.0)
    return corrected


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {"holm": holm, "bh": benjamini_hochberg, "none": np.copy}
