"""Blind guesses: the fixed relative spans that fit the training queries best, whatever is asked.

A guess is a span of the unit interval, such as the first half, that is stretched to every video. Candidates lie on a
grid of fortieths. The first guess is right for as many training queries as possible; each further one is right for
as many as possible of those for which no earlier one is (which is within 1 - 1/e of the best set there is). Once none
is left, the next ones start over.

The idea of such a floor is from Otani, M., Nakashima, Y., Rahtu, E., Heikkila, J. (2020). Uncovering hidden challenges
in query-based video moment retrieval. BMVC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kataribe.core.memo import Memo
from kataribe.core.signature import fingerprint
from kataribe.core.types import Floats

GRID = 40
# Training spans are rounded to this grid: many then are one, and a grid of fortieths does not see the difference.
_FINE = 100


@dataclass(frozen=True, eq=False)
class TrainSpans:
    """The true spans of training queries, relative to their videos: spans x 2."""

    relative: Floats
    memo: Memo = field(default_factory=Memo, init=False, repr=False)

    @cached_property
    def name(self) -> str:
        """For signatures."""
        return fingerprint([self.relative.round(6).tobytes().hex()])

    def for_recall(self, thresholds: tuple[float, ...], count: int, *, is_strict: bool = False) -> Floats:
        """`count` guesses, best first: right at as many of the thresholds as possible."""
        return self.memo.keep(
            (thresholds, count, is_strict), lambda: _cover(_distinct(self.relative), thresholds, count, is_strict)
        )

    def for_iou(self) -> Floats:
        """The guess of the highest mean IoU."""
        return self.memo.keep("iou", lambda: _closest(_distinct(self.relative)))


@dataclass(frozen=True)
class _Spans:
    """Different spans, and how many queries have each."""

    spans: Floats
    counts: Floats


def _distinct(relative: Floats) -> _Spans:
    rounded = np.round(relative * _FINE).astype(np.int64)
    found, counts = np.unique(rounded, axis=0, return_counts=True)
    return _Spans(found / _FINE, counts.astype(np.float64))


def candidates() -> Floats:
    """Every span of the grid, the shortest ones first.

    >>> len(candidates()), candidates()[-1].tolist()
    (820, [0.0, 1.0])
    """
    return np.array([(s / GRID, (s + n) / GRID) for n in range(1, GRID + 1) for s in range(GRID + 1 - n)])


def _overlaps(train: _Spans) -> Floats:
    """IoU of every candidate (row) with every different training span (column)."""
    guesses = candidates()
    shared = np.minimum(guesses[:, 1:], train.spans[:, 1]) - np.maximum(guesses[:, :1], train.spans[:, 0])
    hull = np.maximum(guesses[:, 1:], train.spans[:, 1]) - np.minimum(guesses[:, :1], train.spans[:, 0])
    return np.asarray(np.clip(shared, 0.0, None) / hull, dtype=np.float64)


def _cover(train: _Spans, thresholds: tuple[float, ...], count: int, is_strict: bool) -> Floats:
    overlaps = _overlaps(train)
    right = [overlaps > at if is_strict else overlaps >= at - 1e-12 for at in thresholds]
    left = [train.counts.copy() for _ in thresholds]
    # Of guesses that are right equally often, the one that overlaps more.
    closeness = 1e-6 * (overlaps @ train.counts) / train.counts.sum()
    chosen: list[int] = []
    for _ in range(count):
        gain = sum((table @ weight for table, weight in zip(right, left, strict=True)), np.zeros(len(overlaps)))
        if not gain.any():  # every query is covered that can be: the next guesses cover them once more
            left = [train.counts.copy() for _ in thresholds]
            gain = sum((table @ train.counts for table in right), np.zeros(len(overlaps)))
        gain = gain + closeness
        gain[chosen] = -np.inf
        chosen.append(int(gain.argmax()))
        for table, weight in zip(right, left, strict=True):
            weight[table[chosen[-1]]] = 0.0
    return np.asarray(candidates()[chosen])


def _closest(train: _Spans) -> Floats:
    best = int((_overlaps(train) @ train.counts).argmax())
    return np.asarray(candidates()[best : best + 1])
