"""F1 of event boundaries: a prediction near an unmatched true boundary is right.

    F1 = 2 TP / (2 TP + FP + FN);  TP = one-to-one matches within the tolerance d

Shou, M. Z., Lei, S. W., Wang, W., Ghadiyaram, D., Feiszli, M. (2021). Generic event boundary detection: a benchmark
for event segmentation. ICCV.

Quirks. d is 5% of the video's duration unless another tolerance is given. Matching: `official` walks through the true
boundaries in order, each takes the nearest prediction that is left, so that a later one may go without although a
better assignment exists; `optimal` finds the most matches. Annotator `max` compares every video with the annotator
who suits the prediction best: the highest 2rp / (r + p) in floating point, whose last bits decide between annotators
that are equally good, and the first annotator where nothing was predicted. So does the published tool. Counts are
summed over videos before F1 is computed (`micro`). A video without true and predicted boundaries is a perfect one. F1
rewards boundaries that are dense and even: read it beside its part `uniform`, or use chance_f1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.boundaries.comparison import Comparison, f1, ratio
from kataribe.boundaries.items import Videos
from kataribe.boundaries.panel import PanelMetric
from kataribe.boundaries.players import PAPER_TRIALS
from kataribe.boundaries.tolerance import Distance
from kataribe.core.metric import Measured, Protocols, option
from kataribe.core.types import Floats

Matching = Literal["official", "optimal"]
Edge = Literal["closed", "open"]


class MatchCounts(NamedTuple):
    """For each pair the counts, and the scores that follow from them."""

    hits: Floats
    predicted: Floats
    true: Floats
    f1: Floats
    precision: Floats
    recall: Floats


@dataclass(frozen=True)
class BoundaryF1(PanelMetric):
    name: ClassVar[str] = "boundary_f1"
    title: ClassVar[str] = "Boundary F1"
    counts: ClassVar[tuple[str, ...]] = MatchCounts._fields
    shows_comparable: ClassVar[bool] = True
    protocols: ClassVar[Protocols] = {"paper": {"matching": "optimal", "edge": "open", "trials": PAPER_TRIALS}}

    matching: Matching = option("official", "as the published tool matches, or the most matches possible")
    average: Literal["micro", "macro"] = option("micro", "one F1 of all counts, or the mean of the videos' F1")
    edge: Edge = option("closed", "a distance of exactly d is right (closed) or wrong (open)")

    def table(self, comparison: Comparison, videos: Videos, distance: Distance) -> Floats:
        return np.column_stack(match_counts(comparison, videos, distance, self.matching, self.edge))

    def quality(self, comparison: Comparison, table: Floats) -> Floats:
        return self.column(table, "f1")

    def formula(self, entries: Floats, counts: Floats) -> Measured:
        if self.average == "macro":
            means = (ratio(self.column(counts, name), entries, empty=np.nan) for name in ("f1", "precision", "recall"))
            value, precision, recall = means
        else:
            value, precision, recall = scores(*(self.column(counts, name) for name in ("hits", "predicted", "true")))
        return Measured(value, {"precision": precision, "recall": recall})

    def choices(self) -> dict[str, str]:
        return {"match": self.matching, "avg": self.average, "edge": self.edge}


def match_counts(
    comparison: Comparison, videos: Videos, distance: Distance, matching: Matching, edge: Edge
) -> MatchCounts:
    tolerances = distance.of(videos.durations)[comparison.video]
    hits = comparison.hits(tolerances, optimal=matching == "optimal", strict=edge == "open")
    predicted, true = comparison.predicted, comparison.true
    _, precision, recall = scores(hits, predicted, true)
    # Not 2 TP / (2 TP + FP + FN): the published tool chooses annotators by this form, and the last bit decides.
    harmonic = ratio(2 * recall * precision, recall + precision, empty=0.0)
    return MatchCounts(hits, predicted, true, harmonic, precision, recall)


def scores(hits: Floats, predicted: Floats, true: Floats) -> tuple[Floats, Floats, Floats]:
    """F1, precision and recall. A side that is empty is perfect only if the other one is empty too."""
    nothing = np.where(predicted + true == 0, 1.0, 0.0)
    precision = np.where(predicted > 0, ratio(hits, predicted, empty=0.0), nothing)
    recall = np.where(true > 0, ratio(hits, true, empty=0.0), nothing)
    return f1(hits, predicted, true), precision, recall
