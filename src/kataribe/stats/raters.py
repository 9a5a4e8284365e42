"""Do raters agree with each other?

Everything here takes a table of raters x units (a unit is whatever was judged) with NaN where a rater gave no answer.

    alpha     Krippendorff's alpha = 1 - observed / expected disagreement, over all pairs of values in one unit and
              over all pairs of values at all; 1 is perfect, 0 what chance gives. A unit with one value says nothing.
              Disagreement of two values: nominal - 1 if they differ; interval - squared difference; ordinal -
              squared difference of midranks among all values.
    kappa     Cohen's kappa of two raters on the units both judged: 1 - observed / expected disagreement, expected
              from each rater's own use of the scale. Weighted: a disagreement counts by distance (linear) or its
              square (quadratic) instead of 1.
    bias      how far a rater's answers lie from the mean of the others' on the same units, and how much of the scale
              the rater uses
    ceiling   each rater against the mean of the others

Krippendorff, K. (2004). Content analysis: an introduction to its methodology. Sage. Cohen, J. (1960). A coefficient
of agreement for nominal scales. Educational and Psychological Measurement 20(1). Cohen, J. (1968). Weighted kappa.
Psychological Bulletin 70(4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from kataribe.stats.arrays import Floats

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
Weighting = Literal["none", "linear", "quadratic"]


def alpha(table: Floats, level: Level = "interval") -> float:
    """Krippendorff's alpha; NaN where no unit has two values, or all values are equal.

    >>> table = np.array([[1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5]])
    >>> [round(alpha(table, level), 3) for level in LEVELS]
    [0.852, 0.923, 0.943]
    """
    pairable = table[:, np.isfinite(table).sum(axis=0) > 1]
    answered = np.isfinite(pairable)
    counts = answered.sum(axis=0)
    values = pairable[answered]
    if len(np.unique(values)) < 2:
        return float("nan")
    if level == "nominal":
        within, among = _unequal_pairs(pairable, answered)
    else:
        scaled = np.full(pairable.shape, np.nan)
        # Centred, so that a scale far from 0 loses no digits.
        scaled[answered] = rankdata(values) if level == "ordinal" else values - values.mean()
        within, among = _squared_differences(scaled)
    observed = float((within / (counts - 1)).sum()) / len(values)
    return 1 - observed / (among / (len(values) * (len(values) - 1)))


def _squared_differences(table: Floats) -> tuple[Floats, float]:
    """Summed over ordered pairs of values: of each unit, and of all units together."""
    counts, sums, squares = np.isfinite(table).sum(axis=0), np.nansum(table, axis=0), np.nansum(table**2, axis=0)
    return 2 * (counts * squares - sums**2), float(2 * (counts.sum() * squares.sum() - sums.sum() ** 2))


def _unequal_pairs(table: Floats, answered: npt.NDArray[np.bool_]) -> tuple[Floats, float]:
    """Ordered pairs of unequal values: of each unit, and of all units together."""
    _, unit = np.nonzero(answered)
    values, value = np.unique(table[answered], return_inverse=True)
    # Only the (unit, value) cells that occur: a continuous scale has as many values as answers.
    cells, times = np.unique(unit * len(values) + value, return_counts=True)
    equal = np.bincount(cells // len(values), weights=times.astype(np.float64) ** 2, minlength=table.shape[1])
    counts = answered.sum(axis=0).astype(np.float64)
    total = counts.sum()
    return counts**2 - equal, float(total**2 - (np.bincount(value).astype(np.float64) ** 2).sum())


def kappa(one: Floats, other: Floats, weighting: Weighting = "none") -> float:
    """Cohen's kappa of two raters; NaN where they share no unit, or chance alone would make them agree.

    >>> one, other = np.repeat([1.0, 0.0], [25, 25]), np.repeat([1.0, 0.0, 1.0, 0.0], [20, 5, 10, 15])
    >>> round(kappa(one, other), 3)
    0.4
    """
    shared = np.isfinite(one) & np.isfinite(other)
    values, indices = np.unique(np.concatenate([one[shared], other[shared]]), return_inverse=True)
    first, second = np.split(indices, 2)
    total = len(first)
    if not total:
        return float("nan")
    if weighting == "none":
        observed = float((first != second).mean())
        shares = np.bincount(first, minlength=len(values)) * np.bincount(second, minlength=len(values))
        expected = 1 - float(shares.sum()) / total**2
    else:
        power = 1 if weighting == "linear" else 2
        observed = float((np.abs(values[first] - values[second]) ** power).mean())
        # The two raters' scales crossed; a rater uses few values, however many units there are.
        ours, ours_times = np.unique(first, return_counts=True)
        theirs, their_times = np.unique(second, return_counts=True)
        distances = np.abs(values[ours][:, None] - values[theirs]) ** power
        expected = float(ours_times @ distances @ their_times) / total**2
    return 1 - observed / expected if expected > 0 else float("nan")


def pairwise_kappa(table: Floats, weighting: Weighting = "none") -> Floats:
    """Kappa of every two raters; the diagonal is NaN."""
    raters = len(table)
    kappas = np.full((raters, raters), np.nan)
    for i in range(raters):
        for j in range(i):
            kappas[i, j] = kappas[j, i] = kappa(table[i], table[j], weighting)
    return kappas


def consensus_of_others(table: Floats) -> Floats:
    """For each rater and unit the mean of the other raters' answers; NaN where nobody else answered.

    >>> consensus_of_others(np.array([[1.0, 2.0], [3.0, np.nan], [5.0, np.nan]])).tolist()
    [[4.0, nan], [3.0, 2.0], [2.0, 2.0]]
    """
    answered = np.isfinite(table)
    own = np.where(answered, table, 0.0)
    others = answered.sum(axis=0) - answered
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(others > 0, (own.sum(axis=0) - own) / others, np.nan)


def ceilings(table: Floats, statistic: Callable[[Floats, Floats], float]) -> Floats:
    """For each rater the statistic of the others' mean against the rater's answers, on the units they share.

    >>> table = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [3.0, 2.0, 1.0]])
    >>> ceilings(table, lambda x, y: float(np.corrcoef(x, y)[0, 1])).round(2).tolist()
    [nan, nan, -1.0]
    """
    others = consensus_of_others(table)
    found = []
    for answers, consensus in zip(table, others, strict=True):
        shared = np.isfinite(answers) & np.isfinite(consensus)
        varied = shared.sum() > 1 and np.ptp(answers[shared]) > 0 and np.ptp(consensus[shared]) > 0
        found.append(statistic(consensus[shared], answers[shared]) if varied else np.nan)
    return np.array(found)


@dataclass(frozen=True)
class Habits:
    """How one rater uses the scale.

    `offset` is the mean difference to the others' mean on the `shared` units, with its standard error; `spread` is the
    standard deviation of the rater's answers over that of the others' answers on the same units: below 1 the rater
    keeps to the middle or to one end. `commonest` is the share of the answer given most often.
    """

    answers: int
    shared: int
    offset: float
    error: float
    spread: float
    lowest: float
    highest: float
    commonest: float


def habits(table: Floats) -> list[Habits]:
    """
    >>> strict, mild = habits(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]))
    >>> strict.offset, mild.offset, strict.spread
    (-2.0, 2.0, 0.5)
    """
    others = consensus_of_others(table)
    found = []
    for row, (answers, consensus) in enumerate(zip(table, others, strict=True)):
        given = answers[np.isfinite(answers)]
        shared = np.isfinite(answers) & np.isfinite(consensus)
        differences = (answers - consensus)[shared]
        theirs = np.delete(table[:, shared], row, axis=0)
        theirs_spread = _deviation(theirs[np.isfinite(theirs)])
        spread = _deviation(answers[shared]) / theirs_spread if theirs_spread > 0 else np.nan
        times = np.unique(given, return_counts=True)[1]
        found.append(
            Habits(
                answers=len(given),
                shared=int(shared.sum()),
                offset=float(differences.mean()) if len(differences) else np.nan,
                error=float(_deviation(differences) / np.sqrt(max(1, len(differences)))),
                spread=float(spread),
                lowest=float(given.min()) if len(given) else np.nan,
                highest=float(given.max()) if len(given) else np.nan,
                commonest=float(times.max() / len(given)) if len(given) else np.nan,
            )
        )
    return found


def _deviation(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
