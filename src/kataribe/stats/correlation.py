"""Does one number go with another? Correlation, with ties treated as stated, under any weights of the units.

    pearson    linear correlation
    spearman   Pearson's correlation of midranks
    tau_b      (C - D) / sqrt((C + D + Tx) (C + D + Ty)): pairs of rows that both numbers order alike (C) or against
               each other (D); Tx, Ty: tied in one of them only. Ties lower the most that can be reached.
    tau_c      2 (C - D) / n^2 * m / (m - 1), m the smaller number of different values: for scales of unequal length
    accuracy   the share of pairs that x orders as y does. Pairs tied in y say nothing and are dropped; pairs tied in
               x only count half (`half`, a coin would get half of them right), nothing (`wrong`) or not (`drop`).

Rows may belong to units (several texts of a picture, several ratings of a text). Under resampling a unit is drawn with
all its rows, since they depend on each other. `Rows` gives any statistic under many sets of weights at once, in the
form that `stats.paired` resamples.

Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3). Stuart, A. (1953). The estimation
and comparison of strengths of association in contingency tables. Biometrika 40(1/2). Williams, E. J. (1959). The
comparison of regression variables. JRSS B 21(2). Steiger, J. H. (1980). Tests for comparing elements of a correlation
matrix. Psychological Bulletin 87(2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as students_t

from kataribe import _native
from kataribe.stats.arrays import Floats, Int64s
from kataribe.stats.choices import Statistic, Ties
from kataribe.stats.paired import PermutationTest, Valued, paired_permutation

_TIE_CREDIT: Mapping[Ties, tuple[float, float]] = {
    "half": (0.5, 1.0),
    "wrong": (0.0, 1.0),
    "drop": (0.0, 0.0),
    "exact": (0.0, 1.0),
}


@dataclass(frozen=True)
class Rows:
    """Two numbers for each row, and the unit each row belongs to (by default its own).

    >>> rows = Rows(np.array([1.0, 2.0, 3.0, 3.0]), np.array([1.0, 3.0, 2.0, 4.0]))
    >>> {name: round(float(value), 3) for name, value in rows.values().items()}
    {'pearson': 0.674, 'spearman': 0.632, 'tau_b': 0.548, 'tau_c': 0.562}
    """

    x: Floats
    y: Floats
    units: Int64s | None = None
    count: int | None = None

    @property
    def unit_of(self) -> Int64s:
        return np.arange(len(self.x)) if self.units is None else self.units

    @property
    def unit_count(self) -> int:
        """Units without a row have a weight all the same."""
        if self.count is not None:
            return self.count
        return len(self.x) if self.units is None else int(self.units.max(initial=-1)) + 1

    def values(self) -> dict[Statistic, float]:
        """Every correlation, each row once."""
        once = np.ones((1, self.unit_count))
        return {name: float(values[0]) for name, values in self.weighed(once).items()}

    def weighed(self, weights: Floats) -> dict[Statistic, Floats]:
        """Every correlation under each row of `weights` (how often each unit counts); NaN where it is not defined."""
        return {"pearson": self._pearson(weights), **self._ranks(weights).correlations()}

    def statistic(self, name: Statistic) -> Valued:
        """One correlation as a function of weights."""
        if name == "pearson":
            return self._pearson
        return lambda weights: self._ranks(weights).correlations()[name]

    def accuracy(self, ties: Ties = "half") -> Valued:
        """The share of all pairs of rows that x orders as y does, as a function of weights."""
        return lambda weights: self._ranks(weights).accuracy(ties)

    def beside(self, other: Rows, *, by_rank: bool) -> Rows:
        """Both as one, the other's units after ours, each x standardised so that it may stand in for the other's."""
        scale = rankdata if by_rank else _standardised
        return Rows(
            np.concatenate([scale(self.x), scale(other.x)]),
            np.concatenate([self.y, other.y]),
            np.concatenate([self.unit_of, other.unit_of + self.unit_count]),
            self.unit_count + other.unit_count,
        )

    def _pearson(self, weights: Floats) -> Floats:
        # Centred and scaled, so that sums of squares lose no digits.
        x, y = (_standardised(values) for values in (self.x, self.y))
        columns = (np.ones(len(x)), x, y, x * x, y * y, x * y)
        moments = np.column_stack([np.bincount(self.unit_of, column, self.unit_count) for column in columns])
        n, sx, sy, sxx, syy, sxy = (weights @ moments).T
        x_scatter, y_scatter = n * sxx - sx**2, n * syy - sy**2
        # Draws of equal values leave nothing but rounding.
        defined = (x_scatter > _ROUNDING * n * sxx) & (y_scatter > _ROUNDING * n * syy)
        with np.errstate(invalid="ignore", divide="ignore"):
            correlation = (n * sxy - sx * sy) / np.sqrt(x_scatter * y_scatter)
        return np.where(defined, np.clip(correlation, -1.0, 1.0), np.nan)

    def _ranks(self, weights: Floats) -> _RankStatistics:
        x_values, x = np.unique(self.x, return_inverse=True)
        y_values, y = np.unique(self.y, return_inverse=True)
        # Nothing here but accuracy asks which is which, and a tree over fewer values is walked faster.
        swapped = len(x_values) < len(y_values)
        if swapped:
            x_values, x, y_values, y = y_values, y, x_values, x
        order = np.lexsort([y, x])
        columns = _native.rank_statistics(
            x[order].astype(np.int32),
            y[order].astype(np.int32),
            self.unit_of[order].astype(np.int64),
            len(x_values),
            len(y_values),
            np.ascontiguousarray(weights, dtype=np.float64),
        )
        total, balance, tied_x, tied_y, *others = columns.T
        return _RankStatistics(total, balance, *((tied_y, tied_x) if swapped else (tied_x, tied_y)), *others)


_ROUNDING = 1e-12


class _RankStatistics(NamedTuple):
    """Numbers of pairs, and sums of the ranks' deviations; an entry for each set of weights."""

    total: Floats
    balance: Floats
    tied_x: Floats
    tied_y: Floats
    tied_both: Floats
    levels: Floats
    together: Floats
    scatter: Floats

    def correlations(self) -> dict[Statistic, Floats]:
        pairs = self.total * (self.total - 1) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            defined = (self.levels > 1) & (self.total > 0)
            found: dict[Statistic, Floats] = {
                "spearman": self.together / np.sqrt(self.scatter),
                "tau_b": self.balance / np.sqrt((pairs - self.tied_x) * (pairs - self.tied_y)),
                "tau_c": 2 * self.balance / self.total**2 * self.levels / (self.levels - 1),
            }
        return {name: np.where(defined, values, np.nan) for name, values in found.items()}

    def accuracy(self, ties: Ties) -> Floats:
        decided = self.total * (self.total - 1) / 2 - self.tied_y
        only_x = self.tied_x - self.tied_both
        right = (decided - only_x + self.balance) / 2
        credit, counted = _TIE_CREDIT[ties]
        # Pairs that people tie count only where ties must be met by ties.
        met, undecided = (self.tied_both, self.tied_y) if ties == "exact" else (0.0, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (right + credit * only_x + met) / (decided - only_x + counted * only_x + undecided)


def pearson(x: Floats, y: Floats) -> float:
    """
    >>> round(pearson(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0])), 4)
    0.9286
    """
    return Rows(x, y).values()["pearson"]


def spearman(x: Floats, y: Floats) -> float:
    """
    >>> spearman(np.array([1.0, 2.0, 9.0]), np.array([1.0, 3.0, 4.0]))
    1.0
    """
    return Rows(x, y).values()["spearman"]


def kendall(x: Floats, y: Floats, variant: Literal["b", "c"] = "b") -> float:
    """
    >>> x, y = np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0, 2.0])
    >>> round(kendall(x, y), 4), kendall(x, y, "c")
    (0.6708, 0.75)
    """
    return Rows(x, y).values()["tau_b" if variant == "b" else "tau_c"]


@dataclass(frozen=True)
class Ratio:
    """A sum over units divided by another: a share, or a mean over the units that have a value."""

    above: Floats
    below: Floats

    def __call__(self, weights: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            values: Floats = (weights @ self.above) / (weights @ self.below)
        return values

    @property
    def value(self) -> float:
        return float(self(np.ones((1, len(self.above))))[0])

    def beside(self, other: Ratio) -> Ratio:
        """Both as one, the other's units after ours."""
        return Ratio(np.concatenate([self.above, other.above]), np.concatenate([self.below, other.below]))

    @classmethod
    def mean(cls, values: Floats) -> Ratio:
        """The mean of one value for each unit, of those that have one.

        >>> Ratio.mean(np.array([1.0, np.nan, 3.0])).value
        2.0
        """
        known = np.isfinite(values)
        return cls(np.where(known, values, 0.0), known.astype(np.float64))


def pairwise_accuracy(
    x: Floats, preferred: Floats, units: Int64s | None = None, count: int | None = None, ties: Ties = "half"
) -> Ratio:
    """Of given pairs, the share that x orders as people do: x is the metric's difference between the first and the
    second of a pair, `preferred` is above 0 where people like the first more, below 0 the second.

    >>> x, preferred = np.array([0.2, 0.0, -0.1, 0.3]), np.array([1.0, 1.0, 1.0, 0.0])
    >>> from kataribe.stats.choices import TIES
    >>> [round(pairwise_accuracy(x, preferred, ties=ties).value, 3) for ties in TIES]
    [0.5, 0.333, 0.5, 0.25]
    """
    credit, counted = _TIE_CREDIT[ties]
    # Where ties must be met by ties, no pair is left out, not even one that people tie.
    decided = (preferred != 0) | (ties == "exact")
    tied = decided & (x == 0) & (preferred != 0)
    right = (decided & (np.sign(x) == np.sign(preferred))) + credit * tied
    asked = (decided & ~tied) + counted * tied
    units = np.arange(len(x)) if units is None else units
    right, asked = (np.bincount(units, column, count or len(x)).astype(np.float64) for column in (right, asked))
    return Ratio(right, asked)


class WilliamsTest(NamedTuple):
    t: float
    freedom: int
    p: float


def williams(one: Floats, other: Floats, people: Floats) -> WilliamsTest:
    """Are two correlations with the same third variable equal? Two-sided; for Pearson's correlation of normal data.

    >>> people = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> good, bad = np.array([1.0, 2.0, 4.0, 3.0, 5.0, 7.0]), np.array([2.0, 1.0, 1.0, 4.0, 3.0, 2.0])
    >>> round(williams(good, bad, people).p, 3)
    0.138
    """
    n = len(people)
    r12, r13, r23 = pearson(one, people), pearson(other, people), pearson(one, other)
    if n < 4 or not np.isfinite([r12, r13, r23]).all():
        return WilliamsTest(np.nan, max(n - 3, 0), np.nan)
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = 2 * determinant * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if below <= _ROUNDING**2:  # the two are one and the same number
        return WilliamsTest(0.0, n - 3, 1.0)
    t = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / below)
    return WilliamsTest(float(t), n - 3, float(2 * students_t.sf(abs(t), n - 3)))


def permutation_between(
    one: Rows, other: Rows, statistic: Statistic, replicates: int, rng: np.random.Generator
) -> PermutationTest:
    """Is one number's correlation with people larger than another's? Unit by unit the two are swapped at random.

    Numbers on different scales cannot be swapped; they are standardised first: to ranks for the rank correlations, to
    mean 0 and deviation 1 for Pearson's.

    >>> people, noise = np.arange(40.0), np.random.default_rng(0).normal(size=(2, 40))
    >>> good, bad = Rows(people + noise[0], people), Rows(people + 50 * noise[1], people)
    >>> permutation_between(good, bad, "tau_b", 999, np.random.default_rng(1)).p
    0.001
    """
    value = one.beside(other, by_rank=statistic != "pearson").statistic(statistic)
    return paired_permutation(value, value, one.unit_count, replicates, rng)


def _standardised(values: Floats) -> Floats:
    centred: Floats = values - values.mean()
    return centred / (float(values.std()) or 1.0)
