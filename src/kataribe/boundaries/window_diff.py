"""WindowDiff: how often a sliding window holds another number of boundaries than it should.

    WindowDiff = share of probes (t, t + k) between whose ends truth and prediction differ in the number of boundaries;
    k = half the mean length of a true segment, in frames; at least 2

Pevzner, L., Hearst, M. A. (2002). A critique and improvement of an evaluation metric for text segmentation.
Computational Linguistics 28(1).

Quirks. Lower is better. Each video has its own k, and the value is the mean over videos and annotators. The tolerance
plays no part except in finding the majority's boundaries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kataribe.boundaries.segmentation import ProbeMetric, Probes
from kataribe.core.types import Int64s


@dataclass(frozen=True)
class WindowDiff(ProbeMetric):
    name: ClassVar[str] = "window_diff"
    title: ClassVar[str] = "WindowDiff"
    counts: ClassVar[tuple[str, ...]] = ("window_diff",)

    def wrong(self, probes: Probes) -> Int64s:
        return probes.count_errors
