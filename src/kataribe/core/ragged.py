"""Many short lists of numbers in two arrays, as the native core reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.core.types import Floats, Int64s


@dataclass(frozen=True)
class Lists:
    """List i is values[offsets[i]:offsets[i + 1]].

    >>> lists = Lists.of([[1.0, 2.0], [], [3.0]])
    >>> lists.counts.tolist(), lists[2:].values.tolist(), lists.take([2, 0]).values.tolist()
    ([2, 0, 1], [3.0], [3.0, 1.0, 2.0])
    """

    values: Floats
    offsets: Int64s

    @classmethod
    def of(cls, lists: Iterable[Sequence[float]]) -> Lists:
        arrays = [np.asarray(entries, dtype=np.float64) for entries in lists]
        offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
        return cls(np.concatenate(arrays) if arrays else np.zeros(0), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: slice) -> Lists:
        start, stop, _ = rows.indices(len(self))
        offsets = self.offsets[start : max(start, stop) + 1]
        return Lists(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])

    def __iter__(self) -> Iterator[Floats]:
        return (self.values[start:stop] for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True))

    @property
    def counts(self) -> Int64s:
        return np.diff(self.offsets)

    @property
    def owners(self) -> Int64s:
        """The list of each value."""
        return np.repeat(np.arange(len(self)), self.counts)

    @property
    def arrays(self) -> tuple[Floats, Int64s]:
        return np.ascontiguousarray(self.values), np.ascontiguousarray(self.offsets)

    def take(self, places: Sequence[int] | Int64s) -> Lists:
        """The lists at the given places, in that order."""
        chosen = np.asarray(places, dtype=np.int64)
        counts = self.counts[chosen]
        return Lists(self.values[spans(self.offsets[:-1][chosen], counts)], np.concatenate([[0], np.cumsum(counts)]))

    def scaled(self, factors: Floats) -> Lists:
        """Every value times its list's factor."""
        return Lists(self.values * np.repeat(factors, self.counts), self.offsets)

    def on_frames(self, fps: Floats, frames: Int64s) -> Lists:
        """Seconds as the nearest frames, inside the video; each list with its own fps and number of frames."""
        nearest = np.rint(self.scaled(fps).values)
        return Lists(np.clip(nearest, 0, np.repeat(np.maximum(frames - 1, 0), self.counts)), self.offsets)


def spans(starts: Int64s, counts: Int64s) -> Int64s:
    """starts[0], starts[0] + 1, ... (counts[0] of them), starts[1], ...

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    steps: Int64s = np.arange(counts.sum()) + np.repeat(starts - (ends - counts), counts)
    return steps


def sum_by(places: Int64s, weights: Floats, size: int) -> Floats:
    """The weights added up place by place.

    >>> sum_by(np.array([0, 2, 0]), np.array([0.5, 1.0, 2.0]), 3)
    array([2.5, 0. , 1. ])
    """
    return np.bincount(places, weights, minlength=size).astype(np.float64)
