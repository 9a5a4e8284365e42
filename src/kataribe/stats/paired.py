"""Two systems on the same items: is the difference more than luck?

A system is given as a function of weights: how often each item counts -> the system's value. Whatever is a function
of weighted items (a mean, a ratio of sums, BLEU) can be tested, and nothing is scored again. Many systems share the
draws of one bootstrap, so that each is measured once and not once for every partner.

    bootstrap    draw items with replacement, the same for both; interval and p come from the spread of the differences,
                 measured against Student's t: p <= 0.05 where the 95% interval leaves 0 out
    permutation  swap the two systems' rows at random, item by item; p = share of swaps that give a difference at
                 least as large. With few items every swap is tried, and p is exact.
    effect       the difference in units of what a single item contributes to its spread (by the jackknife). Of a mean
                 over items this is Cohen's d of paired items; of a corpus score it always has the difference's sign.

Both p are two-sided. What is not defined (with one item, or without a difference) is NaN.

Koehn, P. (2004). Statistical significance tests for machine translation evaluation. EMNLP. Riezler, S., Maxwell, J. T.
(2005). On some pitfalls in automatic evaluation and significance testing for MT. ACL workshop. Noreen, E. W. (1989).
Computer-intensive methods for testing hypotheses. Wiley. Tukey, J. W. (1958). Bias and confidence in not-quite large
samples. Annals of Mathematical Statistics 29(2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kataribe.stats import bootstrap
from kataribe.stats.arrays import Floats

# weights (replicates x items) -> values (replicates)
Valued = Callable[[Floats], Floats]

# Differences that are equal on paper differ by rounding, since sums are formed in another order.
_ROUNDING = 1e-12
# More groups than this tell a jackknife nothing new, and each costs a measurement of everything.
_MOST_GROUPS = 1000


class BootstrapTest(NamedTuple):
    interval: tuple[float, float]
    p: float


class PermutationTest(NamedTuple):
    p: float
    is_exact: bool


class Outcomes(NamedTuple):
    """On how many items the first system is better, equal, worse."""

    wins: int
    ties: int
    losses: int


def bootstrap_values(systems: Sequence[Valued], items: int, replicates: int, rng: np.random.Generator) -> list[Floats]:
    """The value of each system under the same draws of items."""
    drawn: list[list[Floats]] = [[] for _ in systems]
    for weights in bootstrap.resample_weights(items, replicates, rng):
        for values, system in zip(drawn, systems, strict=True):
            values.append(system(weights))
    return [np.concatenate(values) for values in drawn]


def paired_bootstrap(observed: float, one: Floats, other: Floats, items: int, level: float = 0.95) -> BootstrapTest:
    """`one` and `other` are two systems' values under the same draws, `observed` is their difference without drawing.

    >>> a, b = np.array([3.0, 4.0, 5.0, 7.0, 6.0]), np.array([1.0, 2.5, 2.0, 5.0, 5.5])
    >>> mean = lambda values: lambda weights: weights @ values / weights.sum(axis=1)
    >>> drawn = bootstrap_values([mean(a), mean(b)], 5, 999, np.random.default_rng(0))
    >>> interval, p = paired_bootstrap(1.8, *drawn, 5)
    >>> tuple(round(end, 1) for end in interval), round(p, 3)
    ((0.7, 2.9), 0.01)
    """
    differences = _defined(one - other)
    interval = bootstrap.studentised_interval(observed, differences, items, level=level)
    return BootstrapTest(interval or (np.nan, np.nan), _bootstrap_p(observed, differences, items))


def _bootstrap_p(observed: float, differences: Floats, items: int) -> float:
    if items < bootstrap.FEWEST_ITEMS or not len(differences) or not math.isfinite(observed):
        return math.nan
    if abs(observed) <= _ROUNDING:
        return 1.0
    spread = bootstrap.replicate_spread(differences, items)
    if spread <= _ROUNDING:  # every item differs by the same amount
        return math.nan
    from scipy.special import stdtr

    # With so many draws, smaller p cannot be told apart.
    return max(float(2 * stdtr(items - 1, -abs(observed) / spread)), 1 / (len(differences) + 1))


def paired_permutation(
    one: Valued, other: Valued, items: int, replicates: int, rng: np.random.Generator
) -> PermutationTest:
    """Both systems weigh the rows of the first followed by those of the second, twice `items` in all.

    >>> a, b = np.array([3.0, 4.0, 5.0, 7.0]), np.array([1.0, 2.0, 3.0, 5.0])
    >>> mean = lambda weights: weights @ np.concatenate([a, b]) / weights.sum(axis=1)
    >>> paired_permutation(mean, mean, 4, 1000, np.random.default_rng(0))
    PermutationTest(p=0.125, is_exact=True)
    """

    def difference(kept: Floats) -> Floats:
        weights = np.hstack([kept, 1 - kept])
        value = one(weights)
        np.subtract(1, weights, out=weights)
        return value - other(weights)

    observed = abs(float(difference(np.ones((1, items)))[0]))
    is_exact = 2**items <= replicates
    if not math.isfinite(observed):
        return PermutationTest(np.nan, is_exact)
    swaps = _all_swaps(items) if is_exact else _random_swaps(items, replicates, rng)
    differences = _defined(np.concatenate([difference(kept) for kept in swaps]))
    if not len(differences):
        return PermutationTest(np.nan, is_exact)
    as_large = np.abs(differences) >= observed - _ROUNDING
    return PermutationTest(float(as_large.mean()) if is_exact else _share(as_large), is_exact)


def outcomes(one: Floats, other: Floats) -> Outcomes:
    """Item by item; items that either system has no score for are left out.

    >>> outcomes(np.array([1.0, 2.0, 3.0, np.nan]), np.array([0.0, 2.0, 4.0, 1.0]))
    Outcomes(wins=1, ties=1, losses=1)
    """
    difference = _defined(one - other)
    wins, losses = int((difference > _ROUNDING).sum()), int((difference < -_ROUNDING).sum())
    return Outcomes(wins, len(difference) - wins - losses, losses)


def effect_size(observed: float, error: float, items: int) -> float:
    """A difference in units of what a single item contributes to its spread; `error` is its standard error.

    Infinite where all items differ by the same amount, 0 where none differs, NaN of a single item.

    >>> differences = np.array([1.0, 2.0, 3.0])
    >>> mean = lambda weights: weights @ differences / weights.sum(axis=1)
    >>> round(effect_size(2.0, jackknife_error(mean, 3), 3), 6)
    2.0
    """
    if items < 2 or not (math.isfinite(observed) and math.isfinite(error)):
        return math.nan
    if error <= _ROUNDING:
        return 0.0 if abs(observed) <= _ROUNDING else math.copysign(math.inf, observed)
    return observed / (error * math.sqrt(items))


def jackknife_error(value: Valued, items: int) -> float:
    """The standard error of a value, from leaving out each item (or, of many items, each of a thousand groups).

    >>> values = np.array([1.0, 2.0, 4.0])
    >>> mean = lambda weights: weights @ values / weights.sum(axis=1)
    >>> bool(np.isclose(jackknife_error(mean, 3), values.std(ddof=1) / np.sqrt(3)))
    True
    """
    groups = min(items, _MOST_GROUPS)
    if groups < 2:
        return math.nan
    group_of = np.arange(items) % groups
    rows = max(1, bootstrap.CELLS_PER_CHUNK // items)
    chunks = [np.arange(start, min(start + rows, groups)) for start in range(0, groups, rows)]
    without = np.concatenate([value((group_of != left_out[:, None]).astype(np.float64)) for left_out in chunks])
    return float(np.sqrt((groups - 1) / groups * np.sum((without - without.mean()) ** 2)))


def _share(hits: npt.NDArray[np.bool_]) -> float:
    """What was observed is itself one of the possible draws, so that p is never 0 and the test keeps its level."""
    return (int(hits.sum()) + 1) / (len(hits) + 1)


def _defined(values: Floats) -> Floats:
    """A draw that happens to hold no scorable item has no value."""
    return values[np.isfinite(values)]


def _random_swaps(items: int, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
    rows = max(1, bootstrap.CELLS_PER_CHUNK // (2 * max(1, items)))
    for start in range(0, replicates, rows):
        yield rng.integers(0, 2, (min(rows, replicates - start), items), dtype=np.uint8).astype(np.float64)


def _all_swaps(items: int) -> Iterator[Floats]:
    yield ((np.arange(2**items)[:, None] >> np.arange(items)) & 1).astype(np.float64)
