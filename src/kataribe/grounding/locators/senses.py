"""What a network sees of films and texts: vectors of encoders, brought to one scale.

    frames   their mean is taken off; they are turned to their principal axes and each axis scaled to variance 1
    faces    their mean is taken off and they are scaled to a mean square of 1; portraits alike
    tokens   the same, of all tokens of the training queries

All means, axes and scales are of what is learned from, and part of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kataribe.core.types import Bools, Float32s, Floats, Int64s, Segment
from kataribe.films.seen import SeenFilm, SeenSpan
from kataribe.grounding.locators.queries import named_portraits

# More rows than these say nothing new about where vectors lie.
_ENOUGH = 20_000
_SMALLEST = 1e-6


@dataclass(frozen=True, eq=False)
class Senses:
    frame_mean: Float32s
    frame_axes: Float32s  # encoder's width x axes
    face_mean: Float32s
    face_scale: Float32s
    token_mean: Float32s
    token_scale: Float32s

    @classmethod
    def of(cls, frames: Float32s, faces: Float32s, tokens: Float32s, axes: int) -> Senses:
        frame_mean = frames.mean(axis=0)
        return cls(
            frame_mean,
            _principal_axes(_some_rows(frames) - frame_mean, axes),
            *_centre_and_scale(_some_rows(faces)),
            *_centre_and_scale(_some_rows(tokens)),
        )

    @classmethod
    def of_tensors(cls, tensors: Mapping[str, np.ndarray]) -> Senses:
        return cls(**{name: tensors[f"senses.{name}"] for name in cls.__dataclass_fields__})

    @property
    def tensors(self) -> dict[str, np.ndarray]:
        return {f"senses.{name}": getattr(self, name) for name in self.__dataclass_fields__}

    def frames(self, vectors: Float32s) -> Float32s:
        return np.asarray((vectors - self.frame_mean) @ self.frame_axes, dtype=np.float32)

    def faces(self, vectors: Float32s, is_there: Bools) -> Float32s:
        return np.asarray((vectors - self.face_mean) * self.face_scale * is_there[..., None], dtype=np.float32)

    def tokens(self, vectors: Float32s) -> Float32s:
        return np.asarray((vectors - self.token_mean) * self.token_scale, dtype=np.float32)

    def rows(self, seen: SeenSpan) -> Rows:
        return Rows(seen.time, self.frames(seen.frames), self.faces(seen.faces, seen.has_face), seen.has_face)

    def portraits(self, film: SeenFilm, text: str) -> Float32s:
        """Of the roles that the text names."""
        chosen = film.portraits[named_portraits(film, text)]
        if not len(chosen):
            return np.zeros((0, len(self.face_mean)), dtype=np.float32)
        return self.faces(chosen, np.ones(len(chosen), dtype=bool))


@dataclass(frozen=True, eq=False)
class Rows:
    """Frames of a film, in order: what a network sees of a stretch of it."""

    time: Floats
    frames: Float32s
    faces: Float32s
    has_face: Bools

    def __len__(self) -> int:
        return len(self.time)

    @property
    def step(self) -> float:
        """Seconds from one row to the next."""
        return float(np.median(np.diff(self.time))) if len(self) > 1 else 1.0

    def during(self, window: Segment) -> Rows:
        """The rows of a window; of one between two rows, the nearest."""
        first, last = np.searchsorted(self.time, [window.start, window.end]).tolist()
        if first == last:
            first = int(np.abs(self.time - (window.start + window.end) / 2).argmin())
            last = first + 1
        return self[np.arange(first, last)]

    def __getitem__(self, rows: Int64s | slice) -> Rows:
        return Rows(self.time[rows], self.frames[rows], self.faces[rows], self.has_face[rows])

    def place(self, span: Segment) -> tuple[float, float]:
        """A span in rows from the first one on, cut at the ends."""
        start, end = (np.clip((at - self.time[0]) / self.step, 0, len(self)) for at in (span.start, span.end))
        return float(start), float(end)

    def span(self, start: float, end: float) -> Segment:
        """The span of a place."""
        return Segment(float(self.time[0] + start * self.step), float(self.time[0] + end * self.step))


@dataclass(frozen=True, eq=False)
class Question:
    """A query as a network sees it."""

    tokens: Float32s
    portraits: Float32s


def stretched(rows: Rows, place: tuple[float, float], factors: Sequence[float]) -> tuple[Rows, tuple[float, float]]:
    """Rows in which what is before, in and after a place takes so many times as long, and the place there.

    >>> rows = Rows(np.arange(4.0), np.arange(4)[:, None], np.zeros((4, 3, 1)), np.zeros((4, 3), bool))
    >>> longer, place = stretched(rows, (1.0, 2.0), (1.0, 2.0, 0.5))
    >>> longer.frames[:, 0].tolist(), place
    ([0, 1, 1, 3], (1.0, 3.0))
    """
    edges = np.array([0.0, *place, len(rows)])
    moved = np.concatenate([[0.0], np.cumsum(np.diff(edges) * factors)])
    count = max(1, round(float(moved[-1])))
    sources = np.interp(np.arange(count) + 0.5, moved, edges)
    chosen = np.clip(sources.astype(np.int64), 0, len(rows) - 1)
    start, end = np.clip(moved[1:3], 0, count).tolist()
    return rows[chosen], (start, end)


def _principal_axes(centred: Float32s, axes: int) -> Float32s:
    """Axes by falling variance, each divided by its standard deviation."""
    covariance = centred.T.astype(np.float64) @ centred / max(1, len(centred))
    variances, directions = np.linalg.eigh(covariance)
    count = min(axes or len(variances), len(variances), max(1, len(centred) - 1))
    variances, directions = variances[::-1][:count], directions[:, ::-1][:, :count]
    # The sign of an axis is arbitrary: the same frames are to give the same one everywhere.
    directions = directions * np.where(directions[np.abs(directions).argmax(axis=0), np.arange(count)] < 0, -1, 1)
    scaled: Float32s = (directions / np.sqrt(np.maximum(variances, _SMALLEST))).astype(np.float32)
    return scaled


def _centre_and_scale(vectors: Float32s) -> tuple[Float32s, Float32s]:
    if not len(vectors):
        return np.zeros(vectors.shape[1], dtype=np.float32), np.ones(1, dtype=np.float32)
    mean = vectors.mean(axis=0)
    scale = 1 / max(_SMALLEST, float(np.sqrt(np.square(vectors - mean).mean())))
    return mean.astype(np.float32), np.array([scale], dtype=np.float32)


def _some_rows(vectors: Any) -> Float32s:
    rows = np.random.default_rng(0).permutation(len(vectors))[:_ENOUGH]
    chosen: Float32s = vectors[np.sort(rows)]
    return chosen
