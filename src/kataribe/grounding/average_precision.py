"""mAP: average precision of each query's ranked spans, the mean over queries, then over the IoUs to reach.

    AP_t(q) = sum over recall steps of (r_i - r_(i-1)) * max over j >= i of precision_j       at IoU t
    mAP     = mean over t = .50, .55, ..., .95 of the mean over q of AP_t(q)

Spans are taken in order; each is right if the best true span that no earlier one has taken overlaps it by at least t,
and takes it. Precision is made monotone before it is averaged, as in VOC and ActivityNet.

Lei, J., Berg, T., Bansal, M. (2021). QVHighlights: detecting moments and highlights in videos via natural language
queries. NeurIPS.

Protocol qvhighlights: only the first 10 spans in the order of the file are looked at, and these are then sorted by
score. `length` is that of true spans: (0, 10], (10, 30] and (30, 150] s; spans outside the range are removed, and
queries without any left are not counted. The other protocols define no mAP. Parts show IoU .5 and .75.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.core.metric import Protocols, option
from kataribe.core.types import Bools, Floats, Int64s
from kataribe.grounding.entries import Entries
from kataribe.grounding.items import Queries
from kataribe.grounding.moments import MomentMetric
from kataribe.grounding.overlap import iou, padded
from kataribe.grounding.panel import check_positive, check_thresholds, presets

DEFAULT_IOUS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
_SHOWN = ("@0.5", "@0.75")


@dataclass(frozen=True)
class MomentMAP(MomentMetric):
    name: ClassVar[str] = "moment_map"
    title: ClassVar[str] = "mean average precision of ranked spans"
    protocols: ClassVar[Protocols] = presets(qvhighlights={"keep": 10})

    iou: tuple[float, ...] = option(DEFAULT_IOUS, "the IoUs to reach")
    keep: int = option(0, "look at the first so many spans of the file; 0: all")

    def __post_init__(self) -> None:
        check_positive(self, trials=self.trials)
        check_thresholds(self, self.iou)

    @property
    def thresholds(self) -> tuple[str, ...]:
        return tuple(f"@{at:g}" for at in self.iou)

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(at for at in self.thresholds if at in _SHOWN or self.iou != DEFAULT_IOUS)

    @property
    def looks_at(self) -> int | None:
        return self.keep or None

    def fitted(self, items: Queries) -> Floats:
        assert items.train is not None
        return items.train.for_recall(self.iou, self.guesses)

    def considered(self, entries: Entries) -> Entries:
        return entries.first(self.keep) if self.keep else entries

    def quality(self, entries: Entries, items: Queries) -> Floats:
        right = _assigned(
            iou(padded(entries.spans)[:, :, None], padded(entries.truth)[:, None], self.overlap), self.iou
        )
        return _average_precision(right, entries.truth.counts.astype(np.float64))

    def choices(self) -> dict[str, str]:
        ious = "0.5:0.05:0.95" if self.iou == DEFAULT_IOUS else "+".join(f"{at:g}" for at in self.iou)
        return {"iou": ious, "keep": str(self.keep or "all"), "ap": "interpolated"}


def _assigned(overlaps: Floats, thresholds: tuple[float, ...]) -> Bools:
    """Which spans are right: right[entry, rank, threshold] of overlaps[entry, rank, true span].

    Each true span keeps one bit for every threshold, set until a span takes it there; so one pass over ranks and true
    spans serves all thresholds.
    """
    entries, ranks, true = overlaps.shape
    ascending = np.sort(np.array(thresholds))
    # A span that reaches the k lowest thresholds has the k lowest bits.
    bits = (np.int64(1) << np.arange(len(thresholds) + 1)) - 1
    reached: Int64s = bits[np.searchsorted(ascending, overlaps.ravel(), side="right")].reshape(overlaps.shape)
    # Best first; of equal overlaps the last one, as the published scorer sorts them.
    order = true - 1 - np.argsort(-overlaps[..., ::-1], axis=2, kind="stable")
    free = np.full((entries, true), bits[-1])
    taken = np.zeros((entries, ranks), dtype=np.int64)
    row = np.arange(entries)
    for rank in range(ranks):
        left = np.full(entries, bits[-1])
        for place in range(true):
            column = order[:, rank, place]
            found = reached[row, rank, column] & free[row, column] & left
            free[row, column] ^= found
            left ^= found
        taken[:, rank] = bits[-1] ^ left
    at = np.searchsorted(ascending, np.array(thresholds))
    return np.asarray((taken[:, :, None] >> at) & 1, dtype=bool)


def _average_precision(right: Bools, true: Floats) -> Floats:
    """Of right[entry, rank, threshold], given how many true spans each entry has."""
    hits = right.cumsum(axis=1)
    precision = hits / np.arange(1, right.shape[1] + 1)[:, None]
    # The highest precision at this recall or a greater one.
    monotone = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    return np.asarray((monotone * right).sum(axis=1) / np.maximum(true, 1)[:, None])
