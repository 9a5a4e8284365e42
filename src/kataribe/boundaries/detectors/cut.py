"""Hard cuts as a detector: `media.shots` says how they are found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kataribe.boundaries.detectors.detector import Found
from kataribe.media.shots import CONTRAST, THRESHOLD, ColourChange, hard_cuts
from kataribe.media.video import Picture, Timeline


@dataclass(frozen=True)
class HardCuts:
    name: ClassVar[str] = "cut"

    threshold: float = THRESHOLD
    contrast: float = CONTRAST

    def watch(self) -> _Watch:
        return _Watch(self)


@dataclass(frozen=True)
class _Watch:
    detector: HardCuts
    change: ColourChange = field(default_factory=ColourChange)

    def see(self, picture: Picture) -> None:
        self.change.see(picture)

    def find(self, timeline: Timeline) -> Found:
        curve = self.change.curve
        frames = hard_cuts(curve, self.detector.threshold, self.detector.contrast)
        return Found(timeline.times[frames], curve[frames], curve)
