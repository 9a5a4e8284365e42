"""PC, the pairwise classifier: frames before and after t -> shared backbone -> boundary or not. Trained.

    x(t) = the features of both sides side by side, and how they differ;  p(t) = a small network of x(t)
    boundaries = centres of runs of sampled frames with p(t) > 0.5
    training: a moment is positive to the share of annotators with a boundary within 0.15 s; binary cross entropy

Shou, M. Z., Lei, S. W., Wang, W., Ghadiyaram, D., Feiszli, M. (2021). Generic event boundary detection: a benchmark
for event segmentation. ICCV.

Choices. The published model fine-tunes its backbone; this one keeps it frozen and trains on cached features, in
seconds on a CPU. Beside the two means of five frames the network sees their difference and that of the two frames
next to t, which a single hidden layer would be slow to learn. Classes are balanced. The paper calls a moment positive
if any annotator has a boundary near it (`any`). With five annotators that is 39% of all moments of Kinetics-GEBD
minval, while half of them or more agree on 8%; a classifier of such labels is sure of what one person saw. So the share
is the default, and `any` an option.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from kataribe.boundaries.detectors.detector import Found, spread
from kataribe.boundaries.detectors.network import Network
from kataribe.boundaries.detectors.window import Sampler, Window
from kataribe.boundaries.peaks import THRESHOLD, run_centres
from kataribe.core.errors import InputError
from kataribe.core.types import Floats
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.protocol import PictureEncoder
from kataribe.formats.output import write_whole
from kataribe.media.video import Picture, Timeline

_FORMAT = "kataribe pairwise classifier 1"


def pair_features(before: Floats, after: Floats) -> Floats:
    """What the network sees of one window."""
    means = [side.mean(axis=0) for side in (before, after)]
    nearest = before[-1] - after[0]
    return np.concatenate([*means, np.abs(means[0] - means[1]), np.abs(nearest)])


@dataclass(frozen=True)
class PairwiseModel:
    """A trained network and what it was trained on."""

    backbone: str
    every: int
    network: Network
    labels: str = "share"

    def save(self, path: Path) -> None:
        out = io.BytesIO()
        about = json.dumps({"format": _FORMAT, "backbone": self.backbone, "every": self.every, "labels": self.labels})
        np.savez(out, about=np.array(about), **self.network.parameters)  # type: ignore[arg-type]
        write_whole(path, out.getvalue())

    @classmethod
    def load(cls, path: Path) -> PairwiseModel:
        hint = "give a file that `kataribe train boundaries -o` wrote"
        try:
            with np.load(path, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            about = json.loads(str(arrays.pop("about")))
            if about["format"] != _FORMAT:
                raise InputError(f"is of another kind ({about['format']})", file=path, hint=hint)
            return cls(about["backbone"], about["every"], Network(arrays), about.get("labels", "share"))
        except FileNotFoundError:
            raise InputError("there is no such file", file=path, hint=hint) from None
        except (ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError, OSError):
            raise InputError("is not a trained model", file=path, hint=hint) from None

    def open_encoder(self) -> PictureEncoder:
        return open_pictures(self.backbone)


@dataclass(frozen=True)
class PairwiseClassifier:
    name: ClassVar[str] = "pc"

    sampler: Sampler
    network: Network
    threshold: float = THRESHOLD

    def watch(self) -> _Watch:
        return _Watch(self)


@dataclass(frozen=True)
class _Watch:
    detector: PairwiseClassifier
    window: Window = field(default_factory=Window)
    curve: list[float] = field(default_factory=list)

    def see(self, picture: Picture) -> None:
        features = self.detector.sampler(picture)
        if features is not None and self.window.push(features):
            self.curve.append(float(self.detector.network(pair_features(*self.window.sides)[None])[0]))

    def find(self, timeline: Timeline) -> Found:
        curve, every = np.array(self.curve), self.detector.sampler.every
        centres, peaks = run_centres(curve, self.detector.threshold)
        times = np.interp((centres + self.window.side) * every, np.arange(timeline.frames), timeline.times)
        frames = (np.arange(len(curve)) + self.window.side) * every
        return Found(times, peaks, spread(curve, frames.astype(np.float64), timeline.frames))
