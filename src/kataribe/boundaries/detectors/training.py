"""Training the pairwise classifier: videos -> cached features -> windows with labels -> network."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from kataribe.boundaries.detectors.backbones import Backbone
from kataribe.boundaries.detectors.network import Training, fit
from kataribe.boundaries.detectors.pc import PairwiseModel, pair_features
from kataribe.boundaries.detectors.video import Timeline, pictures
from kataribe.boundaries.detectors.window import EVERY, Sampler, windows
from kataribe.boundaries.files import AnnotatedVideo, inside
from kataribe.core.errors import JoinError, some
from kataribe.core.progress import report
from kataribe.core.types import Floats
from kataribe.formats.output import write_whole

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
    backbone: Backbone,
    *,
    cache: Path | None = None,
    training: Training | None = None,
    labels: Label = "share",
) -> PairwiseModel:
    """A classifier from video files whose names (without extension) are ids of the ground truth."""
    unknown = [path.name for path in videos if path.stem not in truth]
    if unknown:
        raise JoinError(f"the ground truth has no entry for {some(unknown)}", hint="name videos as ID.mp4")
    inputs, targets = [], []
    for place, path in enumerate(videos):
        report("features", place, len(videos))
        sampled = sample(path, backbone, cache)
        for annotator in truth[path.stem].annotators:
            inside(annotator.times, sampled.duration, path.stem, path)
        for middle, before, after in windows(sampled.features):
            inputs.append(pair_features(before, after))
            targets.append(label(sampled.times[middle], truth[path.stem], labels))
    report("features", len(videos), len(videos))
    if not any(targets):
        raise JoinError("no window of these videos is near a boundary", hint="there is nothing to learn from")
    network = fit(np.stack(inputs), np.array(targets), training or Training())
    return PairwiseModel(backbone.name, EVERY, network, labels)


def label(time: float, video: AnnotatedVideo, labels: Label) -> float:
    """How much of a boundary this moment is."""
    near = [any(abs(mark - time) <= POSITIVE_SECONDS for mark in annotator.times) for annotator in video.annotators]
    return float(any(near)) if labels == "any" else sum(near) / len(near)


def sample(path: Path, backbone: Backbone, cache: Path | None = None) -> SampledVideo:
    """The features of a video, from the cache folder if they are there."""
    kept = None if cache is None else cache / f"{path.stem}.{_key(path, backbone)}.npz"
    if kept is not None and kept.is_file():
        try:
            with np.load(kept, allow_pickle=False) as archive:
                return SampledVideo(archive["features"], archive["times"], float(archive["duration"]))
        except (ValueError, KeyError, zipfile.BadZipFile, EOFError):
            kept.unlink()  # half of a file is no cache; it is made again
    sampler = Sampler(backbone)
    features, stamps, times = [], [], []
    for picture in pictures(path):
        times.append(picture.time)
        vector = sampler(picture)
        if vector is not None:
            features.append(vector)
            stamps.append(picture.time)
    sampled = SampledVideo(np.stack(features), np.array(stamps), Timeline.of(times).duration)
    if kept is not None:
        out = io.BytesIO()
        np.savez(out, features=sampled.features, times=sampled.times, duration=np.array(sampled.duration))
        write_whole(kept, out.getvalue())
    return sampled


def _key(path: Path, backbone: Backbone) -> str:
    """Changes when the file, the backbone or the sampling does."""
    status = path.stat() if path.is_file() else None
    about = [str(path.resolve()), status and [status.st_size, status.st_mtime_ns], backbone.name, EVERY]
    return hashlib.blake2b(json.dumps(about).encode(), digest_size=6).hexdigest()
