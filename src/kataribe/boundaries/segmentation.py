"""What Pk and WindowDiff share: a probe of fixed width slides over the frames of two segmentations."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from kataribe import _native
from kataribe.boundaries.comparison import Annotator, Comparison, ratio
from kataribe.boundaries.items import Videos, need_frames
from kataribe.boundaries.panel import PanelMetric
from kataribe.boundaries.tolerance import Distance
from kataribe.core.metric import Measured, option
from kataribe.core.types import Floats, Int64s


class Probes(NamedTuple):
    """How many probes each pair has, and how many of them disagree on what lies between their ends."""

    probed: Int64s
    segment_errors: Int64s  # in one segment or not?
    count_errors: Int64s  # how many boundaries?


@dataclass(frozen=True)
class ProbeMetric(PanelMetric):
    """The share of probes that are wrong, averaged over videos."""

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
        probes = Probes(*_native.segmentation_errors(comparison.on_frames(videos).native, widths, frames))
        wrong, probed = self.wrong(probes).astype(np.float64), probes.probed.astype(np.float64)
        return ratio(wrong, probed, empty=0.0)[:, None]

    @abstractmethod
    def wrong(self, probes: Probes) -> Int64s:
        """How many of each pair's probes the metric calls wrong."""

    def quality(self, comparison: Comparison, table: Floats) -> Floats:
        return -self.column(table, self.name)

    def formula(self, entries: Floats, counts: Floats) -> Measured:
        return Measured(ratio(self.column(counts, self.name), entries, empty=np.nan), {})
