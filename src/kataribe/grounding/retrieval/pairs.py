"""What a retriever learns from: frames of films as vectors, and texts that belong to stretches of them.

A corpus folder (`kataribe build movie`) has the texts: shots of 20 seconds in GSR, clips in G. A folder of feature
files, FILM.npz with the stage `frames`, has the vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.errors import InputError, Location, counted, some
from kataribe.core.types import Array, Bools, Float32s, Floats, Int64s, Segment
from kataribe.films.feature_file import read_features
from kataribe.films.movie101 import Movie101, read_movie101
from kataribe.grounding.retrieval.options import Learned

TRAIN, VALIDATION, TEST = "train", "val", "test"


@dataclass(frozen=True, eq=False)
class FilmFrames:
    """The frames of a film that were looked at: seconds in order, and an encoder's vector for each."""

    time: Floats
    vectors: Float32s
    recipe: Mapping[str, Any]

    def during(self, span: Segment) -> slice:
        """The frames of a stretch; the nearest one where none lies inside."""
        first, last = np.searchsorted(self.time, [span.start, span.end]).tolist()
        if first < last:
            return slice(first, last)
        nearest = int(np.abs(self.time - (span.start + span.end) / 2).argmin())
        return slice(nearest, nearest + 1)

    @property
    def rate(self) -> float:
        return float(self.recipe.get("rate", 1.0))


@dataclass(frozen=True)
class Pair:
    """A stretch of a film and the text that tells it."""

    film: str
    span: Segment
    text: str


@dataclass(frozen=True, eq=False)
class PairedFilms:
    """Films and what is told of them, by the parts of the corpus. `shots` are what is searched; `learned` is learned.

    `encoder` is the signature of the picture encoder that all films were seen with.
    """

    films: Mapping[str, FilmFrames]
    shots: Mapping[str, tuple[Pair, ...]]
    learned: tuple[Pair, ...]
    encoder: str

    @property
    def width(self) -> int:
        return int(next(iter(self.films.values())).vectors.shape[1])

    @property
    def rate(self) -> float:
        return next(iter(self.films.values())).rate

    @property
    def texts(self) -> list[str]:
        """Every distinct text, in the order of first use."""
        listed = (*self.learned, *(pair for pairs in self.shots.values() for pair in pairs))
        return list(dict.fromkeys(pair.text for pair in listed))

    @property
    def key(self) -> str:
        """A hash of the pairs and of all frames."""
        digest = hashlib.blake2b(digest_size=8)
        for pair in (*self.learned, *(pair for _, pairs in sorted(self.shots.items()) for pair in pairs)):
            digest.update(f"{pair}\n".encode("utf-8", "surrogatepass"))
        for film, frames in sorted(self.films.items()):
            digest.update(film.encode("utf-8", "surrogatepass"))
            digest.update(np.ascontiguousarray(frames.vectors).view(np.uint8).data)
        return digest.hexdigest()


def read_frames(path: Path) -> FilmFrames:
    """The frames of one feature file."""
    features = read_features(path)
    if "frames" not in features.stages:
        raise Location(path).error(
            "has no frames", hint=f"`kataribe media frames VIDEO -o {path.name}` adds them to the file"
        )
    arrays = features.arrays("frames")
    vectors = arrays["vector"].astype(np.float32)
    if not len(vectors):
        raise Location(path).error("has no frame", hint="is the video empty?")
    return FilmFrames(arrays["time"].astype(np.float64), vectors, features.stages["frames"])


def read_pairs(corpus: Path, features: Path, learn: Learned = "both") -> PairedFilms:
    """The parts train, val and test of a corpus, with the frames of their films."""
    found = read_movie101(corpus)
    shots = {part: _shots(found, part) for part in (TRAIN, VALIDATION, TEST) if part in found.gsr}
    learned = (*(shots.get(TRAIN, ()) if learn != "clips" else ()), *(_clips(found) if learn != "shots" else ()))
    if not learned:
        raise Location(corpus).error(
            "has nothing to train on", hint="it needs GSR/train.json or G/train.json: `kataribe build movie` makes them"
        )
    names = dict.fromkeys(pair.film for pair in (*learned, *(pair for pairs in shots.values() for pair in pairs)))
    films = _read_films(features, names)
    return PairedFilms(
        films, {part: pairs for part, pairs in shots.items() if pairs}, learned, _one_encoder(films, features)
    )


def _shots(found: Movie101, part: str) -> tuple[Pair, ...]:
    return tuple(
        Pair(film, shot.segment, shot.text) for film, shots in found.gsr[part].items() for shot in shots if shot.text
    )


