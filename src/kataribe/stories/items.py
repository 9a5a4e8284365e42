"""The items of the task: the predicted and the reference stories of each video, in columns.

Video v has a table of references x predictions; cell (g, p) of all tables of a shard stand in one array, video after
video and row after row. Intersection over union and sentence scores are such arrays, computed once for all metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from kataribe import _native
from kataribe.core.join import missing_field
from kataribe.core.memo import Memo
from kataribe.core.ragged import Ragged, Rows, offsets_of, pick
from kataribe.core.signature import fingerprint
from kataribe.core.types import Bools, Floats, Int64s
from kataribe.formats.storytable import CaptionTable
from kataribe.text.pool import TextPool

Missing = Literal["zero", "drop", "error"]
# By start alone with equals as in the file, by start and then end, or as in the file.
Order = Literal["start", "sorted", "file"]


class CellCaptions(NamedTuple):
    """Some cells of the tables, and for each its video and the indices of its two captions."""

    cells: Int64s
    video: Int64s
    reference: Int64s
    prediction: Int64s


@dataclass(frozen=True, eq=False)
class ReferenceStories:
    """The reference stories that predictions are aligned with, each a list of rows of its video's table.

    Story s is of video[s] and by one annotator, or by all (-1).
    """

    video: Int64s
    annotator: Int64s
    rows: Ragged

    @property
    def lengths(self) -> Int64s:
        return self.rows.counts


@dataclass(frozen=True, eq=False)
class Fillers:
    """Texts in place of missing partners: one for all videos, a random one for each, and the seed of those."""

    constant: int
    random: Int64s
    seed: int


@dataclass(frozen=True, eq=False)
class Stories:
    """Videos with their stories. Some of them are a shard, which has a pool of its own texts.

    `annotator` says for each reference caption which of so many `annotators` it is from, and `predicted` for each video
    whether the predictions have it at all. Of each distinct text of the pool `plain` says which one is its ASCII
    version; in the pool again are texts whose end is cut in another way when another caption follows.
    """

    ids: Sequence[str]
    predicted: Bools
    predictions: CaptionTable
    references: CaptionTable
    annotator: Ragged
    annotators: int
    pool: TextPool
    plain: Int64s
    fillers: Fillers
    missing: Missing | None = None
    memo: Memo = field(default_factory=Memo, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> Stories:
        predictions, references, random = self.predictions[rows], self.references[rows], self.fillers.random[rows]
        used = np.zeros(len(self.pool.distinct), dtype=np.bool_)
        for texts in (predictions.texts.values, references.texts.values, random, self.fillers.constant):
            used[texts] = True
        used[self.plain[used]] = True
        kept = np.flatnonzero(used)
        renumbered = np.cumsum(used) - 1
        return replace(
            self,
            ids=pick(self.ids, rows),
            predicted=self.predicted[rows],
            predictions=predictions.with_texts(renumbered[predictions.texts.values]),
            references=references.with_texts(renumbered[references.texts.values]),
            annotator=self.annotator[rows],
            pool=self.pool.only(kept),
            plain=renumbered[self.plain[kept]],
            fillers=Fillers(int(renumbered[self.fillers.constant]), renumbered[random], self.fillers.seed),
            memo=Memo(),
        )

    def policy(self, default: Missing) -> Missing:
        """What is done about missing videos: what the user asked for, or else what a metric does."""
        return self.missing or default

    def counted(self, default: Missing) -> Bools:
        """Which videos enter a mean: all, or those with a prediction when the missing are dropped."""
        return self.predicted if self.policy(default) == "drop" else np.ones(len(self), dtype=np.bool_)

    def versions(self, texts: Int64s, *, plain: bool) -> Int64s:
        """Texts as they are, or their plain versions."""
        return self.plain[texts] if plain else texts

    def first_predictions(self, at_most: int) -> Stories:
        """Only the first predictions of each video, in the order of the file."""
        if self.predictions.counts.max(initial=0) <= at_most:
            return self
        return self.memo.keep(("first predictions", at_most), lambda: self._first_predictions(at_most))

    def _first_predictions(self, at_most: int) -> Stories:
        segments, texts = self.predictions.segments, self.predictions.texts
        first_ones = texts.within(np.arange(len(texts.values))) < at_most
        kept = Ragged.counted(texts.values[first_ones], np.minimum(texts.counts, at_most))
        shortened = CaptionTable(kept.with_values(segments.values[first_ones]), kept)
        return replace(self, predictions=shortened, memo=Memo())

    @cached_property
    def cells(self) -> Int64s:
        """The table of video v is cells[v]:cells[v + 1]."""
        return offsets_of(self.references.counts * self.predictions.counts)

    def ious(self, exact: bool) -> Floats:
        """Of every cell; with the published scorers' constant in it, or exact."""
        return self.memo.keep(
            ("iou", exact),
            lambda: _native.story_ious(self.references.segments.arrays, self.predictions.segments.arrays, exact),
        )

    def cell_captions(self, cells: Int64s) -> CellCaptions:
        video = np.searchsorted(self.cells, cells, side="right") - 1
        row, column = np.divmod(cells - self.cells[video], self.predictions.counts[video])
        references, predictions = self.references.offsets[video] + row, self.predictions.offsets[video] + column
        return CellCaptions(cells, video, references, predictions)

    def prediction_order(self, order: Order) -> Int64s:
        """The columns of each video's table in that order."""
        texts = self.predictions.texts
        return self.memo.keep(("order", order), lambda: texts.within(in_order(self.predictions, order)))

    def reference_stories(self, *, pooled: bool, order: Order) -> ReferenceStories:
        """The annotators' stories merged into one for each video, or each for itself.

        In one story captions that are equal in the order stand as in their files, and the files one after another.
        """
        annotator = np.full(self.references.total, -1) if pooled else self.annotator.values
        captions = in_order(self.references, order, annotator)
        video, annotator = self.references.video_of[captions], annotator[captions]
        starts = np.flatnonzero(np.diff(video, prepend=-1) | np.diff(annotator, prepend=-2))
        rows = Ragged(self.references.texts.within(captions), np.append(starts, len(captions)).astype(np.int64))
        return ReferenceStories(video[starts], annotator[starts], rows)


