"""The items of the task: for each query what people marked and what was predicted, in columns."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kataribe.core.memo import Memo
from kataribe.core.ragged import Ragged, Rows, pick
from kataribe.core.types import Bools, Floats, Int64s, UInt64s
from kataribe.grounding.guesses import TrainSpans


@dataclass(frozen=True, eq=False)
class Highlights:
    """What people and the system say of clips of two seconds.

    List i of `ratings` holds a row for each clip of query i and a column for each rater; list i of `saliency` the
    system's score of each of these clips. Queries that nobody rated have no clips; `is_predicted[i]` says whether the
    system scored any.
    """

    ratings: Ragged
    saliency: Ragged
    is_predicted: Bools

    def __getitem__(self, rows: Rows) -> Highlights:
        return Highlights(self.ratings[rows], self.saliency[rows], self.is_predicted[rows])


@dataclass(frozen=True, eq=False)
class FoundShots:
    """Which shots were retrieved: `rank` is that of the first true one, from 0, and infinite where none was found.

    `true` counts the shots that show it (0: the query is not about shots), `pool` those of its film.
    """

    rank: Floats
    true: Int64s
    pool: Int64s

    def __getitem__(self, rows: Rows) -> FoundShots:
        return FoundShots(self.rank[rows], self.true[rows], self.pool[rows])


@dataclass(frozen=True, eq=False)
class Queries:
    """Query i is to be found in extents[i] (start and end) of videos[i]; `is_cut[i]` says that nothing lies outside:
    these are the ends of the video, not those of a window in it, nor a guess.

    The people of list i of `people` marked it; person j, counted over all queries, marked the spans of list j of
    `truth`. The system offered those of list i of `predictions`, in the order of the file; scores[k] is that of the
    k-th of them, NaN where it has none. `seed` is that of all draws beside the system.
    """

    ids: Sequence[str]
    videos: Sequence[str]
    texts: Sequence[str]
    extents: Floats
    is_cut: Bools
    people: Ragged
    truth: Ragged
    predictions: Ragged
    scores: Floats
    highlights: Highlights | None = None
    shots: FoundShots | None = None
    train: TrainSpans | None = None
    seed: int = 0
    # Not handed on by `replace`: what was computed of other columns is not true of these.
    memo: Memo = field(default_factory=Memo, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> Queries:
        persons = self.people.with_values(np.arange(len(self.truth)))[rows].values
        return Queries(
            pick(self.ids, rows),
            pick(self.videos, rows),
            pick(self.texts, rows),
            self.extents[rows],
            self.is_cut[rows],
            self.people[rows],
            self.truth[persons],
            self.predictions[rows],
            self.predictions.with_values(self.scores)[rows].values,
            None if self.highlights is None else self.highlights[rows],
            None if self.shots is None else self.shots[rows],
            self.train,
            self.seed,
        )

    @property
    def has_several_people(self) -> bool:
        return bool(np.any(self.people.counts > 1))

    def draws(self, draw: Int64s, count: int, salt: int) -> Floats:
        """Numbers between 0 and 1: `count` of them for each query and draw, as queries x draws x count.

        They depend on the seed and the query's id only, not on which other queries are scored.
        """
        names = np.array([zlib.crc32(id.encode("utf-8", "surrogatepass")) for id in self.ids], dtype=np.uint64)
        start = (names << np.uint64(32)) ^ np.uint64((self.seed * 1_000_003 + salt) % (1 << 32))
        # Streams of different draws are far apart, so that a longer draw starts with a shorter one.
        index = (draw.astype(np.uint64)[:, None] << np.uint64(24)) + np.arange(count, dtype=np.uint64)
        return _uniform((_mixed(start)[:, None, None] + index * _STEP).astype(np.uint64))


# SplitMix64 (Steele, Lea and Flood, 2014): a counter that is well mixed is a stream of random numbers.
_STEP = np.uint64(0x9E3779B97F4A7C15)


def _mixed(state: UInt64s) -> UInt64s:
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: UInt64s = state ^ (state >> np.uint64(31))
    return mixed


def _uniform(state: UInt64s) -> Floats:
    return np.asarray((_mixed(state) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)
