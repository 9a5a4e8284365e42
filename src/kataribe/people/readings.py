"""One predictor - a metric, or the other people - read against people, under any weights of the items.

    pooled     the correlations over all rows: every rating with its text's score, or every text's mean rating
    per item   the correlations over the texts of one item, averaged over the items where they are defined
    accuracy   over pairs of texts of one item; where no item has two texts, over all pairs of rows

Rankings and votes are relative to the other texts of their item, and are read per item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kataribe.core.types import Floats
from kataribe.people.judged import DECIMALS, Int64s, Judged, Pairs, mean_preferences
from kataribe.stats.correlation import STATISTICS, Ratio, Rows, Ties, pairwise_accuracy
from kataribe.stats.paired import Valued

Against = Literal["each", "mean"]
Measure = Literal["pearson", "spearman", "tau_b", "tau_c", "accuracy"]
MEASURES: tuple[Measure, ...] = (*STATISTICS, "accuracy")


@dataclass(frozen=True)
class Reading:
    """`rows` serve the pooled measures, `ratios` those that are shares or means over items."""

    rows: Rows | None
    ratios: Mapping[Measure, Ratio]
    ties: Ties

    def weighed(self, weights: Floats) -> dict[Measure, Floats]:
        found: dict[Measure, Floats] = {name: ratio(weights) for name, ratio in self.ratios.items()}
        if self.rows is not None:
            for name, values in self.rows.weighed(weights).items():
                found[name] = values
            if "accuracy" not in found:
                found["accuracy"] = self.rows.accuracy(self.ties)(weights)
        return {name: found[name] for name in MEASURES}

    def beside(self, other: Reading, measure: Measure) -> Valued:
        """Both as one function of weights, the other's items after ours; what a permutation test swaps."""
        if measure in self.ratios:
            return self.ratios[measure].beside(other.ratios[measure])
        if self.rows is None or other.rows is None:
            raise ValueError(f"{measure} is read neither from rows nor from items")
        both = self.rows.beside(other.rows, by_rank=measure != "pearson")
        return both.accuracy(self.ties) if measure == "accuracy" else both.statistic(measure)


@dataclass(frozen=True)
class Reader:
    """How to read: against each rating or their mean, pooled or per item, and what a tie counts."""

    judgements: Judged
    against: Against
    per_item: bool
    ties: Ties

    def metric(self, scores: Floats) -> Reading:
        """Scores of the texts, in their order."""
        judgements = self.judgements
        if self.against == "each":
            text, value, pairs = judgements.answers.text, judgements.answers.value, judgements.pairs
        else:
            text = np.flatnonzero(np.isfinite(judgements.means))
            value, pairs = judgements.means[text], mean_preferences(judgements)
        return self._reading(scores[text], value, text, scores[pairs.first] - scores[pairs.second], pairs)

    def people(self) -> Callable[[Floats], dict[Measure, Floats]] | None:
        """The human ceiling as a function of weights; nothing where no text was judged by two.

        Against each rating: how well the mean of the others tells it (of a preference: their majority). Against the
        mean: every person against the mean of the others, averaged over persons.
        """
        answers, pairs = self.judgements.answers, self.judgements.pairs
        others = _mean_of_others(answers.text, answers.value)
        majority = _mean_of_others(pairs.first * len(self.judgements.texts) + pairs.second, pairs.preferred)
        if not np.isfinite(others).any():
            return None
        if self.against == "each":
            return self._ceiling(others, majority, np.isfinite(others), np.isfinite(majority)).weighed
        persons = list(self._persons(others, majority))

        def averaged(weights: Floats) -> dict[Measure, Floats]:
            found = [person.weighed(weights) for person in persons]
            return {name: _mean_of_defined([person[name] for person in found]) for name in MEASURES}

        return averaged

    def _persons(self, others: Floats, majority: Floats) -> Iterator[Reading]:
        answers, pairs = self.judgements.answers, self.judgements.pairs
        for rater in np.unique(answers.rater):
            kept, kept_pairs = (
                np.isfinite(others) & (answers.rater == rater),
                np.isfinite(majority) & (pairs.rater == rater),
            )
            if kept.sum() > 1:
                yield self._ceiling(others, majority, kept, kept_pairs)

    def _ceiling(self, others: Floats, majority: Floats, kept: np.ndarray, kept_pairs: np.ndarray) -> Reading:
        answers = self.judgements.answers
        chosen = Pairs(*(column[kept_pairs] for column in self.judgements.pairs))
        return self._reading(others[kept], answers.value[kept], answers.text[kept], majority[kept_pairs], chosen)

    def _reading(self, x: Floats, y: Floats, text: Int64s, differences: Floats, pairs: Pairs) -> Reading:
        item_of, items = self.judgements.item_of, self.judgements.items
        ratios: dict[Measure, Ratio] = {}
        if len(self.judgements.pairs.first):
            ratios["accuracy"] = pairwise_accuracy(differences, pairs.preferred, item_of[pairs.first], items, self.ties)
        if not self.per_item:
            return Reading(Rows(x, y, item_of[text], items), ratios, self.ties)
        for name, values in _by_item(x, y, item_of[text], items).items():
            ratios[name] = Ratio.mean(values)
        return Reading(None, ratios, self.ties)


def _by_item(x: Floats, y: Floats, item: Int64s, items: int) -> dict[Measure, Floats]:
    values: dict[Measure, Floats] = {name: np.full(items, np.nan) for name in STATISTICS}
    order = np.argsort(item, kind="stable")
    bounds = np.searchsorted(item[order], np.arange(items + 1))
    for place in np.flatnonzero(np.diff(bounds) > 1).tolist():
        chosen = order[bounds[place] : bounds[place + 1]]
        if np.ptp(x[chosen]) > 0 and np.ptp(y[chosen]) > 0:
            for name, value in Rows(x[chosen], y[chosen]).values().items():
                values[name][place] = value
        elif np.ptp(y[chosen]) > 0:  # a metric that tells no text from another agrees with nobody
            for column in values.values():
                column[place] = 0.0
    return values


def _mean_of_others(key: Int64s, value: Floats) -> Floats:
    """For each row the mean of the other rows with its key; NaN where there is none."""
    if not len(key):
        return np.zeros(0)
    _, place = np.unique(key, return_inverse=True)
    counts, sums = np.bincount(place), np.bincount(place, value)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(counts[place] > 1, (sums[place] - value) / (counts[place] - 1), np.nan)
    # What is equal on paper must be equal here, or ties would be broken by rounding.
    return means.round(DECIMALS)


def _mean_of_defined(columns: Sequence[Floats]) -> Floats:
    table = np.array(columns)
    known = np.isfinite(table)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(known, table, 0.0).sum(axis=0) / known.sum(axis=0)
    return means
