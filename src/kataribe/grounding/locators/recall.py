"""How well spans are found: R@n, IoU@m and the mean IoU of the first span, with intervals over queries.

    R@n, IoU@m = share of queries with one of the first n spans at an IoU of at least m with the true one

IoU is of plain seconds. Intervals draw queries again; of several seeds, seeds too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.core.types import Floats, Segment
from kataribe.stats.bootstrap import studentised_interval

RANKS, IOUS = (1, 5), (0.1, 0.3, 0.5, 0.7)
MEAN_IOU = "mIoU"
_REPLICATES = 1000

Ends = tuple[float, float]


def measure_name(rank: int, iou: float) -> str:
    return f"R@{rank}, IoU@{iou:g}"


MEASURES = (*(measure_name(rank, iou) for rank in RANKS for iou in IOUS), MEAN_IOU)


@dataclass(frozen=True, eq=False)
class Hits:
    """By measure, a value for each query."""

    values: Mapping[str, Floats]

    @classmethod
    def of(cls, found: Sequence[Sequence[Segment]], truth: Sequence[Segment]) -> Hits:
        """Spans of each query, the surest first, beside its true one.

        >>> hits = Hits.of([[Segment(0, 10), Segment(20, 30)]], [Segment(20, 28)])
        >>> hits.means["R@1, IoU@0.5"], hits.means["R@5, IoU@0.5"], hits.means["R@5, IoU@0.7"]
        (0.0, 1.0, 1.0)
        """
        best = np.zeros((len(truth), len(RANKS)))
        for row, (spans, true) in enumerate(zip(found, truth, strict=True)):
            overlaps = [span.iou(true) for span in spans]
            best[row] = [max(overlaps[:rank], default=0.0) for rank in RANKS]
        values = {
            measure_name(rank, iou): (best[:, column] >= iou).astype(np.float64)
            for column, rank in enumerate(RANKS)
            for iou in IOUS
        }
        return cls(values | {MEAN_IOU: best[:, 0]})

    def __len__(self) -> int:
        return len(self.values[MEAN_IOU])

    @property
    def means(self) -> dict[str, float]:
        return {name: float(values.mean()) if len(values) else float("nan") for name, values in self.values.items()}

    def intervals(self, seed: int = 0) -> dict[str, Ends]:
        """95% over queries; none where there are fewer than five, or all are alike."""
        if not len(self):
            return {}
        drawn = np.random.default_rng(seed).integers(0, len(self), (_REPLICATES, len(self)))
        found = {
            name: studentised_interval(float(values.mean()), values[drawn].mean(axis=1), len(self), (0.0, 1.0))
            for name, values in self.values.items()
        }
        return {name: ends for name, ends in found.items() if ends is not None}


@dataclass(frozen=True)
class Spread:
    """A mean over seeds and queries, and its 95% interval."""

    value: float
    interval: Ends


def over_seeds(runs: Sequence[Floats], seed: int = 0) -> Spread:
    """Values of the same queries by several seeds: the mean, and the interval of drawing seeds and queries again.

    >>> over_seeds([np.ones(4), np.zeros(4)]).value
    0.5
    """
    table = np.stack(runs)
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, len(table), (_REPLICATES, len(table)))
    queries = rng.integers(0, table.shape[1], (_REPLICATES, table.shape[1]))
    means = [float(table[s][:, q].mean()) for s, q in zip(seeds, queries, strict=True)]
    low, high = np.quantile(means, [0.025, 0.975]).tolist()
    return Spread(float(table.mean()), (low, high))
