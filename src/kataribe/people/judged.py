"""Judgements of one dimension in columns: numbers about texts, and preferences between texts of one item.

               number about a text                            preference between two texts
    ratings    the rating                                     the higher of one rater's two ratings
    rankings   the share of the others it was put above       the better of one rater's two ranks
    votes      the share of its votes it won, equal is half   the vote

Every number is one rater's. Preferences are always between texts of the same item, by the same rater. `overall` is the
mean of a rater's numbers over all dimensions; of votes, of the preferences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kataribe.core.types import Floats, Int64s
from kataribe.people.raters import Answer, answers_of
from kataribe.people.ratings import OVERALL, Ratings
from kataribe.people.result import Text

# Means that are equal on paper differ by rounding; a difference this small is none.
DECIMALS = 10


class Answers(NamedTuple):
    """Row by row: who said which number about which text."""

    text: Int64s
    rater: Int64s
    value: Floats


class Pairs(NamedTuple):
    """Row by row: who prefers the first (> 0) or the second (< 0) of two texts; first < second."""

    first: Int64s
    second: Int64s
    rater: Int64s
    preferred: Floats


@dataclass(frozen=True)
class Judged:
    """Text t is texts[t], of the item numbered item_of[t]."""

    dimension: str
    kind: str
    texts: list[Text]
    item_of: Int64s
    items: int
    answers: Answers
    pairs: Pairs

    @property
    def means(self) -> Floats:
        """The mean of the numbers about each text."""
        counts = np.bincount(self.answers.text, minlength=len(self.texts))
        with np.errstate(invalid="ignore"):
            means: Floats = np.bincount(self.answers.text, self.answers.value, len(self.texts)) / counts
        return means.round(DECIMALS)


def judged(ratings: Ratings, dimension: str, known: Set[Text]) -> Judged:
    """What was said about the known texts; judgements about others are left out."""
    return _in_columns(answers_of(ratings.of(dimension)), ratings.kind, dimension, known)


def judged_overall(ratings: Ratings, known: Set[Text]) -> Judged:
    """What each rater said on the mean of all dimensions; what somebody left open on one of them is left out.

    >>> from kataribe.people.ratings import Rating
    >>> said = {"accuracy": (5, 2), "language": (2, 4)}
    >>> rows = [Rating("ann", "1", s, name, float(v)) for name, vs in said.items() for s, v in zip("xy", vs)]
    >>> found = judged_overall(Ratings("ratings", tuple(rows)), {Text("1", "x"), Text("1", "y")})
    >>> found.dimension, found.answers.value.tolist()
    ('overall', [3.5, 3.0])
    """
    dimensions = ratings.dimensions
    given: dict[tuple[str, tuple[str, ...]], list[float]] = defaultdict(list)
    for dimension in dimensions:
        for answer in answers_of(ratings.of(dimension)):
            given[answer.rater, answer.unit].append(answer.value)
    # Rounded more finely than means over raters, which are made of these.
    complete = (
        Answer(rater, unit, round(float(np.mean(values)), DECIMALS + 2))
        for (rater, unit), values in given.items()
        if len(values) == len(dimensions)
    )
    return _in_columns(complete, ratings.kind, OVERALL, known)


def _in_columns(said: Iterable[Answer], kind: str, dimension: str, known: Set[Text]) -> Judged:
    texts: dict[Text, int] = {}
    raters: dict[str, int] = {}
    answers: list[tuple[int, int, float]] = []
    pairs: list[tuple[int, int, int, float]] = []
    won: dict[tuple[int, int], list[float]] = defaultdict(list)
    for answer in said:
        item, *systems = answer.unit
        compared = [Text(item, system) for system in systems]
        if not known >= set(compared):
            continue
        indices = [texts.setdefault(text, len(texts)) for text in compared]
        rater = raters.setdefault(answer.rater, len(raters))
        if kind != "votes":
            answers.append((indices[0], rater, answer.value))
            continue
        first, second = indices
        preferred = float(np.sign(answer.value))
        pairs.append((first, second, rater, preferred) if first < second else (second, first, rater, -preferred))
        won[first, rater].append((1 + answer.value) / 2)
        won[second, rater].append((1 - answer.value) / 2)
    answers += [(text, rater, float(np.mean(shares))) for (text, rater), shares in won.items()]
    items: dict[str, int] = {}
    item_of = np.array([items.setdefault(text.item, len(items)) for text in texts], dtype=np.int64)
    columns = _answers(answers)
    return Judged(
        dimension,
        kind,
        list(texts),
        item_of,
        len(items),
        columns,
        _pairs(pairs) if kind == "votes" else _preferences(columns, item_of, columns.rater),
    )


def mean_preferences(judgements: Judged) -> Pairs:
    """What people prefer together: by mean rating or placing, by the majority of votes."""
    if judgements.kind == "votes":
        pairs = judgements.pairs
        keys, pair = np.unique(pairs.first * len(judgements.texts) + pairs.second, return_inverse=True)
        first, second = np.divmod(keys, len(judgements.texts))
        return Pairs(first, second, np.zeros_like(first), np.sign(np.bincount(pair, pairs.preferred)))
    known = np.flatnonzero(np.isfinite(judgements.means))
    together = Answers(known, np.zeros_like(known), judgements.means[known])
    return _preferences(together, judgements.item_of, together.rater)


def _preferences(answers: Answers, item_of: Int64s, rater: Int64s) -> Pairs:
    """Every two texts of an item that one rater gave a number to."""
    item = item_of[answers.text]
    order = np.lexsort([answers.text, item, rater])
    text, item, rater, value = answers.text[order], item[order], rater[order], answers.value[order]
    bounds = [0, *(np.flatnonzero((np.diff(rater) != 0) | (np.diff(item) != 0)) + 1).tolist(), len(text)]
    blocks = []
    for start, end in pairwise(bounds):
        one, other = np.triu_indices(end - start, 1)
        blocks.append(np.column_stack([start + one, start + other]))
    one, other = np.concatenate(blocks).T if blocks else np.zeros((2, 0), dtype=np.int64)
    return Pairs(text[one], text[other], rater[one], np.sign(value[one] - value[other]))


def _answers(rows: Sequence[tuple[int, int, float]]) -> Answers:
    text, rater, value = (np.array(column) for column in zip(*rows, strict=True)) if rows else [np.zeros(0)] * 3
    return Answers(text.astype(np.int64), rater.astype(np.int64), value.astype(np.float64))


def _pairs(rows: Sequence[tuple[int, int, int, float]]) -> Pairs:
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    first, second, rater = table[:, :3].astype(np.int64).T
    return Pairs(first, second, rater, table[:, 3])
