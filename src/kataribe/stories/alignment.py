"""Two stories aligned in time order, at most one to one, and the shares that follow from the sum over the pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kataribe import _native
from kataribe.core.ragged import Ragged
from kataribe.core.types import Bools, Floats, Int64s
from kataribe.stories.items import Order, ReferenceStories, Stories


@dataclass(frozen=True, eq=False)
class Alignment:
    """Every reference story aligned with its video's prediction.

    The pairs of each story are a list of `cells`; `rows` and `columns` are the same pairs in the video's own table.
    `best` are the sums of costs that the stories reach.
    """

    stories: ReferenceStories
    best: Floats
    cells: Ragged
    rows: Int64s
    columns: Int64s

    def sum(self, values: Floats) -> Floats:
        """For each story the sum of a value over its pairs."""
        return self.cells.with_values(values).sum()


def align(
    items: Stories, stories: ReferenceStories, costs: Floats, *, order: Order = "sorted", tool_pairs: bool = False
) -> Alignment:
    """The alignments with the largest sum of costs, predictions in the order given.

    `tool_pairs` are the published SODA tool's instead; native/stories/stories.cpp has its rule, and that for ties.
    """
    best, rows, columns, offsets = _native.align_stories(
        (costs, items.cells),
        stories.video,
        stories.rows.arrays,
        (items.prediction_order(order), items.predictions.offsets),
        tool_pairs=tool_pairs,
    )
    pairs = Ragged(rows, offsets)
    video = pairs.spread(stories.video)
    cells = items.cells[video] + rows * items.predictions.counts[video] + columns
    return Alignment(stories, best, pairs.with_values(cells), rows, columns)


class Shares(NamedTuple):
    precision: Floats
    recall: Floats
    f1: Floats


def shares(sums: Floats, predicted: Int64s, references: Int64s) -> Shares:
    """A sum over pairs as a share of either story; a story of nothing has 0 of everything.

    >>> shares(np.array([2.2]), np.array([4]), np.array([3])).f1.round(4)
    array([0.6286])
    """
    precision = np.divide(sums, predicted, out=np.zeros_like(sums), where=predicted > 0)
    recall = np.divide(sums, references, out=np.zeros_like(sums), where=references > 0)
    return Shares(precision, recall, harmonic_mean(precision, recall))


def harmonic_mean(a: Floats, b: Floats) -> Floats:
    a, b = np.asarray(a), np.asarray(b)
    both = a + b
    return np.divide(2 * a * b, both, out=np.zeros_like(both), where=both > 0)


def best_of_video(f1: Floats, video: Int64s) -> Bools:
    """Which story has its video's highest F1, the first of equals.

    >>> best_of_video(np.array([0.1, 0.4, 0.4]), np.array([0, 1, 1])).tolist()
    [True, True, False]
    """
    order = np.lexsort((np.arange(len(f1)), -f1, video))
    best = np.zeros(len(f1), dtype=np.bool_)
    best[order[np.diff(video[order], prepend=-1) != 0]] = True
    return best


@dataclass(frozen=True, eq=False)
class ScoredAlignment:
    """An alignment with what it is worth: `ious` and `text` (none where only timing counts) by pair, `shares` by
    reference story."""

    threshold: float | None
    alignment: Alignment
    ious: Floats
    text: Floats | None
    shares: Shares
