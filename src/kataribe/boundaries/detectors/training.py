"""Training the pairwise classifier: videos -> features, kept in the vector store -> windows with labels -> network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from kataribe.boundaries.detectors.network import FitOptions, fit
from kataribe.boundaries.detectors.pc import PairwiseModel, pair_features
from kataribe.boundaries.detectors.window import EVERY, Sampler, windows
from kataribe.boundaries.files import AnnotatedVideo, check_inside
from kataribe.core.errors import JoinError, Location, some
from kataribe.core.progress import report
from kataribe.core.types import Floats
from kataribe.encoders.protocol import PictureEncoder
from kataribe.encoders.store import FramesRow, VectorStore, content_key, file_key
from kataribe.media.video import Timeline, pictures

POSITIVE_SECONDS = 0.15
# any: 1 if one annotator has a boundary near, as in the paper. share: how many of them have.
Label = Literal["share", "any"]


@dataclass(frozen=True)
class SampledVideo:
    """Features of every third frame, and the seconds at which these frames are shown."""

    features: Floats
    times: Floats
    duration: float


def train(
    videos: Sequence[Path],
    truth: Mapping[str, AnnotatedVideo],
    encoder: PictureEncoder,
    *,
    store: VectorStore | None = None,
    options: FitOptions | None = None,
    labels: Label = "share",
) -> PairwiseModel:
    """A classifier from video files whose names (without extension) are ids of the ground truth."""
    unknown = [path.name for path in videos if path.stem not in truth]
    if unknown:
        raise JoinError(f"the ground truth has no entry for {some(unknown)}", hint="name videos as ID.mp4")
    inputs, targets = [], []
    for done, path in enumerate(videos):
        report("features", done, len(videos))
        sampled = sample(path, encoder, store)
        for annotator in truth[path.stem].annotators:
            check_inside(annotator.times, sampled.duration, Location(path, path.stem))
        for middle, before, after in windows(sampled.features):
            inputs.append(pair_features(before, after))
            targets.append(label(sampled.times[middle], truth[path.stem], labels))
    report("features", len(videos), len(videos))
    if not any(targets):
        raise JoinError("no window of these videos is near a boundary", hint="there is nothing to learn from")
    network = fit(np.stack(inputs), np.array(targets), options or FitOptions())
    return PairwiseModel(encoder.name, EVERY, network, labels)


def label(time: float, video: AnnotatedVideo, labels: Label) -> float:
    """How much of a boundary this moment is."""
    near = [any(abs(mark - time) <= POSITIVE_SECONDS for mark in annotator.times) for annotator in video.annotators]
    return float(any(near)) if labels == "any" else sum(near) / len(near)


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
