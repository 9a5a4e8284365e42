"""Texts put into classes without an order: what most raters say of each, how often, and whether raters agree.

    majority    the label of a unit that is given more often than every other; without one a unit is undecided
    share       of the units, those whose majority is the label; its interval is Wilson's, so that a label that nobody
                gave has one too
    agreement   of the units on which the others have a majority, the share on which a rater says the same

Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. JASA 22.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
from scipy.stats import binomtest

from kataribe.people.raters import rater_table
from kataribe.people.ratings import Labelled, Ratings
from kataribe.people.result import LabelAgreement, LabelRater, LabelShare
from kataribe.stats.raters import alpha, pairwise_kappa


def label_agreement(ratings: Ratings) -> dict[str, LabelAgreement]:
    """Every dimension of the labels.

    >>> said = {"1": ("whole", "whole", "split"), "2": ("whole", "whole", "whole"), "3": ("merge", "merge", "merge")}
    >>> rows = [Labelled(f"r{n}", item, "", "overall", v) for item, vs in said.items() for n, v in enumerate(vs)]
    >>> found = label_agreement(Ratings("labels", tuple(rows)))["overall"]
    >>> [(label.label, label.answers, label.units) for label in found.labels]
    [('whole', 5, 2), ('merge', 3, 1), ('split', 1, 0)]
    >>> round(found.alpha, 3), found.raters[2].agreement
    (0.652, 0.6666666666666666)
    """
    return {dimension: _of_dimension(ratings.of(dimension), dimension) for dimension in ratings.dimensions}


def _of_dimension(ratings: Ratings, dimension: str) -> LabelAgreement:
    rows = [row for row in ratings.rows if isinstance(row, Labelled)]
    said: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rows:
        said[row.item, row.system][row.rater] = row.label
    majorities = [_majority(labels.values()) for labels in said.values()]
    table = rater_table(ratings).values
    kappas = pairwise_kappa(table)[np.triu_indices(len(table), 1)]
    return LabelAgreement(
        dimension=dimension,
        units=len(said),
        answers=len(rows),
        undecided=majorities.count(None),
        alpha=alpha(table, "nominal"),
        kappa=float(np.nanmean(kappas)) if np.isfinite(kappas).any() else np.nan,
        labels=_shares(rows, majorities),
        raters=tuple(_rater(rater, said.values()) for rater in ratings.raters),
    )


def _shares(rows: list[Labelled], majorities: list[str | None]) -> tuple[LabelShare, ...]:
    """The commonest label first."""
    answers, units = Counter(row.label for row in rows), Counter(majorities)
    return tuple(
        LabelShare(label, count, units[label], units[label] / len(majorities), _wilson(units[label], len(majorities)))
        for label, count in sorted(answers.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def _wilson(count: int, total: int) -> tuple[float, float]:
    interval = binomtest(count, total).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def _majority(labels: Iterable[str]) -> str | None:
    """
    >>> _majority(["split", "whole", "whole"]), _majority(["split", "whole"])
    ('whole', None)
    """
    counts = Counter(labels).most_common(2)
    is_decided = len(counts) == 1 or (len(counts) > 1 and counts[0][1] > counts[1][1])
    return counts[0][0] if is_decided else None


def _rater(name: str, said: Iterable[dict[str, str]]) -> LabelRater:
    answered = [labels for labels in said if name in labels]
    others = [_majority(label for rater, label in labels.items() if rater != name) for labels in answered]
    shared = [(labels[name], other) for labels, other in zip(answered, others, strict=True) if other is not None]
    agreement = sum(own == other for own, other in shared) / len(shared) if shared else np.nan
    return LabelRater(name, len(answered), len(shared), agreement)
