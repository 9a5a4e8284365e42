"""The bootstrap: draw items with replacement, reduce their statistics again, look at the spread.

    interval   value -+ t * spread, on a scale that has no ends; t is Student's, with n - 1 degrees of freedom
    spread     half of what holds the central 68.27% of the replicates (where these are all equal, their standard
               deviation), times sqrt(n / (n - 1))
    scale      log((x - low) / (high - x)) where values have two bounds (of a correlation this is Fisher's z),
               log(x - low) where they have one, x itself where they have none

The central percentiles of the replicates themselves are too narrow with few items, and off to one side where replicates
are biased: BLEU of a draw that repeats items, tau of a draw that ties them. The interval here is centred on the value,
so that it always holds it. How often it holds the truth is measured: `python -m bench intervals`.

Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7(1). Efron, B., Tibshirani, R.
(1993). An introduction to the bootstrap, chapters 12 and 13. Hesterberg, T. (2015). What teachers should know about the
bootstrap. The American Statistician 69(4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kataribe.stats.arrays import Floats

# Replicates per chunk are chosen so that a chunk of weights stays near this many cells (32 MB).
CELLS_PER_CHUNK = 1 << 22

# How the intervals here are made, as signatures name it.
INTERVAL = "studentised"
# Fewer items say next to nothing about how items differ, so there is no interval.
FEWEST_ITEMS = 5

Interval = tuple[float, float]
Bounds = tuple[float, float]
UNBOUNDED: Bounds = (-math.inf, math.inf)
# Of a normal distribution this share lies within one standard deviation.
_CENTRAL_SHARE = 0.6827
# Replicates that are equal on paper differ by rounding.
_ROUNDING = 1e-12


def resample_weights(items: int, replicates: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.float64]]:
    """Chunks of a (replicates x items) table: how often each item was drawn. Each row sums to `items`.

    >>> next(resample_weights(3, 2, np.random.default_rng(0))).sum(axis=1)
    array([3., 3.])
    """
    rows = max(1, CELLS_PER_CHUNK // max(1, items))
    for start in range(0, replicates, rows):
        count = min(rows, replicates - start)
        weights = np.empty((count, items))
        for row in weights:
            row[:] = np.bincount(rng.integers(0, items, items), minlength=items)
        yield weights


def studentised_interval(
    value: float, replicates: Floats, items: int, bounds: Bounds = UNBOUNDED, level: float = 0.95
) -> Interval | None:
    """The interval of a value between bounds, from its replicates; nothing where it is not defined.

    That is: fewer than five items, a replicate without a value, or replicates that are all the same.

    >>> draws = np.random.default_rng(0).normal(0.1, 0.05, 1000)
    >>> [round(end, 2) for end in studentised_interval(0.1, draws, 20)]
    [-0.01, 0.21]
    >>> [round(end, 2) for end in studentised_interval(0.1, draws.clip(0.01), 20, bounds=(0.0, 1.0))]
    [0.03, 0.29]
    """
    if items < FEWEST_ITEMS or not math.isfinite(value) or not len(replicates) or not np.isfinite(replicates).all():
        return None
    if min(value, replicates.min()) < bounds[0] or max(value, replicates.max()) > bounds[1]:
        bounds = UNBOUNDED  # a metric that leaves its bounds has promised too much
    for scale in (_scale_between(bounds), _PLAIN):
        with np.errstate(invalid="ignore", divide="ignore"):
            centre = float(scale.stretch(np.array([value]))[0])
            spread = replicate_spread(scale.stretch(replicates), items)
        # A value at its bound is infinite on a scale without ends.
        if math.isfinite(centre) and math.isfinite(spread):
            return _ends(centre, spread, items, scale, bounds, level) if spread > _ROUNDING else None
    return None


def _ends(centre: float, spread: float, items: int, scale: _Scale, bounds: Bounds, level: float) -> Interval:
    reach = students_t(items, level) * spread
    low, high = scale.shrink(np.array([centre - reach, centre + reach])).tolist()
    return max(bounds[0], low), min(bounds[1], high)


def replicate_spread(replicates: Floats, items: int) -> float:
    """The standard error that replicates show; a few draws without any four-gram match, say, do not move it."""
    if items < 2:
        return math.nan
    tail = (1 - _CENTRAL_SHARE) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    spread = float(high - low) / 2
    if spread <= _ROUNDING:  # most replicates are equal, as those of a rank correlation between three systems
        spread = float(replicates.std(ddof=1)) if len(replicates) > 1 else 0.0
    return spread * math.sqrt(items / (items - 1))


def students_t(items: int, level: float = 0.95) -> float:
    """How many standard errors to either side hold the truth at this level.

    >>> round(students_t(10), 3), round(students_t(100_000), 3)
    (2.262, 1.96)
    """
    from scipy.special import stdtrit  # late, since a run without intervals need not wait for it

    return float(stdtrit(items - 1, (1 + level) / 2))


class _Scale(NamedTuple):
    stretch: Callable[[Floats], Floats]
    shrink: Callable[[Floats], Floats]


_PLAIN = _Scale(lambda values: values, lambda stretched: stretched)


def _scale_between(bounds: Bounds) -> _Scale:
    low, high = bounds
    if math.isfinite(low) and math.isfinite(high):
        width = high - low
        return _Scale(
            lambda values: np.log(values - low) - np.log(high - values),
            lambda stretched: low + width / (1 + np.exp(-stretched)),
        )
    if math.isfinite(low):
        return _Scale(lambda values: np.log(values - low), lambda stretched: low + np.exp(stretched))
    return _PLAIN
