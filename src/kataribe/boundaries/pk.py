"""Pk: the probability that two frames at a fixed distance are wrongly put into one segment or into two.

    Pk = share of probes (t, t + k) on which truth and prediction disagree whether a boundary lies between the ends;
    k = half the mean length of a true segment, in frames; at least 2

Beeferman, D., Berger, A., Lafferty, J. (1999). Statistical models for text segmentation. Machine Learning 34.

Quirks. Lower is better. Each video has its own k, and the value is the mean over videos and annotators. The tolerance
plays no part except in finding the majority's boundaries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kataribe.boundaries.segmentation import ProbeMetric, Probes
from kataribe.core.types import Int64s


@dataclass(frozen=True)
class Pk(ProbeMetric):
    name: ClassVar[str] = "pk"
    title: ClassVar[str] = "Pk"
    counts: ClassVar[tuple[str, ...]] = ("pk",)

    def wrong(self, probes: Probes) -> Int64s:
        return probes.segment_errors
