"""The items of the task: for each video what every annotator marked and what was predicted, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.core.errors import InputError, some
from kataribe.core.ragged import Lists
from kataribe.core.types import Floats, Int64s


@dataclass(frozen=True)
class Videos:
    """Video i has the annotators raters[i]:raters[i + 1] of `truth` and the predictions of list i of `predictions`.

    Where the frame rate is unknown, `fps` is NaN and `frames` 0. `first` is this slice's place in the whole corpus,
    `seed` that of all draws beside the system.
    """

    ids: Sequence[str]
    durations: Floats
    fps: Floats
    frames: Int64s
    raters: Int64s
    truth: Lists
    consistency: Floats
    predictions: Lists
    scores: Floats | None = None
    probabilities: Lists | None = None
    first: int = 0
    seed: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: slice) -> Videos:
        start, stop, _ = rows.indices(len(self))
        raters = self.raters[start : stop + 1]
        marked = slice(self.predictions.offsets[start], self.predictions.offsets[stop])
        return Videos(
            self.ids[rows],
            self.durations[rows],
            self.fps[rows],
            self.frames[rows],
            raters - raters[0],
            self.truth[raters[0] : raters[-1]],
            self.consistency[raters[0] : raters[-1]],
            self.predictions[rows],
            None if self.scores is None else self.scores[marked],
            None if self.probabilities is None else self.probabilities[rows],
            self.first + start,
            self.seed,
        )

    @property
    def confident(self) -> Int64s:
        """For each video the annotator who agrees most with the others, the first of equals."""
        best = np.maximum.reduceat(self.consistency, self.raters[:-1])
        is_best = self.consistency == np.repeat(best, np.diff(self.raters))
        owner = np.repeat(np.arange(len(self)), np.diff(self.raters))[is_best]
        return np.flatnonzero(is_best)[np.searchsorted(owner, np.arange(len(self)))]

    def need_frames(self, metric: str) -> None:
        unknown = [id for id, fps in zip(self.ids, self.fps, strict=True) if np.isnan(fps)]
        if unknown:
            raise InputError(
                f"{metric} counts frames, and the ground truth has no fps for {some(unknown)}",
                hint="add fps to each video of the ground truth",
            )
