"""Who answers at random?

A rater's answers are correlated (by rank) with the mean of the others' answers. The null is that the rater does not
look: shuffling the answers over the rater's units shows what agreement that gives. p is corrected (Holm) for the
number of raters, so that among many who do not look none passes by luck more often than the level says.

    agrees     the rater's agreement is more than shuffling gives
    random     it is not, though typical raters would have passed with as few answers
    reversed   it is significantly negative: a scale read upside down
    straight   one answer nearly everywhere, where others saw differences
    unclear    a typical rater would not have passed with as many answers either: they are too few, or nobody agrees

A flag is a reason to look at a rater's answers, not a proof. If most raters do not look, their mean is noise, and those
who do look seem random.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from kataribe.stats.arrays import Floats
from kataribe.stats.bootstrap import CELLS_PER_CHUNK
from kataribe.stats.correction import holm
from kataribe.stats.raters import consensus_of_others

Verdict = Literal["agrees", "random", "reversed", "straight", "unclear"]

# One answer on this share of the units is a straight line, if the others' commonest answer is not nearly as common.
STRAIGHT_SHARE, VARIED_SHARE = 0.95, 0.8
FEWEST_UNITS = 5
# Equal on paper, different by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Screening:
    """`agreement` is the rank correlation with the others' mean, `needed` what shuffled answers stay below."""

    units: int
    agreement: float
    needed: float
    p: float
    corrected: float
    verdict: Verdict


def screen(
    table: Floats,
    *,
    groups: npt.NDArray[np.int64] | None = None,
    draws: int = 2_000,
    level: float = 0.05,
    rng: np.random.Generator,
) -> list[Screening]:
    """One verdict for each row of a table of raters x units (NaN: no answer).

    `groups` numbers the units that were ranked or compared with each other; answers are then shuffled within a group
    only, since that is all a rater who does not look can do.

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=60)
    >>> careful = truth + rng.normal(scale=0.5, size=(3, 60))
    >>> careless = rng.normal(size=(1, 60))
    >>> [found.verdict for found in screen(np.vstack([careful, careless]), rng=rng)]
    ['agrees', 'agrees', 'agrees', 'random']
    """
    # Enough draws that the smallest possible p can pass Holm's first step.
    draws = max(draws, int(2 * len(table) / level))
    found = [
        _test(answers, consensus, groups, draws, level / len(table), rng)
        for answers, consensus in zip(table, consensus_of_others(table), strict=True)
    ]
    known = [row for row, test in enumerate(found) if test is not None]
    tests = [test for test in found if test is not None]
    typical = float(np.median([test.agreement for test in tests])) if tests else np.nan
    p_corrected = holm(np.array([test.p for test in tests]))
    p_reversed = holm(np.array([test.p_reversed for test in tests]))
    screened = [Screening(_shared(table, row), np.nan, np.nan, np.nan, np.nan, "unclear") for row in range(len(table))]
    for row, test, p, reverse in zip(known, tests, p_corrected.tolist(), p_reversed.tolist(), strict=True):
        verdict: Verdict = "random"
        if p <= level:
            verdict = "agrees"
        elif reverse <= level:
            verdict = "reversed"
        elif test.needed > typical:
            verdict = "unclear"
        screened[row] = Screening(test.units, test.agreement, test.needed, test.p, p, verdict)
    return [
        replace(rater, verdict="straight") if _is_straight(table, row) else rater for row, rater in enumerate(screened)
    ]


class _ShuffleTest(NamedTuple):
    units: int
    agreement: float
    needed: float
    p: float
    p_reversed: float


def _test(
    answers: Floats,
    consensus: Floats,
    groups: npt.NDArray[np.int64] | None,
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> _ShuffleTest | None:
    """One rater beside the shuffled ones; nothing where there is no correlation to speak of."""
    shared = np.isfinite(answers) & np.isfinite(consensus)
    answers, consensus = answers[shared], consensus[shared]
    if len(answers) < FEWEST_UNITS or np.ptp(answers) == 0 or np.ptp(consensus) == 0:
        return None
    agreement, null = _shuffled(answers, consensus, groups[shared] if groups is not None else None, draws, rng)
    as_good = int((null >= agreement - _ROUNDING).sum())
    as_bad = int((null <= agreement + _ROUNDING).sum())
    # The answers as they are count as one of the shuffles, so that p is never 0.
    return _ShuffleTest(
        len(answers),
        agreement,
        float(np.quantile(null, 1 - level)),
        (as_good + 1) / (draws + 1),
        (as_bad + 1) / (draws + 1),
    )


def _shared(table: Floats, row: int) -> int:
    answered = np.isfinite(table)
    return int((answered[row] & (answered.sum(axis=0) > 1)).sum())


def _is_straight(table: Floats, row: int) -> bool:
    shared = np.isfinite(table[row])
    theirs = np.delete(table[:, shared], row, axis=0)
    theirs = theirs[np.isfinite(theirs)]
    return (
        shared.sum() >= FEWEST_UNITS
        and len(theirs) >= FEWEST_UNITS
        and _commonest(table[row, shared]) >= STRAIGHT_SHARE
        and _commonest(theirs) <= VARIED_SHARE
    )


def _commonest(values: Floats) -> float:
    return float(np.unique(values, return_counts=True)[1].max() / len(values))


def _shuffled(
    answers: Floats, consensus: Floats, groups: npt.NDArray[np.int64] | None, draws: int, rng: np.random.Generator
) -> tuple[float, Floats]:
    """The rank correlation of answers and consensus, and that of shuffled answers."""
    order = np.argsort(groups, kind="stable") if groups is not None else np.arange(len(answers))
    x, y = _standardised(rankdata(answers)[order]), _standardised(rankdata(consensus)[order])
    group = groups[order].astype(np.float64) if groups is not None else None
    null = []
    rows = max(1, CELLS_PER_CHUNK // len(x))
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        if group is None:
            shuffled = rng.permuted(np.broadcast_to(x, (count, len(x))), axis=1)
        else:  # the whole part keeps groups together, the random part shuffles them inside
            shuffled = x[np.argsort(group + rng.random((count, len(x))), axis=1)]
        null.append(shuffled @ y)
    return float(x @ y), np.concatenate(null)


def _standardised(values: Floats) -> Floats:
    centred: Floats = values - values.mean()
    norm: float = np.linalg.norm(centred).item()
    return centred / norm
