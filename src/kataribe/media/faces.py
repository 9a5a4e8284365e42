"""Faces in the frames of a film: where they are, how sure that is, and a vector that says whose they are.

A face finder is anything with a `name` and `find(pixels)`. The one that is always there is dlib's: a histogram of
gradients finds frontal faces of 80 pixels and more (each `upsample` halves that and takes four times as long), five
landmarks set them upright, and a network gives 128 numbers; two faces are the same person's where these are less than
about 0.6 apart. A detection that scores below 0.12 is no face.

King, D. E. (2009). Dlib-ml: a machine learning toolkit. Journal of Machine Learning Research 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.need import need
from kataribe.core.types import Float32s, Floats, Int64s
from kataribe.media.carried import DLIB_FACES
from kataribe.media.stage import Arrays, Chunk, is_due, run_through
from kataribe.media.tracks import Linking, link
from kataribe.media.video import Pixels, describe, sampled

LEAST_SCORE = 0.12
_LONGEST_SIDE = 1280


class Box(NamedTuple):
    """Edges in pixels of the picture; those of a face at the edge may lie outside.

    >>> round(Box(0, 0, 10, 10).iou(Box(5, 0, 15, 10)), 3)
    0.333
    """

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return max(0.0, self.right - self.left) * max(0.0, self.bottom - self.top)

    def iou(self, other: Box) -> float:
        left, top = max(self.left, other.left), max(self.top, other.top)
        shared = Box(left, top, min(self.right, other.right), min(self.bottom, other.bottom)).area
        return shared / (self.area + other.area - shared) if shared else 0.0


class FoundFace(NamedTuple):
    """One face of one picture."""

    box: Box
    score: float
    vector: Float32s


class FaceFinder(Protocol):
    """Finds faces and says whose they are; `name` changes with whatever moves the vectors."""

    @property
    def name(self) -> str: ...
    def find(self, pixels: Pixels) -> Sequence[FoundFace]: ...


@dataclass(frozen=True)
class DlibFaces:
    """dlib's frontal detector and its network for vectors."""

    upsample: int = 0
    least_score: float = LEAST_SCORE

    def __post_init__(self) -> None:
        if not 0 <= self.upsample <= 3:
            raise UsageError(f"upsample must be 0 to 3, not {self.upsample}", hint="each step takes four times as long")

    @property
    def name(self) -> str:
        return f"dlib(upsample={self.upsample}, least_score={self.least_score}, {DLIB_FACES.version})"

    def find(self, pixels: Pixels) -> list[FoundFace]:
        dlib, detector, landmarks, network = _dlib()
        pixels = np.ascontiguousarray(pixels)
        boxes, scores, _ = detector.run(pixels, self.upsample, self.least_score)
        found = []
        for box, score in zip(boxes, scores, strict=True):
            chip = dlib.get_face_chip(pixels, landmarks(pixels, box), size=150, padding=0.25)
            vector = np.asarray(network.compute_face_descriptor(chip), dtype=np.float32)
            edges = Box(*map(float, (box.left(), box.top(), box.right() + 1, box.bottom() + 1)))
            found.append(FoundFace(edges, float(score), vector))
        return sorted(found, key=lambda face: -face.score)


@lru_cache(maxsize=1)
def _dlib() -> tuple[Any, Any, Any, Any]:
    dlib = need("dlib", extra="films", purpose="finding faces")
    landmarks, network = (str(DLIB_FACES.file(name)) for name in DLIB_FACES.files)
    return (
        dlib,
        dlib.get_frontal_face_detector(),
        dlib.shape_predictor(landmarks),
        dlib.face_recognition_model_v1(network),
    )


@dataclass(frozen=True)
class Faces:
    """Faces of a film, one per row, in order of time and, within a frame, of score.

    `seen` are the times of all frames that were looked at, those without a face too. Boxes are pixels of the film's
    frames. Faces of one person in frames that follow each other have the same `track`.
    """

    seen: Floats
    time: Floats
    box: Floats
    score: Floats
    vector: Float32s
    track: Int64s

    def __len__(self) -> int:
        return len(self.time)

    @property
    def tracks(self) -> list[Int64s]:
        """The rows of each track."""
        return [np.flatnonzero(self.track == number) for number in range(int(self.track.max(initial=-1)) + 1)]

    def at(self, time: float) -> list[FoundFace]:
        """The faces of the frame at this time."""
        rows = np.flatnonzero(np.abs(self.time - time) < 1e-6)
        return [FoundFace(Box(*self.box[row].tolist()), float(self.score[row]), self.vector[row]) for row in rows]


@dataclass(frozen=True)
class FaceStage:
    """The stage: `rate` frames a second, then tracks."""

    finder: FaceFinder = field(default_factory=DlibFaces)
    rate: float = 1.0
    linking: Linking = field(default_factory=Linking)

    @property
    def name(self) -> str:
        return "faces"

    @property
    def recipe(self) -> Mapping[str, Any]:
        return {"finder": self.finder.name, "rate": self.rate, "linking": list(self.linking)}

    def chunks(self, video: Path, last: Chunk | None) -> Iterator[Chunk]:
        info = describe(video)
        shrink = min(1.0, _LONGEST_SIDE / max(info.width, info.height))
        size = None if shrink == 1 else (round(info.width * shrink), round(info.height * shrink))
        rows = _Rows(shrink)
        for picture in sampled(video, self.rate, None if last is None else last.until):
            if rows.seen and is_due(picture.time, rows.seen[-1]):
                yield rows.chunk()
                rows = _Rows(shrink)
            rows.add(picture.time, self.finder.find(picture.rgb(size)))
        if rows.seen:
            yield rows.chunk()

    def conclude(self, rows: Arrays) -> Arrays:
        return {**rows, "track": link(rows["time"], rows["box"], rows["vector"], 1 / self.rate, self.linking)}

    def value(self, arrays: Arrays) -> Faces:
        return Faces(*(arrays[name] for name in ("seen", "time", "box", "score", "vector", "track")))


def faces(video: Path, options: FaceStage | None = None) -> Faces:
    """The faces of a film, with boxes, scores, vectors and tracks."""
    return run_through(options or FaceStage(), video)


@dataclass
class _Rows:
    """The faces of a chunk."""

    shrink: float
    seen: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    found: list[FoundFace] = field(default_factory=list)

    def add(self, time: float, found: Sequence[FoundFace]) -> None:
        self.seen.append(time)
        self.times += [time] * len(found)
        self.found += found

    def chunk(self) -> Chunk:
        rows = {"seen": np.array(self.seen), "time": np.array(self.times)}
        rows["box"] = np.array([face.box for face in self.found]).reshape(-1, 4) / self.shrink
        rows["score"] = np.array([face.score for face in self.found])
        width = len(self.found[0].vector) if self.found else 0
        vectors = [face.vector for face in self.found]
        rows["vector"] = np.array(vectors, dtype=np.float32).reshape(len(vectors), width)
        return Chunk(self.seen[-1], rows)
