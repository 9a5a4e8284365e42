"""Correlations within many small groups at once, such as the few texts of each of thousands of items."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from kataribe.stats.arrays import Floats, Int64s
from kataribe.stats.choices import STATISTICS, Statistic
from kataribe.stats.correlation import Rows

# Pairs of a larger group are counted by sorting, one group at a time; those of smaller ones are written out.
_LARGEST_SPELLED = 200
_CELLS_AT_ONCE = 1 << 22


def grouped_correlations(x: Floats, y: Floats, groups: Int64s, count: int) -> dict[Statistic, Floats]:
    """Every statistic of each of `count` groups of rows; NaN where it is not defined.

    >>> x, y = np.array([1.0, 2.0, 3.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0, 5.0, 4.0])
    >>> grouped_correlations(x, y, np.array([0, 0, 0, 1, 1]), 3)["spearman"].tolist()
    [0.5, -1.0, nan]
    """
    found: dict[Statistic, Floats] = {name: np.full(count, np.nan) for name in STATISTICS}
    order = np.argsort(groups, kind="stable")
    bounds = np.searchsorted(groups[order], np.arange(count + 1))
    sizes = np.diff(bounds)
    for size in np.unique(sizes[sizes > 1]).tolist():
        members = np.flatnonzero(sizes == size)
        at_once = max(1, _CELLS_AT_ONCE // size**2) if size <= _LARGEST_SPELLED else 1
        for start in range(0, len(members), at_once):
            chosen = members[start : start + at_once]
            rows = order[bounds[chosen][:, None] + np.arange(size)]
            for name, values in _of_equal_size(x[rows], y[rows]).items():
                found[name][chosen] = values
    return found


def _of_equal_size(x: Floats, y: Floats) -> dict[Statistic, Floats]:
    """Each row of x and y is a group."""
    size = x.shape[1]
    if size > _LARGEST_SPELLED:
        return {name: np.array([value]) for name, value in Rows(x[0], y[0]).values().items()}
    one, other = np.triu_indices(size, 1)
    dx, dy = np.sign(x[:, one] - x[:, other]), np.sign(y[:, one] - y[:, other])
    untied_x, untied_y = np.abs(dx).sum(axis=1), np.abs(dy).sum(axis=1)
    balance = (dx * dy).sum(axis=1)
    levels = np.minimum(_distinct(x), _distinct(y))
    with np.errstate(invalid="ignore", divide="ignore"):
        values: dict[Statistic, Floats] = {
            "pearson": _pearson(x, y),
            "spearman": _pearson(rankdata(x, axis=1), rankdata(y, axis=1)),
            "tau_b": balance / np.sqrt(untied_x * untied_y),
            "tau_c": 2 * balance / size**2 * levels / (levels - 1),
        }
    return {name: np.where(levels > 1, found, np.nan) for name, found in values.items()}


def _distinct(values: Floats) -> Int64s:
    steps: Int64s = np.count_nonzero(np.diff(np.sort(values, axis=1), axis=1), axis=1)
    return steps + 1


def _pearson(x: Floats, y: Floats) -> Floats:
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    correlation: Floats = (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return correlation.clip(-1.0, 1.0)
