"""Localisation: precision, recall and F1 of the segments alone.

    precision@t = share of predicted segments with IoU > t to some reference segment
    recall@t    = share of reference segments with IoU > t to some predicted segment
    F1@t        = harmonic mean of the two means over videos

at t = .3 .5 .7 .9. Without a threshold: the mean of precision and of recall over t, and F1 of those two means, as
captioning papers report it. With several annotators a video takes the highest precision and the highest recall, each
for itself, as the ActivityNet Captions scorer does.

Krishna, R., Hata, K., Ren, F., Fei-Fei, L., Niebles, J. C. (2017). Dense-captioning events in videos. ICCV.

Quirks. Under `official` the IoU carries the published scorer's constant, so that a perfect overlap stays just below
1; `iou=exact` (paper) leaves it out. Other than in `activitynet(...)` predictions beyond the first 1,000 count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats
from kataribe.stories.alignment import harmonic_mean
from kataribe.stories.detection import detect
from kataribe.stories.items import Stories, VideoCounts

THRESHOLDS = (0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True)
class Localisation(Metric):
    name: ClassVar[str] = "localisation"
    task: ClassVar[str] = "stories"
    title: ClassVar[str] = "Localisation F1"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = (
        "videos",
        *(f"precision@{t}" for t in THRESHOLDS),
        *(f"recall@{t}" for t in THRESHOLDS),
    )
    protocols: ClassVar[Protocols] = {"paper": {"iou": "exact"}}

    iou: Literal["tool", "exact"] = option("tool", "with the published scorer's constant, or exact")

    def scan_predictions(self, items: Stories) -> VideoCounts:
        return VideoCounts.of(items, "zero")

    def conclude(self, references: None, predictions: VideoCounts) -> VideoCounts:
        return predictions

    def stats(self, items: Stories, context: VideoCounts) -> Array:
        found = detect(items, items.ious(self.iou == "exact"), THRESHOLDS)
        counted = items.counted("zero")[:, None]
        return counted * np.column_stack([np.ones(len(items)), found.precision, found.recall])

    def measure(self, totals: Floats) -> Measured:
        with np.errstate(invalid="ignore"):  # a video that was left out has no score: 0/0
            shares = totals[..., 1:] / totals[..., :1]
        precision, recall = shares[..., : len(THRESHOLDS)], shares[..., len(THRESHOLDS) :]
        means = {"precision": precision.mean(axis=-1), "recall": recall.mean(axis=-1)}
        f1 = harmonic_mean(means["precision"], means["recall"])
        f1_at = harmonic_mean(precision, recall)
        by_threshold = {
            f"{name}@{t}": part[..., k]
            for name, part in (("F1", f1_at), ("precision", precision), ("recall", recall))
            for k, t in enumerate(THRESHOLDS)
        }
        return Measured(f1, {"F1": f1, **means, **by_threshold})

    def signature(self, facts: VideoCounts) -> dict[str, str]:
        return {"tiou": "+".join(map(str, THRESHOLDS)), "iou": self.iou, "refs": "best", **facts.signature}
