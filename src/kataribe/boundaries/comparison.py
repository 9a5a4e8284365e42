"""Which annotators an entry is compared with.

max         the one it agrees with best; the first one if the entry is empty, as the published tool has it
confident   the one who agrees most with the other annotators; as an entry this one is left out
mean        each of them; counts are averaged
majority    the boundaries that more than half of them share
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from kataribe import _native
from kataribe.boundaries.items import Videos
from kataribe.boundaries.players import Entries
from kataribe.boundaries.times import on_frames
from kataribe.boundaries.tolerance import Distance
from kataribe.core.ragged import Ragged, sum_by
from kataribe.core.types import Bools, Floats, Int64s

Annotator = Literal["max", "confident", "mean", "majority"]


@dataclass(frozen=True)
class Comparison:
    """Pairs of an entry and a list of true boundaries; the pairs of one entry stand together."""

    entries: Entries
    references: Ragged
    entry: Int64s
    reference: Int64s

    @property
    def video(self) -> Int64s:
        return self.entries.video[self.entry]

    def __len__(self) -> int:
        return len(self.entry)

    @property
    def first_pairs(self) -> Int64s:
        """Where the pairs of each entry begin."""
        return np.searchsorted(self.entry, np.arange(len(self.entries)))

    def hits(self, tolerances: Floats, *, optimal: bool = False, strict: bool = False) -> Floats:
        """How many predictions of each pair find a true boundary of their own."""
        if not len(self):
            return np.zeros(0)
        return _native.boundary_hits(self.native, tolerances, optimal=optimal, strict=strict).astype(np.float64)

    @property
    def predicted(self) -> Floats:
        return self.entries.lists.counts[self.entry].astype(np.float64)

    @property
    def true(self) -> Floats:
        return self.references.counts[self.reference].astype(np.float64)

    def on_frames(self, videos: Videos) -> Comparison:
        """The same pairs, with seconds turned into the nearest frames."""
        fps, frames = videos.fps, videos.frames
        lists = on_frames(self.entries.lists, fps[self.entries.video], frames[self.entries.video])
        owner = np.zeros(len(self.references), dtype=np.int64)
        owner[self.reference] = self.video
        references = on_frames(self.references, fps[owner], frames[owner])
        return Comparison(replace(self.entries, lists=lists), references, self.entry, self.reference)

    @property
    def native(self) -> _native.BoundaryComparison:
        """As the native core takes it."""
        return _native.BoundaryComparison(self.entries.lists.arrays, self.references.arrays, self.entry, self.reference)

    def shares(self, annotator: Annotator, quality: Floats) -> Floats:
        """How much each pair counts for its entry; `max` takes the pair of the highest quality, the first of equals.

        An empty entry agrees with nobody: it is held against its first annotator. Otherwise one annotator who marked
        nothing would make silence perfect.
        """
        pairs = np.bincount(self.entry, minlength=len(self.entries))
        if annotator != "max":
            return 1.0 / pairs[self.entry]
        if not len(self):
            return np.zeros(0)
        is_best = quality == np.maximum.reduceat(quality, self.first_pairs)[self.entry]
        best = np.flatnonzero(is_best)[np.searchsorted(self.entry[is_best], np.arange(len(self.entries)))]
        chosen = np.where(self.entries.lists.counts > 0, best, self.first_pairs)
        shares = np.zeros(len(self))
        shares[chosen] = 1.0
        return shares

    def per_video(self, shares: Floats, table: Floats, videos: int) -> Floats:
        """A row for each video: its number of entries, then the table's columns, summed over them."""
        columns = [np.ones(len(self)), *table.T]
        return np.column_stack([sum_by(self.video, shares * column, videos) for column in columns])


def compare(entries: Entries, videos: Videos, annotator: Annotator, distance: Distance) -> Comparison:
    """Every entry beside its annotators; an entry without any (one annotator alone, say) is left out."""
    if entries.are_one_each(videos):  # then pairs are the same, whatever the entries are
        pairs = videos.memo.keep(("pairs", annotator), lambda: _pairs(entries, videos, annotator))
    else:
        pairs = _pairs(entries, videos, annotator)
    if not pairs.has_any.all():
        entries = entries.keep(np.flatnonzero(pairs.has_any))
    entry, reference = pairs.entry, pairs.reference
    if annotator != "majority":
        return Comparison(entries, videos.truth, entry, reference)
    groups = np.concatenate([np.searchsorted(entry, np.arange(len(entries))), [len(entry)]]).astype(np.int64)
    tolerances = distance.of(videos.durations)[entries.video]
    agreed = _native.majority_boundaries(videos.truth.arrays, (reference, groups), tolerances)
    each = np.arange(len(entries))
    return Comparison(entries, Ragged(*agreed), each, each)


class _Pairs(NamedTuple):
    """Which entries meet an annotator at all; of these every one beside each of its annotators."""

    has_any: Bools
    entry: Int64s
    reference: Int64s


def _pairs(entries: Entries, videos: Videos, annotator: Annotator) -> _Pairs:
    everybody = videos.annotators.with_values(np.arange(len(videos.truth)))[entries.video]
    entry, reference = everybody.owners, everybody.values
    kept = reference != entries.without[entry]
    if annotator == "confident":
        kept &= reference == videos.confident[entries.video][entry]
    counts = np.bincount(entry[kept], minlength=len(entries))
    has_any = counts > 0
    return _Pairs(has_any, np.repeat(np.arange(has_any.sum()), counts[has_any]), reference[kept])


def f1(hits: Floats, predicted: Floats, true: Floats) -> Floats:
    """2 TP / (predicted + true); where there is nothing to find and nothing was predicted, 1.

    >>> f1(np.array([2.0, 0.0]), np.array([4.0, 0.0]), np.array([3.0, 0.0]))
    array([0.57142857, 1.        ])
    """
    return ratio(2 * hits, predicted + true, empty=1.0)


def ratio(numerator: Floats, denominator: Floats, empty: float) -> Floats:
    """The quotient, or `empty` where the denominator is 0."""
    known = denominator != 0
    return np.where(known, numerator / np.where(known, denominator, 1.0), empty)
