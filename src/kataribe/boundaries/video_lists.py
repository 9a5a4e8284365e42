"""What a video must know of the others: the boundaries of all videos by id, so that one can borrow from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.boundaries.items import Videos, lists_of
from kataribe.boundaries.players import Entries
from kataribe.core.ragged import Ragged, Rows, pick
from kataribe.core.types import Floats, Int64s


@dataclass(frozen=True, eq=False)
class VideoLists:
    """Video i has the annotators of list i of `annotators`; annotator j marked list j of `lists`, as in `Videos`.

    Predictions are lists of one annotator, the system. Those of several shards add up.
    """

    ids: Sequence[str]
    durations: Floats
    annotators: Ragged
    lists: Ragged

    @classmethod
    def of_truth(cls, videos: Videos) -> VideoLists:
        return cls(videos.ids, videos.durations, videos.annotators, videos.truth)

    @classmethod
    def of_entries(cls, entries: Entries, videos: Videos) -> VideoLists:
        """Entries in the order of their videos."""
        counts = np.bincount(entries.video, minlength=len(videos))
        return cls(videos.ids, videos.durations, Ragged.counted(np.zeros(len(entries)), counts), entries.lists)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> VideoLists:
        lists = lists_of(self.annotators, self.lists, rows)
        return VideoLists(pick(self.ids, rows), self.durations[rows], self.annotators[rows], lists)

    def __add__(self, other: VideoLists) -> VideoLists:
        return VideoLists(
            [*self.ids, *other.ids],
            np.concatenate([self.durations, other.durations]),
            self.annotators + other.annotators,
            self.lists + other.lists,
        )

    def by_id(self) -> VideoLists:
        """Sorted by id, whatever the order in which shards were added up."""
        return self[np.argsort(np.array(self.ids, dtype=object), kind="stable")]

    def rows_of(self, ids: Sequence[str]) -> Int64s:
        """The rows of these videos in the table."""
        rows = {id: row for row, id in enumerate(self.ids)}
        return np.array([rows[id] for id in ids], dtype=np.int64)
