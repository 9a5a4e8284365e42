"""Items are cut into shards, and what is computed of shards is put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
        indices = np.concatenate([np.arange(total)[rows] for rows in self.rows])
        ordered = np.empty_like(joined)
        ordered[indices] = joined
        return ordered

    def in_order_list(self, lists: Sequence[Sequence[Any]]) -> list[Any]:
        """The entries of all items from those of the shards."""
        total = sum(len(entries) for entries in lists)
        ordered: list[Any] = [None] * total
        for rows, entries in zip(self.rows, lists, strict=True):
            for row, entry in zip(np.arange(total)[rows].tolist(), entries, strict=True):
                ordered[row] = entry
        return ordered


def cut(items: Items, workers: int, group_by: str | None = None) -> Sharding:
    """Shards of about one size, enough for that many workers; items of one group stay together."""
    size = max(MIN_SHARD, -(-len(items) // (workers * SHARDS_PER_WORKER)))
    if group_by is None:
        return at(items, [slice(start, start + size) for start in range(0, len(items), size)])
    return at(items, _whole_groups(getattr(items, group_by), size))


def at(items: Items, rows: Sequence[Rows]) -> Sharding:
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
