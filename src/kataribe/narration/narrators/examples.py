"""Clips as a network takes them: what is seen, who is in the film, its genres, the context, and the text as tokens.

Nothing is cut: a batch is as long as its longest clip and text, and has as many roles as its largest cast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from kataribe.core.need import need
from kataribe.core.types import Array, Bools, Caption, Float32s, Int64s, Segment
from kataribe.films.names import Names
from kataribe.films.seen import SeenClip, SeenFilm
from kataribe.narration.narrators.options import NarratorOptions
from kataribe.narration.narrators.vocabulary import BEGIN, END, Vocabulary

# How much of what was told and said before a clip is looked at, and of what is said after it.
LINES_BEFORE = 2
SAID_BEFORE, SAID_AFTER = 3, 1
# Batches whose clips are sorted by the length of their texts together.
_TOGETHER = 8
TOLD, HEARD_BEFORE, HEARD_AFTER = range(3)


class ContextTokens(NamedTuple):
    """Tokens of the context and what each is of, and how many characters are unknown."""

    tokens: Int64s
    kinds: Int64s
    unknown: int


@dataclass(frozen=True)
class Shown:
    """What a narrator is shown of one clip, as arrays."""

    frames: Float32s
    faces: Float32s
    has_face: Bools
    portraits: Float32s
    has_portrait: Bools
    genres: Int64s
    context: Int64s
    context_kind: Int64s
    text: Int64s


@dataclass(frozen=True)
class Reader:
    """Turns clips into arrays, with the vocabulary and the genres of a model."""

    options: NarratorOptions
    vocabulary: Vocabulary
    genres: tuple[str, ...]
    face_width: int

    def shown(self, film: SeenFilm, span: Segment, context: ContextTokens, text: Sequence[int] = ()) -> Shown:
        seen = film.during(span)
        known = [1 + self.genres.index(genre) for genre in film.genres if genre in self.genres]
        return Shown(
            seen.frames,
            self._as_wide(seen.faces),
            seen.has_face,
            self._as_wide(film.portraits),
            film.has_portrait,
            np.array(known if self.options.genres else [], dtype=np.int64),
            context.tokens,
            context.kinds,
            np.array([BEGIN, *text], dtype=np.int64),
        )

    def _as_wide(self, faces: Float32s) -> Float32s:
        """Where there is no face, nothing says how wide one would be."""
        if faces.shape[-1] == self.face_width:
            return faces
        return np.zeros((*faces.shape[:-1], self.face_width), dtype=np.float32)

    def encode(self, text: str, film: SeenFilm) -> tuple[tuple[int, ...], int]:
        """Tokens, and how many characters are unknown; names are roles where the model points at them."""
        if not self.options.points:
            return self.vocabulary.encode(text)
        return self.vocabulary.encode(text, names_of(film), film.cast.names)

    def decode(self, tokens: Sequence[int], film: SeenFilm) -> str:
        return self.vocabulary.decode(tokens, film.cast.names)

    def context(
        self, film: SeenFilm, span: Segment, told: Sequence[str], said: Sequence[Caption] | None = None
    ) -> ContextTokens:
        """The last lines that were `told` before the span, and what is said around it."""
        found: list[tuple[int, str]] = []
        if self.options.sees_lines:
            found += [(TOLD, text) for text in told[-LINES_BEFORE:]]
        if self.options.hears_dialogue:
            heard = film.dialogue if said is None else said
            before = [line.text for line in heard if line.segment.start < span.start][-SAID_BEFORE:]
            after = [line.text for line in heard if line.segment.start >= span.start][:SAID_AFTER]
            found += [(HEARD_BEFORE, text) for text in before] + [(HEARD_AFTER, text) for text in after]
        tokens: list[int] = []
        kinds: list[int] = []
        unknown = 0
        for kind, text in found:
            encoded, missed = self.encode(text, film)
            tokens += [*encoded, END]
            kinds += [kind] * (len(encoded) + 1)
            unknown += missed
        return ContextTokens(np.array(tokens, dtype=np.int64), np.array(kinds, dtype=np.int64), unknown)


@lru_cache(maxsize=256)
def _names(film_and_cast: Any) -> Names:
    return Names.of_cast(film_and_cast)


def names_of(film: SeenFilm) -> Names:
    return _names(film.cast)


class ClipExamples:
    """Clips with their texts, for the training loop; `unknown` characters of texts and contexts are counted."""

    def __init__(self, clips: Sequence[SeenClip], reader: Reader) -> None:
        self.clips, self.reader = list(clips), reader
        self.unknown = 0
        self.shown: list[Shown] = []
        before = told_before(self.clips)
        for number, clip in enumerate(self.clips):
            tokens, missed = reader.encode(clip.text, clip.film)
            context = reader.context(clip.film, clip.span, before[number])
            self.unknown += missed + context.unknown
            self.shown.append(reader.shown(clip.film, clip.span, context, [*tokens, END]))

    def __len__(self) -> int:
        return len(self.clips)

    def batch(self, rows: Int64s) -> Any:
        return as_batch([self.shown[row] for row in rows.tolist()], rows)

    def arrange(self, rows: Int64s, batch: int) -> Int64s:
        """Shuffled rows so that texts of a batch are about as long as each other: a batch takes as long as its longest.

        Among every few batches, those rows are sorted by length and cut; the batches are then in random order again.
        """
        lengths = np.array([len(self.shown[row].text) for row in rows.tolist()])
        chosen = np.concatenate(
            [
                start + np.argsort(lengths[start : start + _TOGETHER * batch], kind="stable")
                for start in range(0, len(rows), _TOGETHER * batch)
            ]
        )
        whole = len(rows) // batch * batch
        batches = rows[chosen[:whole]].reshape(-1, batch)
        # The order of a permutation's first numbers is as random as any.
        return np.concatenate([batches[np.argsort(rows[: len(batches)])].ravel(), rows[chosen[whole:]]])

    def portions(self, size: int) -> Iterator[Any]:
        """All of them in order, some at a time."""
        for start in range(0, len(self), size):
            yield self.batch(np.arange(start, min(len(self), start + size)))


def told_before(clips: Sequence[SeenClip]) -> list[list[str]]:
    """For each clip, the texts of the film's clips that end before it starts, in order of time."""
    by_film: dict[str, list[SeenClip]] = {}
    for clip in clips:
        by_film.setdefault(clip.film.film, []).append(clip)
    ordered = {film: sorted(found, key=lambda clip: clip.span) for film, found in by_film.items()}
    return [
        [other.text for other in ordered[clip.film.film] if other.span.end <= clip.span.start and other is not clip]
        for clip in clips
    ]


