"""Chance-corrected F1: 0 for boundaries that know nothing of the video, 1 for a person.

    chance_f1 = lift(system) / lift(human)
    lift(x)   = F1(x) - null(x);  null(x) = max over 19 reassignments r of F1(x after r)

A reassignment hands every video the boundaries that x gave to another video, stretched to its duration. Whatever does
not come from looking at the video survives it: how many boundaries there are, how evenly they lie, where videos tend
to have them. What is left is what the system saw.

Like is compared with like. People are scored one at a time against the other annotators of their video. System and
nulls are scored against these same sets of annotators, each left out in turn, and averaged in the same way; videos
with one annotator say nothing about people and are left out of all three.

A value above 0 means that the system beats all 19 reassignments, which happens by luck once in twenty times.

Quirks. The obvious null, (F1 - F1 of Uniform with as many boundaries) / (F1 of people - the same), is available as
`null=uniform`, but fails its purpose: a person's boundaries with four random ones added score below 0, because equal
distances suit F1 better than any honest mixture. `null=random` fails the other way: Uniform earns two thirds of a
person's score. Per video the lift alone is given, against the mean of the reassignments. At least two videos are
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.boundaries.comparison import Annotator, compare, f1, ratio
from kataribe.boundaries.f1 import Edge, Matching, match_counts
from kataribe.boundaries.items import Videos
from kataribe.boundaries.players import (
    NOBODY,
    Entries,
    as_people,
    human,
    index_in_video,
    once,
    random_lists,
    uniform_lists,
)
from kataribe.boundaries.times import scaled
from kataribe.boundaries.tolerance import Tolerance
from kataribe.boundaries.video_lists import VideoLists
from kataribe.core.errors import InputError, UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats, Int64s

_PLAYERS = ("system", "human")
_COUNTS = ("hits", "predicted", "true")
# More than any video has annotators, so that different entries have different draws.
_ENTRIES_AT_MOST = 64


@dataclass(frozen=True)
class ChanceF1(Metric):
    name: ClassVar[str] = "chance_f1"
    task: ClassVar[str] = "boundaries"
    title: ClassVar[str] = "Chance-corrected F1"
    protocols: ClassVar[Protocols] = {"paper": {"matching": "optimal", "edge": "open"}}

    annotator: Annotator = option("max", "the annotator who counts", positional=True)
    tolerance: Tolerance = option(
        Tolerance("0.05"), "a fraction of the video, 0.5s, several with +, mean, tight or loose", positional=True
    )
    null: Literal["reassigned", "uniform", "random"] = option("reassigned", "what counts as knowing nothing")
    draws: int = option(19, "reassignments, or draws of `null=random`; the best of them is the null")
    matching: Matching = option("official", "as the published tool matches, or the most matches possible")
    edge: Edge = option("closed", "a distance of exactly d is right (closed) or wrong (open)")

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise UsageError(f"{self.name}(draws={self.draws}): at least one draw is needed")

    @property
    def nulls(self) -> int:
        return 1 if self.null == "uniform" else self.draws

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override] # they depend on the tolerances and draws
        return tuple(
            f"{player}.{who}.{count}@{distance}"
            for player in _PLAYERS
            for distance in self.tolerance.distances
            for who in ("itself", *(f"null{number}" for number in range(1, self.nulls + 1)))
            for count in _COUNTS
        )

    def scan_references(self, items: Videos) -> VideoLists:
        return VideoLists.of_truth(items)

    def scan_predictions(self, items: Videos) -> VideoLists | None:
        return VideoLists.of_entries(once(items.predictions), items) if self.null == "reassigned" else None

    def conclude(self, references: VideoLists, predictions: VideoLists | None) -> Lenders | None:
        """What videos may borrow; refuses a corpus without another video or without people to measure against."""
        hint = "see boundary_f1's part `uniform`"
        if len(references) < 2:
            raise InputError("chance_f1 needs at least two videos", hint=hint)
        if np.all(references.annotators.counts < 2):
            raise InputError("chance_f1 measures against people, and no video has two annotators", hint=hint)
        return None if predictions is None else Lenders(predictions.by_id(), references.by_id())

    def prepare(self, items: Videos, facts: Lenders | None) -> _Loans:
        return _Loans(*(self._borrow(items, lists) for lists in facts)) if facts else _Loans([], [])

    def stats(self, items: Videos, context: _Loans) -> Array:
        system = self.rows_of(as_people(once(items.predictions), items), items, context.system)
        return np.hstack([system, self.rows_of(human(items), items, context.people)])

    def rows_of(self, entries: Entries, videos: Videos, loans: Sequence[VideoLists]) -> Floats:
        """One player's counts for each tolerance, followed by those of its nulls."""
        ignorant = [self._null(entries, videos, draw, loans) for draw in range(self.nulls)]
        blocks = []
        for distance in self.tolerance.distances:
            for who in (entries, *ignorant):
                comparison = compare(who, videos, self.annotator, distance)
                matched = match_counts(comparison, videos, distance, self.matching, self.edge)
                shares = comparison.shares(self.annotator, matched.f1)
                table = np.column_stack([matched.hits, matched.predicted, matched.true])
                entries_and_counts = comparison.per_video(shares, table, len(videos))
                blocks.append(entries_and_counts[:, 1:])
        return np.hstack(blocks)

    def lift(self, entries: Entries, videos: Videos) -> float:
        """How much more than nothing a player knows: entries of people, or one for each video of a whole corpus."""
        compared = as_people(entries, videos) if np.all(entries.without == NOBODY) else entries
        loans = self._borrow(videos, VideoLists.of_entries(entries, videos).by_id())
        return float(self._scores(self.rows_of(compared, videos, loans).sum(axis=0)).lift)

    def _borrow(self, videos: Videos, lists: VideoLists) -> list[VideoLists]:
        """For each draw what every video borrows from another one."""
        rows = lists.rows_of(videos.ids)
        return [lists[lenders(len(lists), videos.seed, draw)[rows]] for draw in range(self.nulls)]

    def _null(self, entries: Entries, videos: Videos, draw: int, loans: Sequence[VideoLists]) -> Entries:
        if self.null == "reassigned":
            return reassigned(entries, videos, loans[draw])
        counts = entries.lists.counts
        if self.null == "uniform":
            lists = uniform_lists(videos.durations[entries.video], counts)
        else:
            number = draw * _ENTRIES_AT_MOST + index_in_video(entries, len(videos))
            lists = random_lists(videos, entries.video, counts, number)
        return Entries(lists, entries.video, entries.without)

    def _scores(self, totals: Floats, null: Callable[..., Floats] = np.max) -> _Lift:
        """F1 and its null from one player's columns, averaged over tolerances."""
        blocks = totals.reshape(*totals.shape[:-1], len(self.tolerance.distances), 1 + self.nulls, len(_COUNTS))
        scores = f1(*(blocks[..., column] for column in range(len(_COUNTS))))
        return _Lift(scores[..., 0].mean(axis=-1), null(scores[..., 1:], axis=-1).mean(axis=-1))

    def measure(self, totals: Floats) -> Measured:
        half = totals.shape[-1] // 2
        system, people = self._scores(totals[..., :half]), self._scores(totals[..., half:])
        value = np.where(people.lift > 0, ratio(system.lift, people.lift, empty=np.nan), np.nan)
        return Measured(value, _parts(system, people))

    def per_item(self, statistics: Array) -> Measured:
        totals = np.asarray(statistics, dtype=np.float64)
        half = totals.shape[-1] // 2
        system, people = self._scores(totals[..., :half], np.mean), self._scores(totals[..., half:], np.mean)
        return Measured(system.lift, _parts(system, people))

    def signature(self, facts: Any) -> dict[str, str]:
        return {
            "annotator": self.annotator,
            "tol": str(self.tolerance),
            "null": self.null,
            "draws": str(self.nulls),
            "against": "left-out",
            "match": self.matching,
            "edge": self.edge,
        }


