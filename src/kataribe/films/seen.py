"""Films as models see them: frames and faces once a second, portraits of the cast, genres, what is said.

A feature file (`feature_file.py`) has what was seen; the corpus (`folder.py`) has the rest. Models learn from clips of
such films and are asked about spans of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from kataribe.core.errors import InputError, Location, some
from kataribe.core.types import Bools, Caption, Cast, Float32s, Floats, Segment
from kataribe.films.feature_file import Features, read_features
from kataribe.films.folder import FilmDocument, film_ids, read_film, split_of
from kataribe.films.frames import FrameVectors
from kataribe.films.movie101 import read_cast_file
from kataribe.media.faces import Faces

# Faces of a frame that models see, the surest first.
FACES = 3

Kind = Literal["g", "n"]


@dataclass(frozen=True)
class SeenSpan:
    """What is seen in a span, a row for each frame; faces are zeros where there are fewer than three."""

    time: Floats
    frames: Float32s  # frames x width
    faces: Float32s  # frames x 3 x face width
    has_face: Bools  # frames x 3

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class SeenFilm:
    """A film as models see it. Portraits are zeros where a role has none; a film may have no cast at all."""

    film: str
    genres: tuple[str, ...]
    cast: Cast
    portraits: Float32s  # roles x face width
    has_portrait: Bools  # roles
    frames: FrameVectors
    faces: Faces
    dialogue: tuple[Caption, ...]
    recipes: Mapping[str, Mapping[str, Any]]

    @property
    def duration(self) -> float:
        """Until the last frame that was looked at."""
        return float(self.frames.time[-1])

    @property
    def face_width(self) -> int:
        return int(max(self.faces.vector.shape[1], self.portraits.shape[1]))

    def during(self, span: Segment) -> SeenSpan:
        """The frames from the start of a span until its end; of a span between two frames, the nearest one."""
        time = self.frames.time
        first, last = np.searchsorted(time, [span.start, span.end])
        if first == last:
            middle = (span.start + span.end) / 2
            first = int(np.abs(time - middle).argmin())
            last = first + 1
        faces, has_face = self._faces_at(time[first:last])
        return SeenSpan(time[first:last], self.frames.vector[first:last], faces, has_face)

    def _faces_at(self, times: Floats) -> tuple[Float32s, Bools]:
        """Faces have times of their own: a frame has those of the nearest look, at most half a step away."""
        found = np.zeros((len(times), FACES, self.face_width), dtype=np.float32)
        has_face = np.zeros((len(times), FACES), dtype=bool)
        seen = self.faces.seen
        if not len(seen):
            return found, has_face
        step = 1 / float(self.recipes["faces"].get("rate", 1.0))
        for row, time in enumerate(times):
            look = seen[np.abs(seen - time).argmin()]
            if abs(look - time) > step / 2 + 1e-6:
                continue
            rows = np.flatnonzero(np.abs(self.faces.time - look) < 1e-6)[:FACES]
            found[row, : len(rows)] = self.faces.vector[rows]
            has_face[row, : len(rows)] = True
        return found, has_face


@dataclass(frozen=True)
class SeenClip:
    """A clip of a corpus with the film it is of."""

    id: str
    film: SeenFilm
    span: Segment
    text: str


@dataclass(frozen=True)
class SeenCorpus:
    films: Mapping[str, SeenFilm]
    split: Mapping[str, tuple[str, ...]]
    documents: Mapping[str, FilmDocument]

    def clips(self, part: str, kind: Kind = "g") -> list[SeenClip]:
        """The clips G or N of a part of the split, film by film, in order of time."""
        found = []
        for film in self.split.get(part, ()):
            corpus = self.documents[film].corpus
            for clip in corpus.clips if kind == "g" else corpus.long_clips:
                if clip.segment is not None:
                    found.append(SeenClip(clip.id, self.films[film], clip.segment, clip.text))
        return found


def read_seen(
    features: Path, cast: Cast | None = None, genres: Sequence[str] = (), dialogue: Sequence[Caption] = ()
) -> SeenFilm:
    """One film from its feature file, which must have frames and faces."""
    held = read_features(features)
    lacking = [stage for stage in ("frames", "faces") if stage not in held.stages]
    if lacking:
        hint = f"`kataribe media {lacking[0]} VIDEO -o {features}` adds them, or `kataribe build features`"
        raise InputError(f"has no {' and no '.join(lacking)}", file=features, hint=hint)
    film = cast.film if cast is not None else features.stem
    frames = held.arrays("frames")
    if not len(frames["time"]):
        raise InputError("has not a single frame", file=features, hint="is the video empty?")
    faces = held.arrays("faces")
    cast = cast or Cast(film, ())
    portraits, has_portrait = _portraits(held, cast, faces["vector"].shape[1])
    return SeenFilm(
        film=film,
        genres=tuple(genres),
        cast=cast,
        portraits=portraits,
        has_portrait=has_portrait,
        frames=FrameVectors(frames["time"], frames["vector"]),
        faces=Faces(*(faces[name] for name in ("seen", "time", "box", "score", "vector", "track"))),
        dialogue=tuple(dialogue),
        recipes={name: recipe for name, recipe in held.stages.items() if name in ("frames", "faces", "portraits")},
    )


def read_seen_corpus(corpus: Path, features: Path) -> SeenCorpus:
    """All films of a corpus with what was seen of them."""
    films = film_ids(corpus)
    if absent := [film for film in films if not (features / f"{film}.npz").is_file()]:
        hint = f"`kataribe build features {corpus} --videos DIR -o {features}` makes them"
        raise Location(features).error(f"has no feature file of {some(absent)}", hint=hint)
    casts = read_cast_file(corpus)
    documents = {film: _document(corpus, film) for film in films}
    seen = {
        film: read_seen(
            features / f"{film}.npz",
            casts.get(film) or Cast(film, ()),
            document.genres,
            [line for dialogue in document.corpus.dialogues for line in dialogue.lines],
        )
        for film, document in documents.items()
    }
    return SeenCorpus(seen, split_of(corpus), documents)


def _document(corpus: Path, film: str) -> FilmDocument:
    if (document := read_film(corpus, film)) is None:
        raise Location(corpus, film).error("this film cannot be read", hint="build the corpus again")
    return document


def _portraits(held: Features, cast: Cast, face_width: int) -> tuple[Float32s, Bools]:
    """A row for each role, by its name or, where a portrait is called otherwise, by an alias."""
    arrays = held.arrays("portraits")
    names: list[str] = arrays["name"].tolist() if arrays else []
    width = arrays["vector"].shape[1] if names else face_width
    vectors = np.zeros((len(cast.roles), width), dtype=np.float32)
    has_portrait = np.zeros(len(cast.roles), dtype=bool)
    for row, role in enumerate(cast.roles):
        known = next((name for name in role.names if name in names), None)
        if known is not None:
            vectors[row], has_portrait[row] = arrays["vector"][names.index(known)], True
    return vectors, has_portrait
