"""What a detector is: it sees every picture of a video once, in order, and then says where the video changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from kataribe.boundaries.detectors.video import Picture, Timeline, pictures
from kataribe.core.types import Boundaries, Floats


@dataclass(frozen=True)
class Detection:
    """Boundaries in seconds of the original video, and for each of its frames how likely it is one."""

    boundaries: Boundaries
    probabilities: Floats
    timeline: Timeline


class Detector(Protocol):
    """Keeps a few pictures and one number for each frame at most: a film of hours fits."""

    @property
    def name(self) -> str: ...
    def see(self, picture: Picture) -> None: ...
    def find(self, timeline: Timeline) -> Found:
        """After the last picture: the frames that are boundaries, and the curve."""


@dataclass(frozen=True)
class Found:
    """Boundaries at times (seconds), with scores; `curve` has a value for each frame."""

    times: Floats
    scores: Floats
    curve: Floats


def detect(path: Path, detectors: Sequence[Detector]) -> dict[str, Detection]:
    """What every detector finds in a video file, in one pass over it."""
    times: list[float] = []
    for picture in pictures(path):
        times.append(picture.time)
        for detector in detectors:
            detector.see(picture)
    timeline = Timeline.of(times)
    found = {detector.name: detector.find(timeline) for detector in detectors}
    return {name: _detection(path.stem, timeline, answer) for name, answer in found.items()}


def _detection(video: str, timeline: Timeline, found: Found) -> Detection:
    boundaries = Boundaries(video, timeline.duration, tuple(found.times.tolist()), tuple(found.scores.tolist()))
    return Detection(boundaries, found.curve, timeline)


def spread(values: Floats, places: Floats, frames: int) -> Floats:
    """A curve that is known at some frames only, for all of them.

    >>> spread(np.array([0.0, 1.0]), np.array([0.0, 2.0]), 4)
    array([0. , 0.5, 1. , 1. ])
    """
    return np.interp(np.arange(frames), places, values) if len(places) else np.zeros(frames)
