"""Median deviation: how far predictions lie from the nearest true boundary, and the other way round.

    value = mean over videos of median over predictions p of min over true t of |p - t|, as a fraction of the duration

Raffel, C., McFee, B., Humphrey, E. J., Salamon, J., Nieto, O., Liang, D., Ellis, D. P. W. (2014). mir_eval: a
transparent implementation of common MIR metrics. ISMIR.

Quirks. Lower is better. A video in which one side is empty deviates by its whole duration, so that silence does not
pay. `unit=seconds` gives seconds; tables still show them times 100.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from kataribe import _native
from kataribe.boundaries.comparison import Comparison, ratio
from kataribe.boundaries.items import Videos
from kataribe.boundaries.panel import PanelMetric
from kataribe.boundaries.tolerance import Distance
from kataribe.core.metric import Measured, option
from kataribe.core.types import Floats


@dataclass(frozen=True)
class BoundaryDeviation(PanelMetric):
    name: ClassVar[str] = "boundary_deviation"
    title: ClassVar[str] = "Median deviation"
    lower_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    steady_from: ClassVar[int] = 1000
    counts: ClassVar[tuple[str, ...]] = ("predicted_to_true", "true_to_predicted")
    shows_comparable: ClassVar[bool] = True

    unit: Literal["relative", "seconds"] = option("relative", "fractions of the duration, or seconds")

    def table(self, comparison: Comparison, videos: Videos, distance: Distance) -> Floats:
        if not len(comparison):
            return np.zeros((0, 2))
        durations = videos.durations[comparison.video][:, None]
        predicted_to_true, true_to_predicted = _native.median_distances(comparison.native)
        seconds = np.minimum(np.column_stack([predicted_to_true, true_to_predicted]), durations)
        return seconds if self.unit == "seconds" else seconds / durations

    def quality(self, comparison: Comparison, table: Floats) -> Floats:
        return -self.column(table, "predicted_to_true")

    def formula(self, entries: Floats, counts: Floats) -> Measured:
        there, back = (ratio(self.column(counts, name), entries, empty=np.nan) for name in self.counts)
        return Measured(there, {"true_to_predicted": back})

    def choices(self) -> dict[str, str]:
        return {"unit": self.unit}