def in_order(captions: CaptionTable, order: Order, *major: Int64s) -> Int64s:
    """Indices of all captions by video, then by `major` keys, then in the order given; equals keep the file's order."""
    start, end = captions.segments.values.T
    keys: dict[Order, tuple[Floats, ...]] = {"start": (start,), "sorted": (end, start), "file": ()}
    return np.lexsort((*keys[order], *reversed(major), captions.video_of))


@dataclass(frozen=True)
class VideoCounts:
    """How many videos there are, and which have a prediction; counts of several shards add up.

    >>> counts = VideoCounts("drop", 2, ("v",)) + VideoCounts("drop", 1, ("w",))
    >>> counts.signature
    {'missing': 'drop(1)', 'data': '2/3', 'scored': '2a448ceb'}
    """

    policy: Missing
    videos: int
    predicted: tuple[str, ...]

    @classmethod
    def of(cls, items: Stories, default: Missing) -> VideoCounts:
        predicted = pick(items.ids, np.flatnonzero(items.predicted))
        return cls(items.policy(default), len(items), tuple(predicted))

    def __add__(self, other: VideoCounts) -> VideoCounts:
        return VideoCounts(self.policy, self.videos + other.videos, self.predicted + other.predicted)

    @property
    def counted(self) -> int:
        """How many videos enter a mean."""
        return len(self.predicted) if self.policy == "drop" else self.videos

    @property
    def signature(self) -> dict[str, str]:
        """On how much of the data a mean is and, where videos are left out, on which."""
        fields = {
            "missing": missing_field(self.policy, self.videos - len(self.predicted)),
            "data": f"{self.counted}/{self.videos}",
        }
        return fields | ({"scored": fingerprint(sorted(self.predicted))} if self.counted < self.videos else {})
