"""Items are split into shards, and what is computed of shards is put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kataribe.core.metric import Items
from kataribe.core.ragged import Rows
from kataribe.core.types import Array, Int64s

# Small enough for smooth progress and a quick answer to Ctrl-C, large enough that overhead does not matter.
MIN_SHARD = 256
SHARDS_PER_WORKER = 4


@dataclass(frozen=True)
class Sharding:
    """`rows[k]` are the rows of the items of shards[k] among all items."""

    shards: Sequence[Any]
    rows: Sequence[Rows]

    def in_order(self, tables: Sequence[Array]) -> Array:
        """The rows of all items from those of the shards."""
        total = sum(len(table) for table in tables)
        joined = np.concatenate(tables)
        if all(isinstance(rows, slice) for rows in self.rows):
            return joined
        ordered = np.empty_like(joined)
        ordered[np.concatenate([np.arange(total)[rows] for rows in self.rows])] = joined
        return ordered

    def in_order_list(self, lists: Sequence[Sequence[Any]]) -> list[Any]:
        """The entries of all items from those of the shards."""
        total = sum(len(entries) for entries in lists)
        ordered: list[Any] = [None] * total
        for rows, entries in zip(self.rows, lists, strict=True):
            for row, entry in zip(np.arange(total)[rows].tolist(), entries, strict=True):
                ordered[row] = entry
        return ordered


def split(items: Items, workers: int, group_by: str | None = None) -> Sharding:
    """Shards of about one size, enough for that many workers; items of one group stay together."""
    most = workers * SHARDS_PER_WORKER
    size = max(MIN_SHARD, -(-len(items) // most))
    if group_by is not None:
        return shards_at(items, _whole_groups(getattr(items, group_by), size))
    ends = np.linspace(0, len(items), -(-len(items) // size) + 1).astype(int).tolist()
    return shards_at(items, [slice(start, end) for start, end in pairwise(ends)])


def shards_at(items: Items, rows: Sequence[Rows]) -> Sharding:
    """The items at each of these rows, as a shard."""
    return Sharding([items[some] for some in rows], rows)


def _whole_groups(groups: Sequence[Any], size: int) -> list[Int64s]:
    """The rows of whole groups, so many groups at a time that they reach a size."""
    members: dict[Any, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    shards: list[list[int]] = []
    for rows in members.values():
        if not shards or len(shards[-1]) >= size:
            shards.append([])
        shards[-1] += rows
    # The order of the items within a shard is that of the corpus.
    return [np.array(sorted(rows), dtype=np.int64) for rows in shards]