def _clips(found: Movie101) -> Iterable[Pair]:
    for clip in found.g.get(TRAIN, ()):
        if clip.film is not None and clip.segment is not None and clip.text.strip():
            yield Pair(clip.film, clip.segment, clip.text)


def _read_films(folder: Path, names: Iterable[str]) -> dict[str, FilmFrames]:
    if not folder.is_dir():
        raise Location(folder).error("there is no such folder", hint="give the folder of the films' feature files")
    wanted = list(names)
    missing = [film for film in wanted if not (folder / f"{film}.npz").is_file()]
    if missing:
        raise Location(folder).error(
            f"has no features of {len(missing):,} of {counted(len(wanted), 'film')}: {some(missing)}",
            hint=f"name each file by its film: {missing[0]}.npz",
        )
    return {film: read_frames(folder / f"{film}.npz") for film in wanted}


def _one_encoder(films: Mapping[str, FilmFrames], folder: Path) -> str:
    """Films that were seen with different encoders, or at different rates, cannot be compared."""
    recipes = {film: (str(frames.recipe.get("encoder")), frames.rate) for film, frames in films.items()}
    first, *others = dict.fromkeys(recipes.values())
    if others:
        odd = next(film for film, recipe in recipes.items() if recipe != first)
        said = " and ".join(f"{encoder} at {rate:g} a second" for encoder, rate in (first, others[0]))
        raise InputError(
            f"frames were made in different ways: {said}", file=folder / f"{odd}.npz", hint="make them again"
        )
    return first[0]


@dataclass(frozen=True, eq=False)
class PairTable:
    """Pairs as rows: the frames of each, which text it has, and which pairs tell the same.

    Two pairs of one film that overlap in time, or that have the same text, are not told apart: neither is wrong for
    the other.
    """

    pairs: Sequence[Pair]
    frames: Mapping[str, Array]
    spans: Sequence[slice]
    texts: Int64s
    films: Int64s
    starts: Floats
    ends: Floats

    @classmethod
    def of(
        cls,
        pairs: Sequence[Pair],
        paired: PairedFilms,
        texts: Mapping[str, int],
        pixels: Mapping[str, Array] | None = None,
    ) -> PairTable:
        """With `pixels` frames are pictures, else the vectors of the feature files."""
        names = {film: number for number, film in enumerate(paired.films)}
        return cls(
            pairs,
            pixels or {film: frames.vectors for film, frames in paired.films.items()},
            [paired.films[pair.film].during(pair.span) for pair in pairs],
            np.array([texts[pair.text] for pair in pairs], dtype=np.int64),
            np.array([names[pair.film] for pair in pairs], dtype=np.int64),
            np.array([pair.span.start for pair in pairs], dtype=np.float64),
            np.array([pair.span.end for pair in pairs], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.pairs)

    def looked_at(self, rows: Int64s, most: int) -> tuple[Array, Bools]:
        """Frames of some pairs, at most so many evenly spread of each, padded; and which of them are there."""
        chosen = [spread(self.spans[row], most) for row in rows.tolist()]
        longest = max(map(len, chosen))
        example = self.frames[self.pairs[0].film]
        frames = np.zeros((len(rows), longest, *example.shape[1:]), dtype=example.dtype)
        is_there = np.zeros((len(rows), longest), dtype=bool)
        for place, (row, indices) in enumerate(zip(rows.tolist(), chosen, strict=True)):
            frames[place, : len(indices)] = self.frames[self.pairs[row].film][indices]
            is_there[place, : len(indices)] = True
        return frames, is_there

    def told_apart(self, rows: Int64s) -> Bools:
        """Which of some pairs are wrong for which: all but those that overlap or have the same text."""
        film, text, start, end = (column[rows] for column in (self.films, self.texts, self.starts, self.ends))
        overlap = np.minimum(end[:, None], end) > np.maximum(start[:, None], start)
        apart: Bools = ~((film[:, None] == film) & overlap | (text[:, None] == text))
        return apart


def spread(span: slice, most: int) -> Int64s:
    """At most so many indices of a slice, the middles of equal parts.

    >>> spread(slice(10, 20), 3).tolist(), spread(slice(4, 6), 3).tolist()
    ([11, 15, 18], [4, 5])
    """
    count = span.stop - span.start
    if count <= most:
        return np.arange(span.start, span.stop)
    middles: Int64s = (span.start + (np.arange(most) + 0.5) * count / most).astype(np.int64)
    return middles
