"""Who the faces are: tracks of a film beside portraits of its cast.

The stage `portraits` keeps the vectors of a cast's portraits in the film's feature file. A track's vector is the mean
of its faces'; it gets the name of the nearest portrait if that is at most 0.6 away.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kataribe.core.caution import Caution, remark
from kataribe.core.errors import InputError
from kataribe.core.types import Float32s
from kataribe.media.faces import DlibFaces, FaceFinder, Faces
from kataribe.media.pictures import open_picture
from kataribe.media.stage import Arrays, Chunk

SAME_PERSON = 0.6
_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")


@dataclass(frozen=True)
class Portraits:
    """One vector for each name."""

    names: tuple[str, ...]
    vectors: Float32s


class NamedTrack(NamedTuple):
    """A track and whose it is; the name is empty where nobody is near enough. `distance` is to the nearest."""

    track: int
    name: str
    distance: float


def portraits_in(folder: Path) -> dict[str, Path]:
    """The pictures of a folder by the names of their files, which are the names of roles."""
    if not folder.is_dir():
        raise InputError("is not a folder", file=folder, hint="give a folder with a picture for each role")
    files = {path.stem: path for path in sorted(folder.iterdir()) if path.suffix.lower() in _PICTURES}
    if not files:
        raise InputError("has no picture", file=folder, hint=f"pictures end in {', '.join(_PICTURES)}")
    return files


def read_portraits(files: Mapping[str, Path], finder: FaceFinder | None = None) -> Portraits:
    """The largest face of each picture."""
    finder = finder or DlibFaces()
    vectors = []
    for name, file in files.items():
        if (vector := _largest_face(file, finder)) is None:
            hint = "take a picture from the front, or look closer: <upsample 1>"
            raise InputError("no face is found in this portrait", file=file, id=name, hint=hint, options=["upsample"])
        vectors.append(vector)
    return Portraits(tuple(files), np.array(vectors, dtype=np.float32))


def _largest_face(file: Path, finder: FaceFinder) -> Float32s | None:
    found = finder.find(open_picture(file))
    return max(found, key=lambda face: face.box.area).vector if found else None


@dataclass(frozen=True)
class PortraitStage:
    """The stage: the portraits of a film's cast. A role whose portrait shows no face is left out, and that is said."""

    files: Mapping[str, Path]
    finder: FaceFinder = field(default_factory=DlibFaces)

    @property
    def name(self) -> str:
        return "portraits"

    @property
    def recipe(self) -> Mapping[str, Any]:
        return {"finder": self.finder.name, "pictures": {name: _digest(file) for name, file in self.files.items()}}

    def chunks(self, video: Path, last: Chunk | None) -> Iterator[Chunk]:
        """Portraits are few: one chunk, which does not depend on the film."""
        found = {name: _largest_face(file, self.finder) for name, file in self.files.items()}
        vectors = {name: vector for name, vector in found.items() if vector is not None}
        for name in found.keys() - vectors.keys():
            remark(Caution("portrait", f"{self.files[name]}: no face is found in the portrait of {name}"))
        width = len(next(iter(vectors.values()))) if vectors else 0
        rows = np.array(list(vectors.values()), dtype=np.float32).reshape(len(vectors), width)
        yield Chunk(0.0, {"name": np.array(list(vectors), dtype=np.str_), "vector": rows})

    def conclude(self, rows: Arrays) -> Arrays:
        return rows

    def value(self, arrays: Arrays) -> Portraits:
        return Portraits(tuple(arrays["name"].tolist()), arrays["vector"])


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=file, hint="check the path in the cast") from None


def name_tracks(faces: Faces, portraits: Portraits, at_most: float = SAME_PERSON) -> list[NamedTrack]:
    """Whose the tracks of a film are.

    >>> vectors = np.array([[0, 0], [0, 0.2], [3, 3]], dtype=np.float32)
    >>> times, boxes = np.arange(3.0), np.zeros((3, 4))
    >>> seen = Faces(times, times, boxes, np.ones(3), vectors, np.array([0, 0, 1]))
    >>> [(named.track, named.name) for named in name_tracks(seen, Portraits(("Penelope",), vectors[:1]))]
    [(0, 'Penelope'), (1, '')]
    """
    named = []
    for number, rows in enumerate(faces.tracks):
        distances = np.linalg.norm(portraits.vectors - faces.vector[rows].mean(axis=0), axis=1)
        nearest = int(distances.argmin())
        distance = float(distances[nearest])
        named.append(NamedTrack(number, portraits.names[nearest] if distance <= at_most else "", distance))
    return named
