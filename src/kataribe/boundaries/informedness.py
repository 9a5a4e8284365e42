"""Informedness: how much better than guessing, frame by frame, inside the tolerance windows.

    RP, PP        frames within d of a true, of a predicted boundary;  T frames in all
    prevalence    RP / T                          bias          PP / T
    informedness  recall - FP / (FP + TN)         markedness    precision - FN / (FN + TN)
    precision = markedness (1 - bias) + prevalence        recall = informedness (1 - prevalence) + bias

Powers, D. M. W. (2011). Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and
correlation. Journal of Machine Learning Technologies 2(1).
Yukutake, T., Mizufune, K., Matsubayashi, T. 動画境界検出タスクにおける評価方法の検証 (in Japanese).

Quirks. Boundaries stand on the nearest frame, windows include both ends and are clipped to the video, overlapping
ones count once. Frames are summed over all videos. Precision and recall are those of frames, not of boundaries. With
no frame to judge (all frames true, say) the rate of that side is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe import _native
from kataribe.boundaries.comparison import Annotator, Comparison, ratio
from kataribe.boundaries.f1 import match_counts
from kataribe.boundaries.items import Videos, need_frames
from kataribe.boundaries.panel import PanelMetric
from kataribe.boundaries.tolerance import Distance
from kataribe.core.metric import Measured, option
from kataribe.core.types import Floats


@dataclass(frozen=True)
class Informedness(PanelMetric):
    name: ClassVar[str] = "informedness"
    title: ClassVar[str] = "Informedness"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    counts: ClassVar[tuple[str, ...]] = ("both", "predicted", "true", "frames", "f1")
    shows_comparable: ClassVar[bool] = True

    annotator: Annotator = option("confident", "the annotator who counts", positional=True)

    def scan_references(self, items: Videos) -> list[str]:
        return items.without_fps

    def conclude(self, references: list[str], predictions: None) -> None:
        need_frames(self.name, references)

    def table(self, comparison: Comparison, videos: Videos, distance: Distance) -> Floats:
        if not len(comparison):
            return np.zeros((0, len(self.counts)))
        frames = videos.frames[comparison.video]
        tolerances = distance.in_frames(frames, videos.fps[comparison.video])
        both, predicted, true = _native.window_frames(comparison.on_frames(videos).native, tolerances, frames)
        matched = match_counts(comparison, videos, distance, "official", "closed")
        return np.column_stack([both, predicted, true, frames, matched.f1])

    def quality(self, comparison: Comparison, table: Floats) -> Floats:
        return self.column(table, "f1")

    def formula(self, entries: Floats, counts: Floats) -> Measured:
        rates = window_rates(*(self.column(counts, name) for name in ("both", "predicted", "true", "frames")))
        return Measured(rates["informedness"], {name: rate for name, rate in rates.items() if name != "informedness"})


def window_rates(both: Floats, predicted: Floats, true: Floats, frames: Floats) -> dict[str, Floats]:
    """
    >>> rates = window_rates(*(np.array(float(n)) for n in (20, 40, 30, 100)))
    >>> {name: round(float(rate), 3) for name, rate in rates.items()}
    {'bias': 0.4, 'prevalence': 0.3, 'informedness': 0.381, 'markedness': 0.333, 'precision': 0.5, 'recall': 0.667}
    """
    false, missed = predicted - both, true - both
    rightly_left = frames - predicted - missed
    precision, recall = ratio(both, predicted, empty=0.0), ratio(both, true, empty=0.0)
    return {
        "bias": ratio(predicted, frames, empty=0.0),
        "prevalence": ratio(true, frames, empty=0.0),
        "informedness": recall - ratio(false, false + rightly_left, empty=0.0),
        "markedness": precision - ratio(missed, missed + rightly_left, empty=0.0),
        "precision": precision,
        "recall": recall,
    }
