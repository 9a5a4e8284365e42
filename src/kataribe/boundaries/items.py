"""The items of the task: for each video what every annotator marked and what was predicted, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kataribe.core.errors import InputError, some
from kataribe.core.memo import Memo
from kataribe.core.ragged import Ragged, Rows, pick
from kataribe.core.types import Floats, Int64s


@dataclass(frozen=True, eq=False)
class Videos:
    """Video i has the annotators of list i of `annotators` and the predictions of list i of `predictions`.

    Annotator j, counted over all videos, marked the boundaries of list j of `truth`; annotators.values[j] says how
    consistent this one is with the others. Where the frame rate is unknown, `fps` is NaN and `frames` 0. `seed` is
    that of all draws beside the system.
    """

    ids: Sequence[str]
    durations: Floats
    fps: Floats
    frames: Int64s
    annotators: Ragged
    truth: Ragged
    predictions: Ragged
    scores: Floats | None = None
    probabilities: Ragged | None = None
    seed: int = 0
    # Not handed on by `replace`: what was computed of other columns is not true of these.
    memo: Memo = field(default_factory=Memo, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> Videos:
        return Videos(
            pick(self.ids, rows),
            self.durations[rows],
            self.fps[rows],
            self.frames[rows],
            self.annotators[rows],
            lists_of(self.annotators, self.truth, rows),
            self.predictions[rows],
            None if self.scores is None else self.predictions.with_values(self.scores)[rows].values,
            None if self.probabilities is None else self.probabilities[rows],
            self.seed,
        )

    @property
    def confident(self) -> Int64s:
        """For each video the annotator who agrees most with the others, the first of equals."""
        return self.annotators.first_best()

    @property
    def without_fps(self) -> list[str]:
        """The ids of videos whose frame rate is unknown."""
        return [id for id, fps in zip(self.ids, self.fps, strict=True) if np.isnan(fps)]


def lists_of(annotators: Ragged, lists: Ragged, rows: Rows) -> Ragged:
    """The lists that belong to the annotators of some videos.

    >>> annotators, lists = Ragged.of([[0.5], [0.9, 0.2]]), Ragged.of([[1.0, 2.0], [3.0], []])
    >>> [times.tolist() for times in lists_of(annotators, lists, np.array([1]))]
    [[3.0], []]
    """
    return lists[annotators.with_values(np.arange(len(lists)))[rows].values]


def need_frames(name: str, without_fps: Sequence[str]) -> None:
    """Refuse a corpus in which the frame rate of some videos is unknown."""
    if without_fps:
        raise InputError(
            f"{name} counts frames, and the ground truth has no fps for {some(without_fps)}",
            hint="add fps to each video of the ground truth",
        )
