"""Items that belong together, such as the queries of one film: scores of each group, and what a bootstrap draws.

Items of one group are not independent: whoever finds one moment of a film finds its neighbours more easily too. A
bootstrap that draws single items would then be too sure of itself. So whole groups are drawn and swapped, each with
all its items, as long as there are enough of them (Davison and Hinkley, 1997, Bootstrap methods and their application,
section 3.8). With fewer, items are drawn, and the interval says nothing about other groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.core.metric import Metric
from kataribe.core.ragged import sum_by
from kataribe.core.types import Array, Floats, Int64s
from kataribe.stats.bootstrap import FEWEST_ITEMS


@dataclass(frozen=True)
class Groups:
    """`of[id]` is the group of an item, `kind` what a group is: a video, say.

    >>> groups = Groups("film", {"1": "a", "2": "b", "3": "a"})
    >>> groups.names, groups.rows(["3", "2", "1"]).tolist()
    (('a', 'b'), [0, 1, 0])
    """

    kind: str
    of: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.of.values()))

    def rows(self, ids: Sequence[str]) -> Int64s:
        """For each item the number of its group."""
        number = {name: row for row, name in enumerate(self.names)}
        return np.array([number[self.of[id]] for id in ids], dtype=np.int64)

    def values(self, metric: Metric, ids: Sequence[str], statistics: Array) -> dict[str, float]:
        """The score of each group on its own; NaN where it has none."""
        totals = sum_by(self.rows(ids), statistics.astype(np.float64, copy=False), len(self.names))
        values: Floats = metric.per_item(totals).value
        return dict(zip(self.names, values.tolist(), strict=True))


def drawn_rows(statistics: Array, ids: Sequence[str], groups: Groups | None) -> Array:
    """The rows that a bootstrap draws: those of whole groups where there are enough groups, else those of items.

    >>> rows = np.array([[1.0], [2.0], [4.0]])
    >>> drawn_rows(rows, ["1", "2", "3"], Groups("film", {"1": "a", "2": "b", "3": "a"})).tolist()
    [[1.0], [2.0], [4.0]]
    """
    if groups is None:
        return statistics
    group = groups.rows(ids)
    present, row = np.unique(group, return_inverse=True)
    if len(present) < FEWEST_ITEMS:
        return statistics
    return sum_by(row, statistics.astype(np.float64, copy=False), len(present))


def what_is_drawn(ids: Sequence[str], groups: Groups | None) -> dict[str, str]:
    """How a signature says it; nothing where items have no groups."""
    if groups is None:
        return {}
    return {"drawn": groups.kind if len(groups.names) >= FEWEST_ITEMS else "item"}
