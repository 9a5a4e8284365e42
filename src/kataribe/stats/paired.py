"""Two systems on the same items: is the difference more than luck?

A system is given as a function of weights: how often each item counts -> the system's value. Whatever is a function
of weighted items (a mean, a ratio of sums, BLEU) can be tested, and nothing is scored again. Many systems share the
draws of one bootstrap, so that each is measured once and not once for every partner.

    bootstrap    draw items with replacement, the same for both; the interval is that of the differences, and
                 p = share of replicates as far from the observed difference as that is from 0
    permutation  swap the two systems' rows at random, item by item; p = share of swaps that give a difference at
                 least as large. With few items every swap is tried, and p is exact.

Both p are two-sided. Koehn, P. (2004). Statistical significance tests for machine translation evaluation. EMNLP.
Riezler, S., Maxwell, J. T. (2005). On some pitfalls in automatic evaluation and significance testing for MT. ACL
workshop. Noreen, E. W. (1989). Computer-intensive methods for testing hypotheses. Wiley.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kataribe.stats import bootstrap

Floats = npt.NDArray[np.float64]
# weights (replicates x items) -> values (replicates)
Valued = Callable[[Floats], Floats]

# Differences that are equal on paper differ by rounding, since sums are formed in another order.
_ROUNDING = 1e-12


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


def paired_bootstrap(observed: float, one: Floats, other: Floats, level: float = 0.95) -> BootstrapTest:
    """`one` and `other` are two systems' values under the same draws, `observed` is their difference without drawing.

    >>> a, b = np.array([3.0, 4.0, 5.0, 7.0]), np.array([1.0, 2.0, 3.0, 5.0])
    >>> mean = lambda values: lambda weights: weights @ values / weights.sum(axis=1)
    >>> drawn = bootstrap_values([mean(a), mean(b)], 4, 99, np.random.default_rng(0))
    >>> interval, p = paired_bootstrap(2.0, *drawn)
    >>> tuple(round(end, 6) for end in interval), p
    ((2.0, 2.0), 0.01)
    """
    differences = _defined(one - other)
    if not len(differences):
        return BootstrapTest((np.nan, np.nan), np.nan)
    as_far = np.abs(differences - observed) >= abs(observed) - _ROUNDING
    return BootstrapTest(bootstrap.percentile_interval(differences, level), _share(as_far))


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


def effect_size(one: Floats, other: Floats) -> float:
    """Cohen's d of paired items: the mean difference in units of the differences' standard deviation.

    Infinite where all items differ by the same amount, 0 where none differs.

    >>> effect_size(np.array([2.0, 3.0, 5.0]), np.array([1.0, 1.0, 2.0]))
    2.0
    """
    difference = _defined(one - other)
    if len(difference) < 2:
        return float("nan")
    mean, deviation = float(difference.mean()), float(difference.std(ddof=1))
    if deviation <= _ROUNDING:
        return 0.0 if abs(mean) <= _ROUNDING else float(np.copysign(np.inf, mean))
    return mean / deviation


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
