"""The items of the task: the predicted and the reference stories of each video, in columns.

Video v has a table of references x predictions; cell (g, p) of all tables of a shard stand in one array, video after
video and row after row. Intersection over union and sentence scores are such arrays, computed once for all metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from kataribe import _native
from kataribe.captions.items import TextPool
from kataribe.core.join import missing_field
from kataribe.core.metric import Metric
from kataribe.core.signature import fingerprint
from kataribe.core.types import Array, Bools, Floats, Int64s

T = TypeVar("T")
Missing = Literal["zero", "drop", "error"]
# By start alone with equals as in the file, by start and then end, or as in the file.
Order = Literal["start", "sorted", "file"]


@dataclass(frozen=True, eq=False)
class Told:
    """One side's captions: those of video v are bounds[v]:bounds[v + 1], in the order of the file."""

    bounds: Int64s
    segments: Floats
    texts: Int64s

    def __getitem__(self, videos: slice) -> Told:
        bounds = self.bounds[videos.start : videos.stop + 1]
        captions = slice(bounds[0], bounds[-1])
        return Told(bounds - bounds[0], self.segments[captions], self.texts[captions])

    @cached_property
    def counts(self) -> Int64s:
        return np.diff(self.bounds)

    @cached_property
    def video_of(self) -> Int64s:
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def within_video(self, captions: Int64s) -> Int64s:
        """Caption numbers counted from the first caption of their video."""
        return captions - self.bounds[self.video_of[captions]]

    def in_order(self, order: Order, *major: Int64s) -> Int64s:
        """All captions by video, then by `major` keys, then in the order given; equals keep the file's order."""
        start, end = self.segments.T
        keys: dict[Order, tuple[Floats, ...]] = {"start": (start,), "sorted": (end, start), "file": ()}
        return np.lexsort((*keys[order], *reversed(major), self.video_of))


@dataclass(frozen=True, eq=False)
class Cells:
    """Some cells of the tables, spelled out: caption numbers within the shard."""

    cells: Int64s
    video: Int64s
    reference: Int64s
    prediction: Int64s


@dataclass(frozen=True, eq=False)
class Readings:
    """The reference stories that predictions are read against, each a list of rows of its video's table.

    Reading r is of video[r] and of one annotator, or of all (-1); its rows are rows[bounds[r]:bounds[r + 1]].
    """

    video: Int64s
    annotator: Int64s
    rows: Int64s
    bounds: Int64s

    @property
    def lengths(self) -> Int64s:
        return np.diff(self.bounds)


