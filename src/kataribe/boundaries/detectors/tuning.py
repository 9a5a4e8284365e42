"""Fine-tuning the backbone with the classifier, as the paper does: windows are pictures, not vectors.

Videos are decoded once. Their sampled frames, at the backbone's size, lie in a temporary file that is read window by
window: 150 kB each at 224 x 224.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.boundaries.detectors.examples import SampledVideo, Windows
from kataribe.boundaries.detectors.window import EVERY
from kataribe.core.errors import OutputError, UsageError
from kataribe.core.progress import report
from kataribe.core.types import Floats, Int64s
from kataribe.encoders.protocol import PictureEncoder
from kataribe.encoders.trainable import TrainablePictures, trainable_pictures
from kataribe.media.video import Size, Timeline, pictures

_BATCH = 32


@dataclass(frozen=True)
class Frames:
    """Sampled frames of several videos, one after the other, and the rows of each video by its id."""

    pixels: Any
    rows: Mapping[str, Int64s]
    times: Mapping[str, Floats]
    durations: Mapping[str, float]

    def sampled(self, id: str, encoder: PictureEncoder) -> SampledVideo:
        """The video with the features of the backbone as it comes."""
        chunks = (self.rows[id][start : start + _BATCH] for start in range(0, len(self.rows[id]), _BATCH))
        features = np.concatenate([encoder.pixels(list(self.pixels[rows])) for rows in chunks])
        return SampledVideo(np.asarray(features, dtype=np.float64), self.times[id], self.durations[id])

    def windows(self, ids: Sequence[str], cut: Windows) -> Windows:
        """The windows that were cut from these videos' features, as windows of their pictures."""
        rows = np.concatenate([self.rows[id] for id in ids])
        return Windows(self.pixels, rows[cut.starts], cut.targets)


def keep_frames(videos: Sequence[Path], size: Size | None, backbone: str) -> Frames:
    """Decode every video once."""
    if size is None:
        raise UsageError(
            f"{backbone} takes pictures as large as they come, and frames are kept at one size",
            hint="fine-tune efficientnet-lite0, timm:NAME or a vision model of transformers without texts",
        )
    rows, times, durations, seen = {}, {}, {}, 0
    file = tempfile.TemporaryFile(prefix="kataribe-frames-")  # noqa: SIM115 - it lives as long as the array on it
    for done, path in enumerate(videos):
        report("frames", done, len(videos))
        stamps, shown = [], []
        for picture in pictures(path):
            stamps.append(picture.time)
            if picture.number % EVERY == 0:
                shown.append(picture.time)
                try:
                    file.write(picture.rgb(size).tobytes())
                except OSError as error:
                    problem = f"frames of the videos cannot be kept in {tempfile.gettempdir()} ({error.strerror})"
                    raise OutputError(problem, hint="TMPDIR names another folder") from None
        rows[path.stem] = np.arange(seen, seen + len(shown))
        times[path.stem], durations[path.stem] = np.array(shown), Timeline.of(stamps).duration
        seen += len(shown)
    file.flush()
    width, height = size
    pixels = np.memmap(file, dtype=np.uint8, mode="r", shape=(seen, height, width, 3))
    return Frames(pixels, rows, times, durations)


@dataclass(frozen=True)
class Backbone:
    """A backbone of one's own, whose top blocks train."""

    trainable: TrainablePictures
    frames: Frames

    @classmethod
    def of(cls, name: str, blocks: int, frames: Frames) -> Backbone:
        trainable = trainable_pictures(name)
        trainable.freeze_below(blocks)
        return cls(trainable, frames)

    def with_features(self, videos: Mapping[str, SampledVideo]) -> dict[str, SampledVideo]:
        """The same videos with the features that the backbone gives now."""
        return {id: replace(sampled, features=self._features(self.frames.rows[id])) for id, sampled in videos.items()}

    def _features(self, rows: Int64s) -> Floats:
        chunks = (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
        found = [self.trainable.vectors(self.frames.pixels[chunk]).detach().cpu().double().numpy() for chunk in chunks]
        return np.concatenate(found)

    def trained_arrays(self) -> dict[str, Any]:
        return {name: tensor.numpy() for name, tensor in self.trainable.trained_tensors().items()}