@dataclass(frozen=True)
class _Lift:
    f1: Floats
    null: Floats

    @property
    def lift(self) -> Floats:
        return self.f1 - self.null


def _parts(system: _Lift, people: _Lift) -> dict[str, Floats]:
    """What the value is made of; `null` and `human` mean what they mean in other tasks."""
    return {"system": system.f1, "null": system.null, "human": people.f1, "human_null": people.null}


class Lenders(NamedTuple):
    """What every video has to lend, sorted by id."""

    system: VideoLists
    people: VideoLists


class _Loans(NamedTuple):
    """What each video of a shard borrows, draw by draw."""

    system: Sequence[VideoLists]
    people: Sequence[VideoLists]


def lenders(videos: int, seed: int, draw: int) -> Int64s:
    """For each of so many videos, sorted by id, another one: its neighbour in a random round."""
    order = np.random.default_rng([seed, draw]).permutation(videos)
    lenders = np.empty(videos, dtype=np.int64)
    lenders[order] = np.roll(order, 1)
    return lenders


def reassigned(entries: Entries, videos: Videos, borrowed: VideoLists) -> Entries:
    """Every entry replaced by one that was made for another video, stretched to this one's duration.

    Row v of `borrowed` is the other video of video v, whose first entry is replaced by the first one there, the second
    by the second, and so on round.
    """
    lists = borrowed.annotators
    chosen = lists.starts[entries.video] + index_in_video(entries, len(videos)) % lists.counts[entries.video]
    stretch = (videos.durations / borrowed.durations)[entries.video]
    return Entries(scaled(borrowed.lists[chosen], stretch), entries.video, entries.without)
