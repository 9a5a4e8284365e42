"""A whole film as vectors of its shots: pieces of equal length, from its first second to its last.

A film is a video file, which the model's picture encoder looks at, or the feature file of one, which the same encoder
has looked at already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.errors import InputError, Location
from kataribe.core.types import Float32s, Segment
from kataribe.encoders.dual import DualEncoder, pooled
from kataribe.films.feature_file import read_features, video_id
from kataribe.films.frames import FrameStage, frame_vectors
from kataribe.films.shots import pieces
from kataribe.grounding.retrieval.pairs import FilmFrames, read_frames
from kataribe.media.video import SUFFIXES

FEATURES = ".npz"


@dataclass(frozen=True, eq=False)
class FilmShots:
    """The shots of a film in order, each with a vector of the model's space. `video` tells which film this is."""

    film: str
    video: Mapping[str, Any]
    spans: tuple[Segment, ...]
    vectors: Float32s

    def __len__(self) -> int:
        return len(self.spans)


def film_of(path: Path) -> tuple[str, Mapping[str, Any]]:
    """What a film is called, and what tells it from every other; looked up without looking at it."""
    check_film(path)
    if path.suffix.lower() == FEATURES:
        return path.stem, read_features(path).video
    return path.stem, video_id(path)


def check_film(path: Path) -> None:
    if not path.is_file():
        raise Location(path).error("there is no such file", hint="check the path")
    if path.suffix.lower() not in (FEATURES, *SUFFIXES):
        raise Location(path).error(
            "is neither a video nor a feature file", hint=f"there are: {', '.join((FEATURES, *SUFFIXES))}"
        )


def see_film(path: Path, encoder: DualEncoder) -> FilmShots:
    """Every shot of a film; a feature file by another encoder is refused."""
    film, video = film_of(path)
    if path.suffix.lower() == FEATURES:
        frames = read_frames(path)
        check_frames(path, frames, encoder)
    else:
        rate = encoder.options.rate
        seen = frame_vectors(path, encoder.picture_encoder, rate)
        recipe = FrameStage(encoder.picture_encoder, rate).recipe
        frames = FilmFrames(seen.time, np.asarray(seen.vector, dtype=np.float32), recipe)
    return shots_of(film, video, frames, encoder)


def check_frames(path: Path, frames: FilmFrames, encoder: DualEncoder) -> None:
    """Only what the model's own encoder saw can be searched with it."""
    expected = encoder.pictures_signature
    found = str(frames.recipe.get("encoder"))
    if found != expected:
        raise InputError(
            f"has frames by {found}, and the model {encoder.folder} sees with {expected}",
            file=path,
            hint=f"`kataribe media frames VIDEO -o FILE.npz --encoder {encoder.options.pictures}` makes them",
        )
    width = frames.vectors.shape[1]
    if width != encoder.frame_width:
        problem = f"has frames of {width} numbers, and the model {encoder.folder} sees {encoder.frame_width}"
        raise InputError(problem, file=path, hint="make the file again")


def shots_of(film: str, video: Mapping[str, Any], frames: FilmFrames, encoder: DualEncoder) -> FilmShots:
    """Whole shots, and what is left at the end of the film."""
    length = encoder.options.length
    end = float(frames.time[-1]) + 1 / frames.rate
    spans = list(pieces(Segment(0.0, end), length))
    done = len(spans) * length
    if frames.time[-1] >= done:
        spans.append(Segment(done, end))
    projected = encoder.frames(frames.vectors)
    vectors = np.stack([pooled(projected[frames.during(span)]) for span in spans])
    return FilmShots(film, video, tuple(spans), vectors)
