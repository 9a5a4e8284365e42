"""The frames of a film as vectors, by any picture encoder: the stage `frames`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.types import Array, Floats
from kataribe.encoders.protocol import PictureEncoder
from kataribe.media.stage import Arrays, Chunk, is_due, run_through
from kataribe.media.video import Pixels, sampled

_BATCH = 16


@dataclass(frozen=True)
class FrameVectors:
    """A vector for each frame that was looked at; `time` in seconds."""

    time: Floats
    vector: Array


@dataclass(frozen=True)
class FrameStage:
    """The stage: `rate` frames a second through an encoder, in single precision."""

    encoder: PictureEncoder
    rate: float = 1.0

    @property
    def name(self) -> str:
        return "frames"

    @property
    def recipe(self) -> Mapping[str, Any]:
        return {"encoder": self.encoder.signature, "rate": self.rate}

    def chunks(self, video: Path, last: Chunk | None) -> Iterator[Chunk]:
        times: list[float] = []
        vectors: list[Array] = []
        waiting: list[Pixels] = []
        for picture in sampled(video, self.rate, None if last is None else last.until):
            if times and is_due(picture.time, times[-1]):
                yield self._chunk(times, vectors, waiting)
                times, vectors, waiting = [], [], []
            times.append(picture.time)
            waiting.append(picture.rgb(self.encoder.size))
            if len(waiting) == _BATCH:
                vectors.append(self.encoder.pixels(waiting))
                waiting = []
        if times:
            yield self._chunk(times, vectors, waiting)

    def _chunk(self, times: list[float], vectors: list[Array], waiting: list[Pixels]) -> Chunk:
        made = [*vectors, self.encoder.pixels(waiting)] if waiting else vectors
        rows = {"time": np.array(times), "vector": np.concatenate(made).astype(np.float32)}
        return Chunk(times[-1], rows)

    def conclude(self, rows: Arrays) -> Arrays:
        return rows

    def value(self, arrays: Arrays) -> FrameVectors:
        return FrameVectors(arrays["time"], arrays["vector"])


def frame_vectors(video: Path, encoder: PictureEncoder, rate: float = 1.0) -> FrameVectors:
    """The frames of a film as vectors."""
    return run_through(FrameStage(encoder, rate), video)
