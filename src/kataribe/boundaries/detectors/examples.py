"""What the pairwise classifier learns from: sampled videos, cut into windows of frames with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from kataribe.boundaries.detectors.window import EVERY, SIDE, Sampler
from kataribe.boundaries.files import AnnotatedVideo
from kataribe.core.types import Floats, Int64s
from kataribe.encoders.protocol import PictureEncoder
from kataribe.encoders.store import FramesRow, VectorStore, content_key, file_key
from kataribe.media.video import Timeline, pictures

POSITIVE_SECONDS = 0.15
# any: 1 if one annotator has a boundary near, as in the paper. share: how many of them have.
Label = Literal["share", "any"]
_CHUNK = 1024


@dataclass(frozen=True)
class SampledVideo:
    """Features of every third frame, and the seconds at which these frames are shown."""

    features: Floats
    times: Floats
    duration: float


def sample(path: Path, encoder: PictureEncoder, store: VectorStore | None = None) -> SampledVideo:
    """The features of a video, from the store if they are there."""
    if store is None or not path.is_file():
        return _look_at(path, encoder)
    key = content_key(f"{file_key(path).hex()} every {EVERY}")
    kept = store.frames(key)
    if kept is not None:
        return SampledVideo(kept.vectors, kept.times, kept.duration)
    sampled = _look_at(path, encoder)
    store.add(frames=[FramesRow(key, sampled.times, sampled.duration, sampled.features)])
    return sampled


def _look_at(path: Path, encoder: PictureEncoder) -> SampledVideo:
    sampler = Sampler(encoder)
    features, stamps, times = [], [], []
    for picture in pictures(path):
        times.append(picture.time)
        vector = sampler(picture)
        if vector is not None:
            features.append(vector)
            stamps.append(picture.time)
    return SampledVideo(np.stack(features), np.array(stamps), Timeline.of(times).duration)


def label(time: float, video: AnnotatedVideo, labels: Label) -> float:
    """How much of a boundary this moment is."""
    near = [any(abs(mark - time) <= POSITIVE_SECONDS for mark in annotator.times) for annotator in video.annotators]
    return float(any(near)) if labels == "any" else sum(near) / len(near)


def pair_features(before: Floats, after: Floats) -> Floats:
    """What the network sees of a window, or of many: the last two axes are frames and their features."""
    means = before.mean(axis=-2), after.mean(axis=-2)
    nearest = before[..., -1, :] - after[..., 0, :]
    return np.concatenate([*means, np.abs(means[0] - means[1]), np.abs(nearest)], axis=-1)


@dataclass(frozen=True)
class Spread:
    """Mean and deviation of each feature; the deviation is 1 of what never changed in training."""

    mean: Floats
    deviation: Floats


@dataclass(frozen=True)
class Windows:
    """Every full window of some videos. `frames` are vectors or pictures of all of them, one after the other.

    Window i has the frames `starts[i]` to `starts[i] + 2 * SIDE`, and its middle lies before frame `starts[i] + SIDE`.
    """

    frames: Any
    starts: Int64s
    targets: Floats

    def __len__(self) -> int:
        return len(self.starts)

    def frames_of(self, rows: Int64s) -> Any:
        """(windows, 2 * SIDE, ...)"""
        return self.frames[self.starts[rows][:, None] + np.arange(2 * SIDE)]

    def features_of(self, rows: Int64s) -> Floats:
        """What the network sees of these windows, where frames are vectors."""
        found = np.asarray(self.frames_of(rows), dtype=np.float64)
        return pair_features(found[:, :SIDE], found[:, SIDE:])

    def spread(self) -> Spread:
        """In two passes over chunks: features of all windows together need ten times the memory of the frames."""
        chunks = [np.arange(start, min(start + _CHUNK, len(self))) for start in range(0, len(self), _CHUNK)]
        mean = sum(self.features_of(rows).sum(axis=0) for rows in chunks) / len(self)
        variance = sum(((self.features_of(rows) - mean) ** 2).sum(axis=0) for rows in chunks) / len(self)
        deviation = np.sqrt(variance)
        return Spread(mean, np.where(deviation > 1e-6, deviation, 1.0))

    def with_frames(self, frames: Any) -> Windows:
        return Windows(frames, self.starts, self.targets)


def cut(videos: Sequence[SampledVideo], truth: Sequence[AnnotatedVideo], labels: Label) -> Windows:
    """The windows of these videos, which belong to these annotations."""
    starts, targets, seen = [], [], 0
    for sampled, video in zip(videos, truth, strict=True):
        for start in range(len(sampled.times) - 2 * SIDE + 1):
            starts.append(seen + start)
            targets.append(label(float(sampled.times[start + SIDE]), video, labels))
        seen += len(sampled.times)
    frames = np.concatenate([sampled.features.astype(np.float32) for sampled in videos])
    return Windows(frames, np.array(starts, dtype=np.int64), np.array(targets, dtype=np.float64))
