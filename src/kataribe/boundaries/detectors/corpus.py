"""The videos of a training: who may learn from whom, and all of them as windows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.boundaries.detectors.examples import SampledVideo, Spread, Windows, cut, sample
from kataribe.boundaries.detectors.held_out import probabilities
from kataribe.boundaries.detectors.network import Network
from kataribe.boundaries.detectors.training_options import PairwiseOptions
from kataribe.boundaries.detectors.tuning import Frames
from kataribe.boundaries.files import AnnotatedVideo, check_inside
from kataribe.core.errors import InputError, JoinError, Location, UsageError, some
from kataribe.encoders.protocol import PictureEncoder
from kataribe.encoders.store import VectorStore, file_key
from kataribe.learning.splits import components, split

Truth = Mapping[str, AnnotatedVideo]

# From so many videos on, a fifth of them is held out if nothing else is said.
ENOUGH_VIDEOS, USUAL_SHARE = 10, 0.2


@dataclass(frozen=True)
class Parts:
    """Ids of the videos to learn from and of those that are held out."""

    training: tuple[str, ...]
    held_out: tuple[str, ...] = ()


def file_hashes(videos: Sequence[Path], truth: Truth) -> dict[str, str]:
    """For each id a hash of its file."""
    unknown = [path.name for path in videos if path.stem not in truth]
    if unknown:
        raise JoinError(f"the ground truth has no entry for {some(unknown)}", hint="name videos as ID.mp4")
    absent = next((path for path in videos if not path.is_file()), None)
    if absent is not None:
        raise InputError("there is no such file", file=absent, hint="check the path")
    contents = {path.stem: file_key(path).hex() for path in videos}
    if len(contents) < len(videos):
        raise UsageError("two videos have the same name, which would be their id", hint="rename one")
    return contents


def split_videos(contents: Mapping[str, str], options: PairwiseOptions) -> Parts:
    """Copies of one file are never on both sides."""
    ids = tuple(contents)
    share = options.validation
    if share is None:
        share = USUAL_SHARE if len(ids) >= ENOUGH_VIDEOS else 0.0
    if not share:
        return Parts(ids)
    groups = components([[content] for content in contents.values()])
    if len(set(groups.tolist())) < 2:
        raise UsageError(
            "one video alone cannot be split", hint="<validation 0> holds none out", options=["validation"]
        )
    parts = split(groups, {"training": 1 - share, "held out": share}, options.seed)
    return Parts(*(tuple(ids[row] for row in rows) for rows in parts.values()))


def look_at(
    path: Path, truth: Truth, encoder: PictureEncoder, store: VectorStore | None, frames: Frames | None
) -> SampledVideo:
    """The features of a video: from its frames where these are kept, else from the store or the file."""
    sampled = sample(path, encoder, store) if frames is None else frames.sampled(path.stem, encoder)
    for annotator in truth[path.stem].annotators:
        check_inside(annotator.times, sampled.duration, Location(path, path.stem))
    return sampled


@dataclass(frozen=True)
class Corpus:
    """Videos as windows."""

    training: Windows
    held_out: Windows | None
    spread: Spread
    share: float
    sampled: Mapping[str, SampledVideo]
    parts: Parts

    @classmethod
    def of(cls, parts: Parts, sampled: Mapping[str, SampledVideo], truth: Truth, options: PairwiseOptions) -> Corpus:
        def windows(ids: Sequence[str]) -> Windows:
            return cut([sampled[id] for id in ids], [truth[id] for id in ids], options.labels)

        training = windows(parts.training)
        if not training.targets.any():
            raise JoinError("no window of these videos is near a boundary", hint="there is nothing to learn from")
        if (training.targets == 1).all():
            raise JoinError("every window of these videos is at a boundary", hint="there is nothing to tell apart")
        held_out = windows(parts.held_out) if parts.held_out else None
        return cls(training, held_out, training.spread(), float(training.targets.mean()), sampled, parts)

    @property
    def counts(self) -> dict[str, Any]:
        held_out = 0 if self.held_out is None else len(self.held_out)
        return {
            "training": {"videos": len(self.parts.training), "windows": len(self.training), "positive": self.share},
            "held_out": {"videos": len(self.parts.held_out), "windows": held_out},
        }

    def held_out_loss(self, videos: Mapping[str, SampledVideo], network: Network) -> float:
        """The loss of training, on windows of held-out videos."""
        assert self.held_out is not None
        found = np.concatenate([probabilities(videos[id].features, network) for id in self.parts.held_out])
        p, y = np.clip(found, 1e-12, 1 - 1e-12), self.held_out.targets
        weight = (1 - self.share) / self.share
        return float(-(weight * y * np.log(p) + (1 - y) * np.log(1 - p)).mean())


def hash_of(contents: Mapping[str, str], truth: Truth) -> str:
    """Of the videos and of what people marked in them, in any order."""
    lines = sorted(f"{id} {key} {[each.times for each in truth[id].annotators]}" for id, key in contents.items())
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
