"""A stage looks at a film from its first second to its last, in chunks that can be kept: work that stops goes on.

    stage.chunks(video, last)   what is found in each minute or so, and the state in which the stage goes on
    stage.conclude(rows)        the arrays that the film's feature file keeps
    stage.value(arrays)         what they mean: captions, segments, faces

A chunk's state is all that the next one needs, so a stage that goes on after a kept chunk gives what one run through
would have given, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from kataribe.core.types import Array

Arrays = Mapping[str, Array]
T_co = TypeVar("T_co", covariant=True)

# Seconds of film in a chunk: what is computed again at most after a stop.
CHUNK = 60.0


@dataclass(frozen=True)
class Chunk:
    """What was found up to a time of the film. Rows of all chunks make the result; the state of the last goes on."""

    until: float
    rows: Arrays
    state: Arrays = field(default_factory=dict)


class Stage(Protocol[T_co]):
    """`name` is the stage's own in the feature file, `recipe` whatever can move its result."""

    @property
    def name(self) -> str: ...
    @property
    def recipe(self) -> Mapping[str, Any]: ...
    def chunks(self, video: Path, last: Chunk | None) -> Iterator[Chunk]: ...
    def conclude(self, rows: Arrays) -> Arrays: ...
    def value(self, arrays: Arrays) -> T_co: ...


def run_through(stage: Stage[T_co], video: Path) -> T_co:
    """A stage on a film, nothing kept on the way."""
    return stage.value(stage.conclude(joined(stage.chunks(video, None))))


def joined(chunks: Iterable[Chunk]) -> Arrays:
    """The rows of all chunks, one after the other; a chunk in which nothing was found need not know their width.

    >>> joined([Chunk(1, {"time": np.array([0.0])}), Chunk(2, {"time": np.array([1.5])})])["time"].tolist()
    [0.0, 1.5]
    """
    parts: dict[str, list[Array]] = {}
    for chunk in chunks:
        for name, rows in chunk.rows.items():
            parts.setdefault(name, []).append(rows)
    return {name: np.concatenate([part for part in rows if len(part)] or rows[:1]) for name, rows in parts.items()}


def is_due(time: float, last: float) -> bool:
    """Whether a frame at this time belongs to another chunk than the one before it."""
    return int(time / CHUNK) > int(last / CHUNK)
