"""Lists of different lengths in two arrays, as the native core reads them.

What belongs to videos, to items or to sentences comes in lists: the captions of each video, the references of each
item, the boundaries of each annotator. List i is values[offsets[i]:offsets[i + 1]]; a value may be a number or a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from kataribe.core.types import Array, Floats, Int64s

Rows = slice | Int64s


@dataclass(frozen=True, eq=False)
class Ragged:
    """
    >>> lists = Ragged.of([[1.0, 2.0], [], [3.0]])
    >>> lists.counts.tolist(), lists[2:].values.tolist(), lists[np.array([2, 0])].values.tolist()
    ([2, 0, 1], [3.0], [3.0, 1.0, 2.0])
    """

    values: Array
    offsets: Int64s

    @classmethod
    def of(cls, lists: Iterable[Sequence[Any] | Array], dtype: Any = np.float64) -> Ragged:
        arrays = [np.asarray(entries, dtype=dtype) for entries in lists]
        return cls.counted(np.concatenate(arrays) if arrays else np.zeros(0, dtype), [len(array) for array in arrays])

    @classmethod
    def counted(cls, values: Array, counts: Sequence[int] | Int64s) -> Ragged:
        """Values that come list after list, and how many each list has.

        >>> [list.tolist() for list in Ragged.counted(np.array([7, 8, 9]), [1, 0, 2])]
        [[7], [], [8, 9]]
        """
        return cls(values, offsets_of(counts))

    @classmethod
    def grouped(cls, values: Array, owners: Int64s, lists: int) -> Ragged:
        """Values in any order, each of the list that `owners` names; those of one list keep their order.

        >>> [list.tolist() for list in Ragged.grouped(np.array([7, 8, 9]), np.array([1, 0, 1]), 3)]
        [[8], [7, 9], []]
        """
        order = np.argsort(owners, kind="stable")
        return cls.counted(values[order], np.bincount(owners, minlength=lists))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: Rows) -> Ragged:
        """Some of the lists: a slice of them, or those at the given indices in that order."""
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            if step == 1:
                offsets = self.offsets[start : max(start, stop) + 1]
                return Ragged(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])
            rows = np.arange(start, stop, step)
        counts = self.counts[rows]
        return Ragged(self.values[spans(self.offsets[:-1][rows], counts)], offsets_of(counts))

    def __add__(self, other: Ragged) -> Ragged:
        """These lists, and the other ones behind them.

        >>> [list.tolist() for list in Ragged.of([[1.0], []]) + Ragged.of([[2.0, 3.0]])]
        [[1.0], [], [2.0, 3.0]]
        """
        offsets = np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]])
        return Ragged(np.concatenate([self.values, other.values]), offsets)

    def __iter__(self) -> Iterator[Array]:
        return (self.values[start:stop] for start, stop in pairwise(self.offsets.tolist()))

    @cached_property
    def counts(self) -> Int64s:
        return np.diff(self.offsets)

    @cached_property
    def owners(self) -> Int64s:
        """The list of each value."""
        return np.repeat(np.arange(len(self)), self.counts)

    @property
    def starts(self) -> Int64s:
        """Where each list begins among the values."""
        return self.offsets[:-1]

    @property
    def arrays(self) -> tuple[Array, Int64s]:
        return np.ascontiguousarray(self.values), np.ascontiguousarray(self.offsets)

    def within(self, values: Int64s) -> Int64s:
        """Indices of values, counted from the first value of their list.

        >>> Ragged.of([[5.0], [6.0, 7.0]]).within(np.array([0, 2])).tolist()
        [0, 1]
        """
        within: Int64s = values - self.offsets[self.owners[values]]
        return within

    def with_values(self, values: Array) -> Ragged:
        """Other values in lists of the same lengths."""
        return Ragged(values, self.offsets)

    def spread(self, of_lists: Array) -> Array:
        """What belongs to lists, for each of their values.

        >>> Ragged.of([[5.0], [6.0, 7.0]]).spread(np.array([10, 20])).tolist()
        [10, 20, 20]
        """
        return np.repeat(of_lists, self.counts, axis=0)

    def sum(self) -> Floats:
        """
        >>> Ragged.of([[1.0, 2.0], [], [3.0]]).sum().tolist()
        [3.0, 0.0, 3.0]
        """
        return sum_by(self.owners, self.values, len(self))

    def max(self) -> Array:
        """The greatest value of each list; no list may be empty."""
        return np.maximum.reduceat(self.values, self.starts) if len(self) else self.values[:0]

    def mean(self) -> Floats:
        """The mean of each list; no list may be empty.

        >>> Ragged.of([[1.0, 4.0], [3.0]]).mean().tolist()
        [2.5, 3.0]
        """
        sums = np.add.reduceat(self.values, self.starts) if len(self) else self.values[:0]
        return np.asarray(sums / self.counts)

    def first_best(self) -> Int64s:
        """For each list the index of its greatest value, the first of equals; no list may be empty.

        >>> Ragged.of([[1.0, 4.0, 4.0], [3.0]]).first_best().tolist()
        [1, 3]
        """
        is_best = np.flatnonzero(self.values == self.spread(self.max()))
        return is_best[np.searchsorted(self.owners[is_best], np.arange(len(self)))]


def offsets_of(counts: Sequence[int] | Int64s) -> Int64s:
    """
    >>> offsets_of([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def spans(starts: Int64s, counts: Int64s) -> Int64s:
    """starts[0], starts[0] + 1, ... (counts[0] of them), starts[1], ...

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    steps: Int64s = np.arange(counts.sum()) + np.repeat(starts - (ends - counts), counts)
    return steps


def sum_by(groups: Int64s, values: Array, size: int) -> Floats:
    """Sums of the values of each group; a value is a number or a row of numbers.

    >>> sum_by(np.array([0, 0, 2]), np.array([[1, 2], [3, 4], [5, 6]]), 3).tolist()
    [[4.0, 6.0], [0.0, 0.0], [5.0, 6.0]]
    """
    if values.ndim > 1:
        return np.column_stack([sum_by(groups, column, size) for column in values.T])
    return np.asarray(np.bincount(groups, values, size), dtype=np.float64)


def pick(values: Sequence[Any], rows: Rows) -> Sequence[Any]:
    """Some entries of a list: a slice of it, or those at the given indices in that order.

    >>> pick("abcd", np.array([2, 0])), pick(["a", "b", "c"], slice(1, None))
    (['c', 'a'], ['b', 'c'])
    """
    return values[rows] if isinstance(rows, slice) else [values[row] for row in rows.tolist()]
