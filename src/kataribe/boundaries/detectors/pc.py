"""PC, the pairwise classifier: frames before and after t -> shared backbone -> boundary or not. Trained.

    x(t) = the features of both sides side by side, and how they differ;  p(t) = a small network of x(t)
    boundaries = centres of runs of sampled frames with p(t) > 0.5
    training: a moment is positive to the share of annotators with a boundary within 0.15 s; binary cross entropy

Shou, M. Z., Lei, S. W., Wang, W., Ghadiyaram, D., Feiszli, M. (2021). Generic event boundary detection: a benchmark
for event segmentation. ICCV.

Choices. The published model fine-tunes its backbone; this one keeps it frozen by default and trains on cached
features, in seconds on a CPU, and `finetune` trains the top of it too. Beside the two means of five frames the network
sees their difference and that of the two frames next to t, which a single hidden layer would be slow to learn. Classes
are balanced. The paper calls a moment positive if any annotator has a boundary near it (`any`). With five annotators
that is 39% of all moments of Kinetics-GEBD minval, while half of them or more agree on 8%; a classifier of such labels
is sure of what one person saw. So the share is the default, and `any` an option.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np

from kataribe.boundaries.detectors.detector import Found, spread
from kataribe.boundaries.detectors.examples import pair_features
from kataribe.boundaries.detectors.network import Network
from kataribe.boundaries.detectors.window import Sampler, Window
from kataribe.boundaries.peaks import THRESHOLD, run_centres
from kataribe.core.errors import InputError
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.protocol import PictureEncoder
from kataribe.learning.folder import Card, Model, read_model, write_model
from kataribe.media.video import Picture, Timeline

KIND = "pairwise-boundaries"
# What version 0.3 and earlier wrote, a single file.
_OLDER_FORMAT = "kataribe pairwise classifier 1"
_TUNED = "backbone."
_HINT = "give the folder that `kataribe train boundaries -o` wrote"


@dataclass(frozen=True)
class PairwiseModel:
    """A trained network and the features it was trained on.

    `features` is the signature of the encoder that made them, "" in older files; `tuned` are the tensors of its
    backbone that were trained too.
    """

    backbone: str
    every: int
    network: Network
    labels: str = "share"
    features: str = ""
    tuned: Mapping[str, Any] = field(default_factory=dict)

    def save(self, folder: Path, about: Card | None = None, more: Mapping[str, bytes] | None = None) -> Model:
        """`about` is the card as far as the training knows it, `more` are files to look at."""
        options = {"backbone": self.backbone, "every": self.every, "labels": self.labels, "features": self.features}
        card = about or Card(kind=KIND, title=f"Pairwise boundary classifier on {self.backbone}")
        tensors = {**self.network.parameters, **{f"{_TUNED}{name}": tensor for name, tensor in self.tuned.items()}}
        return write_model(folder, msgspec.structs.replace(card, options=options), tensors, more=more)

    @classmethod
    def load(cls, path: Path) -> PairwiseModel:
        """A model folder, or the file of an older version."""
        if path.is_file():
            return cls._load_older(path)
        if not path.exists():
            raise InputError("there is no such model", file=path, hint=_HINT)
        model = read_model(path, KIND)
        tuned = {name.removeprefix(_TUNED): each for name, each in model.tensors.items() if name.startswith(_TUNED)}
        weights = {name: each for name, each in model.tensors.items() if not name.startswith(_TUNED)}
        options = model.card.options
        try:
            return cls(
                str(options["backbone"]), int(options["every"]), Network(weights), str(options["labels"]),
                str(options["features"]), tuned,
            )  # fmt: skip
        except (KeyError, ValueError, TypeError) as error:
            raise InputError(f"is not a pairwise classifier ({error})", file=path, hint=_HINT) from None

    @classmethod
    def _load_older(cls, path: Path) -> PairwiseModel:
        try:
            with np.load(path, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            about = json.loads(str(arrays.pop("about")))
            if about["format"] != _OLDER_FORMAT:
                raise InputError(f"is of another kind ({about['format']})", file=path, hint=_HINT)
            return cls(about["backbone"], int(about["every"]), Network(arrays), about.get("labels", "share"))
        except (ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError, OSError):
            raise InputError("is not a trained model", file=path, hint=_HINT) from None

    def open_encoder(self) -> PictureEncoder:
        """What makes features of pictures; a backbone that makes others than in training is refused."""
        encoder = open_pictures(self.backbone)
        if self.features and encoder.signature != self.features:
            raise InputError(
                f"the model was trained on features of {self.features}, and the backbone {self.backbone} is "
                f"{encoder.signature}",
                hint="install the backbone that it was trained with, or train it again",
            )
        return encoder


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
