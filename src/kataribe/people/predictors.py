"""One predictor - a metric, or the other people - compared with people, under any weights of the items.

    pooled     the correlations over all rows: every rating with its text's score, or every text's mean rating
    per item   the correlations over the texts of one item that one person judged (or over their means), averaged over
               items and persons where they are defined
    accuracy   over pairs of texts of one item; where no item has two texts, over all pairs of rows

Rankings and votes are relative to the other texts of their item, and are compared per item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kataribe.core.types import Floats, Int64s
from kataribe.people.judged import DECIMALS, Answers, Judged, Pairs, mean_preferences
from kataribe.people.options import Against
from kataribe.stats.choices import MEASURES, Measure, Ties
from kataribe.stats.correlation import Ratio, Rows, pairwise_accuracy
from kataribe.stats.grouped import grouped_correlations
from kataribe.stats.paired import Valued


@dataclass(frozen=True)
class Predictor:
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

    def beside(self, other: Predictor, measure: Measure) -> Valued:
        """Both as one function of weights, the other's items after ours; what a permutation test swaps."""
        if measure in self.ratios:
            return self.ratios[measure].beside(other.ratios[measure])
        if self.rows is None or other.rows is None:
            raise ValueError(f"{measure} is computed neither from rows nor from items")
        both = self.rows.beside(other.rows, by_rank=measure != "pearson")
        return both.accuracy(self.ties) if measure == "accuracy" else both.statistic(measure)


@dataclass(frozen=True)
class Comparer:
    """How to compare: with each rating or their mean, pooled or per item, and what a tie counts."""

    judgements: Judged
    against: Against
    per_item: bool
    ties: Ties

    @cached_property
    def rows(self) -> Answers:
        """What a metric is compared with: every judgement, or every text's mean as one person's."""
        if self.against == "each":
            return self.judgements.answers
        text = np.flatnonzero(np.isfinite(self.judgements.means))
        return Answers(text, np.zeros_like(text), self.judgements.means[text])

    @cached_property
    def pairs(self) -> Pairs:
        return self.judgements.pairs if self.against == "each" else mean_preferences(self.judgements)

    def metric(self, scores: Floats) -> Predictor:
        """Scores of the texts, in their order."""
        differences = scores[self.pairs.first] - scores[self.pairs.second]
        return self._predictor(scores[self.rows.text], self.rows, differences, self.pairs)

    def people(self) -> Callable[[Floats], dict[Measure, Floats]] | None:
        """The human ceiling as a function of weights; nothing where no text was judged by two.

        Against each rating: how well the mean of the others predicts it (of a preference: their majority). Against the
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

    def distinct_ceiling(self) -> int:
        """How many different values the mean of the others takes, as which people are read like a metric."""
        others = _mean_of_others(self.judgements.answers.text, self.judgements.answers.value)
        return len(np.unique(others[np.isfinite(others)]))

    def _persons(self, others: Floats, majority: Floats) -> Iterator[Predictor]:
        answers, pairs = self.judgements.answers, self.judgements.pairs
        for rater in np.unique(answers.rater):
            kept = np.isfinite(others) & (answers.rater == rater)
            if kept.any():
                yield self._ceiling(others, majority, kept, np.isfinite(majority) & (pairs.rater == rater))

    def _ceiling(self, others: Floats, majority: Floats, kept: np.ndarray, kept_pairs: np.ndarray) -> Predictor:
        rows = Answers(*(column[kept] for column in self.judgements.answers))
        pairs = Pairs(*(column[kept_pairs] for column in self.judgements.pairs))
        return self._predictor(others[kept], rows, majority[kept_pairs], pairs)

    def _predictor(self, x: Floats, rows: Answers, differences: Floats, pairs: Pairs) -> Predictor:
        item_of, items = self.judgements.item_of, self.judgements.items
        item = item_of[rows.text]
        ratios: dict[Measure, Ratio] = {}
        if len(self.pairs.first):
            ratios["accuracy"] = pairwise_accuracy(differences, pairs.preferred, item_of[pairs.first], items, self.ties)
        if not self.per_item:
            return Predictor(Rows(x, rows.value, item, items), ratios, self.ties)
        ratios |= _within_items(x, rows.value, rows.rater * items + item, item, items)
        return Predictor(None, ratios, self.ties)


def _within_items(x: Floats, y: Floats, group: Int64s, item: Int64s, items: int) -> dict[Measure, Ratio]:
    """The correlations of each group of rows, averaged over the groups of the chosen items."""
    keys, group = np.unique(group, return_inverse=True)
    item_of = np.zeros(len(keys), dtype=np.int64)
    item_of[group] = item
    # A predictor that is constant where people's ratings differ has no agreement.
    is_flat = _range(x, group, len(keys)) == 0
    people_differ = _range(y, group, len(keys)) > 0
    ratios: dict[Measure, Ratio] = {}
    for name, values in grouped_correlations(x, y, group, len(keys)).items():
        values = np.where(is_flat & people_differ, 0.0, values)
        known = np.isfinite(values)
        above, below = (np.bincount(item_of, w, items) for w in (np.where(known, values, 0.0), known))
        ratios[name] = Ratio(above.astype(np.float64), below.astype(np.float64))
    return ratios


def _range(values: Floats, group: Int64s, count: int) -> Floats:
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    ranges: Floats = high - low
    return ranges


def _mean_of_others(key: Int64s, value: Floats) -> Floats:
    """For each row the mean of the other rows with its key; NaN where there is none."""
    if not len(key):
        return np.zeros(0)
    _, group = np.unique(key, return_inverse=True)
    counts, sums = np.bincount(group), np.bincount(group, value)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(counts[group] > 1, (sums[group] - value) / (counts[group] - 1), np.nan)
    # What is equal on paper must be equal here, or ties would be broken by rounding.
    return means.round(DECIMALS)


def _mean_of_defined(columns: Sequence[Floats]) -> Floats:
    table = np.array(columns)
    known = np.isfinite(table)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(known, table, 0.0).sum(axis=0) / known.sum(axis=0)
    return means
