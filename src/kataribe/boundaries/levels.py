"""A ranking by its distinct scores, which adds up over shards, and the precision of the whole corpus at each score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kataribe.core.types import Floats, Int64s


class Precisions(NamedTuple):
    """The scores at which something is correct, the lowest first, and the precision at each of them."""

    scores: Floats
    precision: Floats

    def of(self, score: Floats, correct: Floats) -> Floats:
        """For each instance the precision at its score; 0 where it is not correct, which no metric reads."""
        precision = np.zeros(len(score))
        asked = np.flatnonzero(correct)
        precision[asked] = self.precision[np.searchsorted(self.scores, score[asked])]
        return precision


@dataclass(frozen=True, eq=False)
class Levels:
    """How many instances have each score, the lowest first, and how many of them are correct.

    >>> one, other = Levels.of(np.array([0.9, 0.1]), np.ones(2)), Levels.of(np.array([0.9]), np.zeros(1))
    >>> both = Levels.joined([one, other])
    >>> both.scores.tolist(), both.instances.tolist(), both.correct.tolist()
    ([0.1, 0.9], [1, 2], [1.0, 1.0])
    >>> both.precisions().of(np.array([0.9, 0.1]), np.ones(2)).round(3)
    array([0.5  , 0.667])
    """

    scores: Floats
    instances: Int64s
    correct: Floats

    @classmethod
    def of(cls, score: Floats, correct: Floats) -> Levels:
        # Scores of neighbouring frames rise and fall together: a stable sort makes use of such runs.
        order = np.argsort(score, kind="stable")
        return _distinct(score[order], np.ones(len(score), dtype=np.int64), correct[order])

    @classmethod
    def joined(cls, parts: Sequence[Levels]) -> Levels:
        scores = np.concatenate([part.scores for part in parts])
        # Each part is such a run.
        order = np.argsort(scores, kind="stable")
        instances = np.concatenate([part.instances for part in parts])
        correct = np.concatenate([part.correct for part in parts])
        return _distinct(scores[order], instances[order], correct[order])

    def precisions(self) -> Precisions:
        found, ranked = np.cumsum(self.correct[::-1], dtype=np.longdouble)[::-1], np.cumsum(self.instances[::-1])[::-1]
        asked = np.flatnonzero(self.correct)
        return Precisions(self.scores[asked], (found[asked] / ranked[asked]).astype(np.float64))


def _distinct(scores: Floats, instances: Int64s, correct: Floats) -> Levels:
    """Equal scores, which stand together, become one level."""
    if not len(scores):
        return Levels(scores, instances, correct)
    starts = np.flatnonzero(np.append(True, scores[1:] != scores[:-1]))
    # Wider than the answer: a million times 0.2 would depend on how it was cut into shards.
    found = np.add.reduceat(correct, starts, dtype=np.longdouble).astype(np.float64)
    return Levels(scores[starts], np.add.reduceat(instances, starts), found)
