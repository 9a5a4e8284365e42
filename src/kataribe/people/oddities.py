"""Ratings that look like a mistake: a scale read upside down, another scale, marks for "no answer" taken for answers.

    reversed-rater     a rater whose answers go against the others': a rank correlation with their mean that is negative
                       beyond chance
    rater-scale        a rater whose answers lie far outside what all others use, or between 0 and 1 where they do not
    sentinel-ratings   a number such as 99 or -1, apart from all other answers and rare

A warning is a reason to look. Nothing is changed or left out because of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

from kataribe.core.caution import Caution
from kataribe.core.errors import shorten
from kataribe.core.types import Floats
from kataribe.people.raters import rater_table
from kataribe.people.ratings import Rating, Ratings
from kataribe.stats.correlation import spearman
from kataribe.stats.raters import ceilings

# Fewer answers than this look odd by chance.
_FEWEST_ANSWERS = 10
# The chance of calling out anybody in a dimension where all raters answer at random.
_LEVEL = 0.01
# What programs and forms write where there is no answer.
_LOW_SENTINELS, _HIGH_SENTINELS = (-1.0, -9.0, -99.0, -999.0), (9.0, 99.0, 999.0, 9999.0)
_RARE_SHARE = 0.2
# This share of a rater's answers must lie outside the others' scale, by at least half its length.
_BEYOND_SHARE = 0.1


def odd_ratings(ratings: Ratings) -> list[Caution]:
    """What to look at before reading the ratings.

    >>> values = {"ann": (1, 2, 3, 4, 5) * 2, "bob": (1, 2, 3, 5, 4) * 2, "cy": (1, 3, 2, 4, 99) * 2}
    >>> rows = [Rating(who, f"{i}", "", "overall", float(v)) for who, vs in values.items() for i, v in enumerate(vs)]
    >>> [caution.id for caution in odd_ratings(Ratings("ratings", tuple(rows)))]
    ['sentinel-ratings']
    """
    found: list[Caution] = []
    for dimension in ratings.dimensions:
        chosen = ratings.of(dimension)
        sentinels: tuple[float, ...] = ()
        if ratings.kind == "ratings":
            sentinels = _sentinels(np.array([row.value for row in chosen.rows if isinstance(row, Rating)]))
            if sentinels:
                found.append(_sentinel_caution(chosen, dimension, sentinels))
        table = rater_table(chosen)
        values = np.where(np.isin(table.values, sentinels), np.nan, table.values)
        if ratings.kind == "ratings":
            found += _other_scales(table.raters, values, dimension)
        found += _reversed(table.raters, values, dimension)
    return found


def _sentinels(values: Floats) -> tuple[float, ...]:
    """Numbers that mean "no answer"; none if the scale may contain them."""
    rest = values[~np.isin(values, _LOW_SENTINELS + _HIGH_SENTINELS)]
    if len(np.unique(rest)) < 3:
        return ()
    low, high = float(rest.min()), float(rest.max())
    if low < 0 or high <= 1:  # a scale around 0, or of fractions
        return ()
    apart = [mark for mark in _LOW_SENTINELS if mark < low] + [
        mark for mark in _HIGH_SENTINELS if mark - high >= high - low
    ]
    return tuple(mark for mark in apart if 0 < np.mean(values == mark) < _RARE_SHARE)


def _sentinel_caution(ratings: Ratings, dimension: str, sentinels: tuple[float, ...]) -> Caution:
    marked = [row.value for row in ratings.rows if isinstance(row, Rating) and row.value in sentinels]
    rest = [row.value for row in ratings.rows if isinstance(row, Rating) and row.value not in sentinels]
    listed = ", ".join(f"{mark:g}" for mark in sentinels)
    counted = f"{len(marked):,} ratings are" if len(marked) != 1 else "1 rating is"
    text = f"{dimension}: {counted} {listed} among ratings of {min(rest):g} to {max(rest):g}"
    return Caution("sentinel-ratings", f"{text}; if that means no answer, leave the cells empty")


def _other_scales(raters: list[str], values: Floats, dimension: str) -> Iterator[Caution]:
    if len(raters) < 2:
        return
    for row, rater in enumerate(raters):
        own = values[row][np.isfinite(values[row])]
        others = np.delete(values, row, axis=0)
        others = others[np.isfinite(others)]
        if min(len(own), len(others)) >= _FEWEST_ANSWERS and _is_another_scale(own, others):
            text = f"{dimension}: {shorten(rater)} answers from {own.min():g} to {own.max():g}, "
            text += f"the others from {others.min():g} to {others.max():g}; on the same scale?"
            yield Caution("rater-scale", text)


def _is_another_scale(own: Floats, others: Floats) -> bool:
    low, high = float(others.min()), float(others.max())
    margin = (high - low) / 2
    beyond = np.mean((own <= low - margin) | (own >= high + margin)) if margin else 0.0
    is_share = own.min() >= 0 and own.max() <= 1 and len(np.unique(own)) > 1 and float(np.median(others)) > 1
    # A rater who answers in fractions, where the others use a scale of whole numbers, stays within their scale.
    return bool(beyond >= _BEYOND_SHARE or (is_share and high >= 3))


def _reversed(raters: list[str], values: Floats, dimension: str) -> Iterator[Caution]:
    """Raters who disagree with the others: the one who does so most, then the next among the rest."""
    names, table = list(raters), values
    while len(names) > 1:
        agreement = ceilings(table, spearman)
        shared = np.array([np.count_nonzero(np.isfinite(row) & (np.isfinite(table).sum(axis=0) > 1)) for row in table])
        beyond_chance = float(norm.ppf(_LEVEL / len(names)))
        with np.errstate(invalid="ignore"):
            is_against = (agreement * np.sqrt(shared - 1) < beyond_chance) & (shared >= _FEWEST_ANSWERS)
        if not is_against.any():
            return
        worst = int(np.nanargmin(np.where(is_against, agreement, np.nan)))
        who = " and ".join(map(shorten, names)) if len(names) == 2 else shorten(names[worst])
        whom = "each other" if len(names) == 2 else "the others"
        verb = "answer" if len(names) == 2 else "answers"
        text = f"{dimension}: {who} {verb} against {whom} (rank correlation {agreement[worst]:.2f})"
        yield Caution("reversed-rater", f"{text}; is the scale upside down?")
        del names[worst]
        table = np.delete(table, worst, axis=0)