@dataclass(frozen=True, eq=False)
class Stories:
    """Videos with their stories; a slice is a shard, which keeps what metrics compute on it.

    `annotator` says for each reference caption which reference file it is from, `predicted` for each video whether
    the predictions have it at all, and `fillers` which random text stands in for its missing partners. Of each text
    of the pool `plain` says which other text is its ASCII version, and `open_ended` how else it may be cut when
    another caption follows it.
    """

    ids: Sequence[str]
    predicted: Bools
    predictions: Told
    references: Told
    annotator: Int64s
    annotators: int
    pool: TextPool
    plain: Int64s
    open_ended: Mapping[int, Sequence[int]]
    fillers: Int64s
    constant_filler: int
    seed: int
    missing: Missing | None = None
    first: int = 0
    contexts: dict[tuple[Metric, bool], Any] = field(default_factory=dict)
    kept: dict[Hashable, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: slice) -> Stories:
        start, stop, _ = rows.indices(len(self))
        videos = slice(start, stop)
        return replace(
            self,
            ids=self.ids[videos],
            predicted=self.predicted[videos],
            predictions=self.predictions[videos],
            references=self.references[videos],
            annotator=self.annotator[self.references.bounds[start] : self.references.bounds[stop]],
            fillers=self.fillers[videos],
            first=self.first + start,
            kept={},
        )

    @property
    def rows(self) -> slice:
        """Where these videos stand among all of the evaluation."""
        return slice(self.first, self.first + len(self))

    def counted(self, default: Missing) -> Bools:
        """Which videos enter a mean: all, or those with a prediction when the missing are dropped."""
        policy = self.missing or default
        return self.predicted if policy == "drop" else np.ones(len(self), dtype=np.bool_)

    def policy_fields(self, default: Missing) -> dict[str, str]:
        """A signature's words on how much of the data a mean is over and, where videos are left out, on which."""
        absent = int(np.count_nonzero(~self.predicted))
        counted = self.counted(default)
        fields = {
            "missing": missing_field(self.missing or default, absent),
            "data": f"{int(counted.sum())}/{len(self)}",
        }
        if not counted.all():
            fields["scored"] = fingerprint(sorted(self.ids[row] for row in np.flatnonzero(counted).tolist()))
        return fields

    def spelling(self, texts: Int64s, *, plain: bool) -> Int64s:
        """Texts as they are, or their plain versions."""
        return self.plain[texts] if plain else texts

    def text_context(self, metric: Metric, *, plain: bool = False) -> Any:
        """What a sentence metric needs to know of the corpus: all reference captions, each a document."""
        if (metric, plain) not in self.contexts:
            documents = self.spelling(self.references.texts, plain=plain)
            self.contexts[metric, plain] = metric.prepare(self.pool.pairs(documents, documents))
        return self.contexts[metric, plain]

    def keep(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What was computed on this shard under a key, computing it the first time."""
        if key not in self.kept:
            self.kept[key] = compute()
        kept: T = self.kept[key]
        return kept

    def cut(self, at_most: int) -> Stories:
        """Only the first predictions of each video, in the order of the file."""
        if self.predictions.counts.max(initial=0) <= at_most:
            return self
        told = self.predictions

        def cut() -> Stories:
            first_ones = told.within_video(np.arange(len(told.texts))) < at_most
            bounds = np.concatenate([[0], np.cumsum(np.minimum(told.counts, at_most))])
            shortened = Told(bounds, told.segments[first_ones], told.texts[first_ones])
            return replace(self, predictions=shortened, kept={})

        return self.keep(("cut", at_most), cut)

    @cached_property
    def cells(self) -> Int64s:
        """The table of video v stands at cells[v]:cells[v + 1]."""
        return np.concatenate([[0], np.cumsum(self.references.counts * self.predictions.counts)])

    def ious(self, exact: bool) -> Floats:
        """Of every cell; with the published scorers' constant in it, or exact."""
        told, predicted = self.references, self.predictions
        return self.keep(
            ("iou", exact),
            lambda: _native.story_ious(told.segments, told.bounds, predicted.segments, predicted.bounds, exact),
        )

    def spell(self, cells: Int64s) -> Cells:
        video = np.searchsorted(self.cells, cells, side="right") - 1
        row, column = np.divmod(cells - self.cells[video], self.predictions.counts[video])
        return Cells(cells, video, self.references.bounds[video] + row, self.predictions.bounds[video] + column)

    def prediction_order(self, order: Order) -> Int64s:
        """The columns of each video's table in that order."""
        return self.keep(("order", order), lambda: self.predictions.within_video(self.predictions.in_order(order)))

    def readings(self, *, pooled: bool, order: Order) -> Readings:
        """The annotators' stories merged into one for each video, or each for itself.

        In one story captions with equal places in the order stand as in their files, and the files one after another.
        """
        told, annotator = self.references, self.annotator
        if pooled:
            annotator = np.full_like(annotator, -1)
        rows = told.in_order(order, annotator)
        video, annotator = told.video_of[rows], annotator[rows]
        starts = np.flatnonzero(np.diff(video, prepend=-1) | np.diff(annotator, prepend=-2))
        return Readings(
            video[starts], annotator[starts], told.within_video(rows), np.append(starts, len(rows)).astype(np.int64)
        )


def sum_by(group: Int64s, values: Array, groups: int) -> Floats:
    """Sums of the rows of each group; a row is a number or a vector.

    >>> sum_by(np.array([0, 0, 2]), np.array([[1, 2], [3, 4], [5, 6]]), 3).tolist()
    [[4.0, 6.0], [0.0, 0.0], [5.0, 6.0]]
    """
    if values.ndim > 1:
        return np.column_stack([sum_by(group, column, groups) for column in values.T])
    return np.asarray(np.bincount(group, values, groups), dtype=np.float64)
