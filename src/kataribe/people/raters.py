"""How well people agree with each other on one dimension, and who stands out.

Judgements become a table of raters x units:

    ratings    a unit is a text (what a system says of an item), the value is the rating
    rankings   a unit is a text, the value is its placing: the share of the other texts, of those the rater ranked on
               that item, that it was put above (ties count half); 1 is best, so that ranks among three and among
               five can be compared
    votes      a unit is a pair of texts of an item, the value is 1 where the system whose name comes first was
               preferred, -1 where the other was, 0 where they were called equal
    labels     a unit is a text, the value is the number of its label in their alphabetical order: a name, no quantity
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest, rankdata

from kataribe.core.progress import Progress, silent
from kataribe.core.types import Floats, Int64s
from kataribe.people.ratings import Labelled, Rank, Rating, Ratings, Vote
from kataribe.people.result import RaterAgreement, RaterReport
from kataribe.stats.correlation import spearman
from kataribe.stats.raters import LEVELS, alpha, ceilings, habits, pairwise_kappa
from kataribe.stats.screening import screen


class Answer(NamedTuple):
    """One cell of the table; `unit` starts with the item."""

    rater: str
    unit: tuple[str, ...]
    value: float


@dataclass(frozen=True)
class RaterTable:
    """Row r belongs to raters[r], column u to units[u]; NaN where a rater gave no answer."""

    raters: list[str]
    units: list[tuple[str, ...]]
    values: Floats

    @property
    def items(self) -> Int64s:
        """The number of each unit's item."""
        return np.unique([unit[0] for unit in self.units], return_inverse=True)[1].astype(np.int64)


def rater_table(ratings: Ratings) -> RaterTable:
    """The judgements of one dimension.

    >>> ranks = [("ann", "x", 1), ("ann", "y", 2), ("ann", "z", 2), ("bob", "x", 1), ("bob", "y", 2), ("cy", "x", 1)]
    >>> rows = tuple(Rank(rater, "1", system, "overall", float(rank)) for rater, system, rank in ranks)
    >>> rater_table(Ratings("rankings", rows)).values.tolist()
    [[1.0, 0.25, 0.25], [1.0, 0.0, nan]]
    """
    answers = list(answers_of(ratings))
    raters = {rater: row for row, rater in enumerate(dict.fromkeys(answer.rater for answer in answers))}
    units = {unit: column for column, unit in enumerate(dict.fromkeys(answer.unit for answer in answers))}
    values = np.full((len(raters), len(units)), np.nan)
    for rater, unit, value in answers:
        values[raters[rater], units[unit]] = value
    return RaterTable(list(raters), list(units), values)


def answers_of(ratings: Ratings) -> Iterable[Answer]:
    """Every judgement of one dimension as a number about a unit."""
    if ratings.kind == "rankings":
        yield from _placings(row for row in ratings.rows if isinstance(row, Rank))
        return
    labels = sorted({row.label for row in ratings.rows if isinstance(row, Labelled)})
    for row in ratings.rows:
        if isinstance(row, Labelled):
            yield Answer(row.rater, (row.item, row.system), float(labels.index(row.label)))
        elif isinstance(row, Rating):
            yield Answer(row.rater, (row.item, row.system), row.value)
        elif isinstance(row, Vote):
            first, second = sorted((row.system_a, row.system_b))
            preference = {"a": 1.0, "b": -1.0, "equal": 0.0}[row.choice]
            yield Answer(row.rater, (row.item, first, second), preference if row.system_a == first else -preference)


def _placings(rows: Iterable[Rank]) -> Iterable[Answer]:
    """Ranks as the share of others that a text was put above; a text that was ranked alone says nothing."""
    ranked: dict[tuple[str, str], list[Rank]] = defaultdict(list)
    for row in rows:
        ranked[row.rater, row.item].append(row)
    for (rater, item), together in ranked.items():
        if len(together) > 1:
            shares_above = (rankdata([row.rank for row in together]) - 1) / (len(together) - 1)
            for row, share in zip(together, shares_above.tolist(), strict=True):
                yield Answer(rater, (item, row.system), 1 - share)


def rater_agreement(
    ratings: Ratings, *, draws: int = 2_000, level: float = 0.05, seed: int = 0, progress: Progress | None = None
) -> dict[str, RaterAgreement]:
    """Every dimension of the judgements.

    >>> answers = [("ann", 1, 4), ("ann", 2, 1), ("ann", 3, 3), ("bob", 1, 5), ("bob", 2, 2), ("bob", 3, 4)]
    >>> rows = tuple(Rating(rater, str(item), "", "overall", float(value)) for rater, item, value in answers)
    >>> found = rater_agreement(Ratings("ratings", rows))["overall"]
    >>> round(found.alpha["interval"], 3), found.raters[0].habits.offset
    (0.769, -1.0)
    """
    report = progress or silent
    found: dict[str, RaterAgreement] = {}
    for dimension in ratings.dimensions:
        report("comparing raters", len(found), len(ratings.dimensions))
        found[dimension] = _of_dimension(ratings.of(dimension), dimension, draws, level, np.random.default_rng(seed))
    return found


def _of_dimension(
    ratings: Ratings, dimension: str, draws: int, level: float, rng: np.random.Generator
) -> RaterAgreement:
    table = rater_table(ratings)
    # Ranks are dealt out within an item; ratings and votes are free.
    groups = table.items if ratings.kind == "rankings" else None
    screened = screen(table.values, groups=groups, draws=draws, level=level, rng=rng)
    ceiling = ceilings(table.values, spearman)
    sides = _sides(ratings)
    return RaterAgreement(
        dimension=dimension,
        kind=ratings.kind,
        units=len(table.units),
        answers=int(np.isfinite(table.values).sum()),
        alpha={measured: alpha(table.values, measured) for measured in LEVELS},
        raters=tuple(
            RaterReport(name, habit, screening, float(own), sides.get(name))
            for name, habit, screening, own in zip(table.raters, habits(table.values), screened, ceiling, strict=True)
        ),
        kappa=pairwise_kappa(table.values),
        weighted_kappa=pairwise_kappa(table.values, "quadratic"),
    )


def _sides(ratings: Ratings) -> dict[str, tuple[float, float]]:
    """Does a voter prefer what stands on one side, whatever it says?"""
    votes = [row for row in ratings.rows if isinstance(row, Vote) and row.choice != "equal"]
    cast, for_a = Counter(vote.rater for vote in votes), Counter(vote.rater for vote in votes if vote.choice == "a")
    return {rater: (for_a[rater] / n, float(binomtest(for_a[rater], n).pvalue)) for rater, n in cast.items()}
