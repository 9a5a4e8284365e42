"""What a detector found in a video, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.core.types import Boundaries, Floats


@dataclass(frozen=True, eq=False)
class DetectionCurve:
    """`probabilities[i]` is how likely the frame at `times[i]` (seconds) is a boundary."""

    boundaries: Boundaries
    times: Floats
    probabilities: Floats
