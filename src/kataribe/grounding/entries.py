"""Who enters spans for queries: the system, blind guessers, people - each list beside the spans of one person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from kataribe.core.ragged import Ragged, spans
from kataribe.core.types import Floats, Int64s
from kataribe.grounding.items import Queries
from kataribe.grounding.panel import SYSTEM

# Tables of spans x true spans are made for so many entries at a time that they stay near this many cells (4 MB each).
_CELLS = 1 << 19

# The best blind spans, relative to the video, of a metric that wants so many of them.
Fitted = Callable[[], Floats]


@dataclass(frozen=True, eq=False)
class Entries:
    """Entry e offers the spans of list e for the query query[e], and is compared with list e of `truth`.

    `scores` belong to the spans; nobody but the system has them.
    """

    spans: Ragged
    truth: Ragged
    query: Int64s
    scores: Floats | None = None

    def __len__(self) -> int:
        return len(self.query)

    def keep(self, chosen: Int64s) -> Entries:
        scores = None if self.scores is None else self.spans.with_values(self.scores)[chosen].values
        return Entries(self.spans[chosen], self.truth[chosen], self.query[chosen], scores)

    def first(self, most: int) -> Entries:
        """With the first so many spans of each, in the order of the file."""
        counts = np.minimum(self.spans.counts, most)
        chosen = spans(self.spans.starts, counts)
        offered = Ragged.counted(self.spans.values[chosen], counts)
        return replace(self, spans=offered, scores=None if self.scores is None else self.scores[chosen])

    def chunks(self, most: int | None) -> Iterator[tuple[Int64s, Entries]]:
        """Some entries at a time; of each at most so many spans are looked at."""
        if not len(self):
            return
        offered = self.spans.counts if most is None else np.minimum(self.spans.counts, most)
        widest = max(1, int(offered.max())) * max(1, int(self.truth.counts.max()))
        size = max(1, _CELLS // widest)
        for start in range(0, len(self), size):
            chosen = np.arange(start, min(start + size, len(self)))
            yield chosen, (self if size >= len(self) else self.keep(chosen))

    def with_truth_between(self, shortest: float, longest: float) -> Entries:
        """With true spans longer than one bound and at most as long as the other; who is left with none drops out."""
        lengths = self.truth.values[:, 1] - self.truth.values[:, 0]
        fits = (lengths > shortest) & (lengths <= longest)
        truth = Ragged.grouped(self.truth.values[fits], self.truth.owners[fits], len(self))
        return replace(self, truth=truth).keep(np.flatnonzero(truth.counts))


def enter(player: str, items: Queries, count: int, trials: int, fitted: Fitted) -> Entries:
    """A player's entries. Blind guessers offer `count` spans; `random` enters `trials` times."""
    if player == SYSTEM:
        return _against_everybody(items, items.predictions, np.arange(len(items)), items.scores)
    if player == "system":
        several = np.flatnonzero(items.people.counts > 1)
        scores = items.predictions.with_values(items.scores)[several].values
        return _against_everybody(items, items.predictions[several], several, scores)
    if player == "human":
        return _people(items)
    if player == "whole":
        return _relative(items, np.array([[0.0, 1.0]]))
    if player == "drawn":
        return _drawn(items, count, trials) if items.train is not None else _nobody()
    if player == "fixed":
        return _relative(items, fitted()) if items.train is not None else _nobody()
    return _random(items, count, trials)


def _against_everybody(items: Queries, offered: Ragged, queries: Int64s, scores: Floats | None) -> Entries:
    """List i of the spans offered is for queries[i], and meets each of its people."""
    if np.all(items.people.counts == 1) and len(queries) == len(items):  # the usual case
        return Entries(offered, items.truth, queries, scores)
    persons = items.people.with_values(np.arange(len(items.truth)))[queries]
    given = None if scores is None else offered.with_values(scores)[persons.owners].values
    return Entries(offered[persons.owners], items.truth[persons.values], queries[persons.owners], given)


def _people(items: Queries) -> Entries:
    """Everybody against every other person of the same query."""
    counts = items.people.counts
    first = np.repeat(np.arange(len(items.truth)), np.repeat(counts, counts))
    other = items.people.with_values(np.arange(len(items.truth)))[items.people.owners].values
    is_other = first != other
    first, other = first[is_other], other[is_other]
    return Entries(items.truth[first], items.truth[other], items.people.owners[first])


def _relative(items: Queries, relative: Floats) -> Entries:
    """The same relative spans for every query."""
    lengths = items.extents[:, 1] - items.extents[:, 0]
    values = items.extents[:, :1, None] + relative[None] * lengths[:, None, None]
    offered = Ragged.counted(values.reshape(-1, 2), np.full(len(items), len(relative)))
    return _against_everybody(items, offered, np.arange(len(items)), None)


def _random(items: Queries, count: int, trials: int) -> Entries:
    """Spans between two even draws of a time."""
    drawn = items.draws(np.arange(trials), 2 * count, salt=0)
    return _guessed(items, np.sort(drawn.reshape(len(items), trials, count, 2), axis=-1))


def _drawn(items: Queries, count: int, trials: int) -> Entries:
    """Relative spans of training queries, drawn evenly: whoever guesses so knows these spans and nothing else."""
    assert items.train is not None
    known = items.train.relative
    chosen = (items.draws(np.arange(trials), count, salt=2) * len(known)).astype(np.int64)
    return _guessed(items, known[chosen])


def _guessed(items: Queries, relative: Floats) -> Entries:
    """Of relative[query, draw, guess]: each draw meets one of the query's people, in turn, so that the mean over draws
    is the mean over people."""
    trials, count = relative.shape[1:3]
    lengths = items.extents[:, 1] - items.extents[:, 0]
    values = items.extents[:, 0, None, None, None] + relative * lengths[:, None, None, None]
    offered = Ragged.counted(values.reshape(-1, 2), np.full(len(items) * trials, count))
    query = np.repeat(np.arange(len(items)), trials)
    turn = np.tile(np.arange(trials), len(items))
    person = items.people.starts[query] + turn % np.maximum(items.people.counts[query], 1)
    # Queries about shots or highlights alone have nobody who marked a span.
    is_marked = np.flatnonzero(items.people.counts[query])
    return Entries(offered[is_marked], items.truth[person[is_marked]], query[is_marked])


def _nobody() -> Entries:
    nothing = Ragged(np.zeros((0, 2)), np.zeros(1, dtype=np.int64))
    return Entries(nothing, nothing, np.zeros(0, dtype=np.int64))
