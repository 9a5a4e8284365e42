"""What a detector is: it sees every picture of a video once, in order, and then says where the video changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from kataribe.core.types import Boundaries, Floats
from kataribe.media.video import Picture, Timeline, pictures


@dataclass(frozen=True)
class DetectedBoundaries:
    """Boundaries in seconds of the original video, and for each of its frames how likely it is one."""

    boundaries: Boundaries
    probabilities: Floats
    timeline: Timeline


class Detector(Protocol):
    """A method with its options and its model: opened once, for any number of videos."""

    @property
    def name(self) -> str: ...
    def watch(self) -> Watch:
        """A fresh start, for one video."""


class Watch(Protocol):
    """What a detector keeps of one video: a few pictures and one number for each frame at most. A long film fits."""

    def see(self, picture: Picture) -> None: ...
    def find(self, timeline: Timeline) -> Found:
        """After the last picture: the frames that are boundaries, and the curve."""


@dataclass(frozen=True)
class Found:
    """Boundaries at times (seconds), with scores; `curve` has a value for each frame."""

    times: Floats
    scores: Floats
    curve: Floats


def detect(path: Path, detectors: Sequence[Detector]) -> dict[str, DetectedBoundaries]:
    """What every detector finds in a video file, in one pass over it."""
    watches = {detector.name: detector.watch() for detector in detectors}
    times: list[float] = []
    for picture in pictures(path):
        times.append(picture.time)
        for watch in watches.values():
            watch.see(picture)
    timeline = Timeline.of(times)
    return {name: _detected(path.stem, timeline, watch.find(timeline)) for name, watch in watches.items()}


def _detected(video: str, timeline: Timeline, found: Found) -> DetectedBoundaries:
    boundaries = Boundaries(video, timeline.duration, tuple(found.times.tolist()), tuple(found.scores.tolist()))
    return DetectedBoundaries(boundaries, found.curve, timeline)


def spread(values: Floats, known_frames: Floats, frames: int) -> Floats:
    """A curve that is known at some frames only, for all of them.

    >>> spread(np.array([0.0, 1.0]), np.array([0.0, 2.0]), 4)
    array([0. , 0.5, 1. , 1. ])
    """
    return np.interp(np.arange(frames), known_frames, values) if len(known_frames) else np.zeros(frames)