def as_batch(shown: Sequence[Shown], rows: Int64s | None = None) -> Any:
    """Padded to the longest of each; at least one role and one frame."""
    torch = need("torch", extra="models", purpose="narrators")
    from kataribe.narration.narrators.network import Batch

    frames, frame_mask = padded([each.frames for each in shown])
    portraits, role_mask = padded([each.portraits for each in shown], least=1)
    columns: Mapping[str, Array] = {
        "frames": frames,
        "faces": padded([each.faces for each in shown])[0],
        "has_face": padded([each.has_face for each in shown])[0],
        "frame_mask": frame_mask,
        "portraits": portraits,
        "has_portrait": padded([each.has_portrait for each in shown], least=1)[0],
        "role_mask": role_mask,
        "genres": padded([each.genres for each in shown])[0],
        "context": padded([each.context for each in shown])[0],
        "context_kind": padded([each.context_kind for each in shown])[0],
        "text": padded([each.text for each in shown])[0],
        "rows": np.arange(len(shown)) if rows is None else rows,
    }
    return Batch(**{name: torch.from_numpy(np.ascontiguousarray(column)) for name, column in columns.items()})


def padded(arrays: Sequence[Array], least: int = 0) -> tuple[Array, Bools]:
    """Arrays of different lengths as one, zeros behind the shorter ones, and which rows are real.

    >>> values, mask = padded([np.array([1, 2]), np.array([3])])
    >>> values.tolist(), mask.tolist()
    ([[1, 2], [3, 0]], [[True, True], [True, False]])
    """
    length = max(least, *(len(array) for array in arrays))
    values = np.zeros((len(arrays), length, *arrays[0].shape[1:]), dtype=arrays[0].dtype)
    mask = np.zeros((len(arrays), length), dtype=bool)
    for row, array in enumerate(arrays):
        values[row, : len(array)] = array
        mask[row, : len(array)] = True
    return values, mask
