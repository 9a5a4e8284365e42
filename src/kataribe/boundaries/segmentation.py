"""What Pk and WindowDiff share: a probe of fixed width slides over the frames of two segmentations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe import _native
from kataribe.boundaries.comparison import Annotator, Comparison, ratio
from kataribe.boundaries.items import Videos, need_frames
from kataribe.boundaries.panel import PanelMetric
from kataribe.boundaries.tolerance import Distance
from kataribe.core.metric import Measured, option
from kataribe.core.types import Floats


@dataclass(frozen=True)
class ProbeMetric(PanelMetric):
    """The share of probes that are wrong, averaged over videos."""

    # The column of the native table with the probes that the metric calls wrong.
    wrong: ClassVar[int]
    lower_is_better: ClassVar[bool] = True
    shows_comparable: ClassVar[bool] = True

    annotator: Annotator = option("mean", "the annotator who counts", positional=True)

    def scan_references(self, items: Videos) -> list[str]:
        return items.without_fps

    def conclude(self, references: list[str], predictions: None) -> None:
        need_frames(self.name, references)

    def table(self, comparison: Comparison, videos: Videos, distance: Distance) -> Floats:
        if not len(comparison):
            return np.zeros((0, 1))
        frames = videos.frames[comparison.video]
        # Half the mean length of a true segment, as both papers choose it, and never less than two frames.
        widths = np.maximum(2, np.rint(frames / (comparison.true + 1) / 2)).astype(np.int64)
        probes = _native.segmentation_errors(*comparison.on_frames(videos).sides, widths, frames)
        return ratio(probes[:, self.wrong].astype(np.float64), probes[:, 0].astype(np.float64), empty=0.0)[:, None]

    def quality(self, comparison: Comparison, table: Floats) -> Floats:
        return -table[:, 0]

    def formula(self, entries: Floats, counts: Floats) -> Measured:
        return Measured(ratio(counts[..., 0], entries, empty=np.nan), {})
