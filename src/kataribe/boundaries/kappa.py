"""Boundary kappa: F1 beyond what the same predictions would find in other videos. Guessing scores 0.

    kappa = (F1 - F1 by chance) / (1 - F1 by chance)
    F1           = 2 hits / (predicted + true), hits = the most one-to-one matches within the tolerance
    F1 by chance = the same with the hits that the predictions of each video would have in other videos, on average

A predicted boundary earns what it is worth here less what it would be worth elsewhere, at the same relative time in
videos that it was not made for. How many boundaries there are, how evenly they lie and where videos tend to have them
is worth the same elsewhere, and adds up to 0. Uniform scores 0, Random 0 on average, for every number of boundaries.
The expectation is no simulation: the other videos are all of them or, in large sets, `others` at equal steps round the
circle of sorted ids. Each is asked equally often, and no draw is made.

Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20(1): the
form of the correction. Yukutake, Mizufune and Matsubayashi ask for such a measure as future work. Ours.

Quirks. A second prediction of the same boundary is an error. 1 is perfect; people, who do not agree fully, are beside
it as `human`. Confidence plays no part in the value; `best` is the highest value that a threshold on the confidence
gives (tried at tenths of the predictions). A system that knows how many boundaries a video has, but not where, scores a
little above 0: that is knowledge of the video. Needs two videos.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from kataribe.boundaries.comparison import Annotator, Comparison, compare, f1, ratio
from kataribe.boundaries.f1 import Edge, MatchCounts, match_counts
from kataribe.boundaries.items import Videos
from kataribe.boundaries.panel import PanelMetric
from kataribe.boundaries.players import NOBODY, PAPER_TRIALS, PLAYERS, Entries, enter, index_in_video, once
from kataribe.boundaries.times import scaled
from kataribe.boundaries.tolerance import Distance
from kataribe.boundaries.video_lists import VideoLists
from kataribe.core.errors import InputError, UsageError
from kataribe.core.metric import Measured, Protocols, option
from kataribe.core.ragged import Ragged
from kataribe.core.types import Array, Bools, Floats, Int64s

# Thresholds on the confidence: each keeps a tenth of the predictions fewer.
_THRESHOLDS = 10


class _Counted(NamedTuple):
    """For each video its entries, and their counts added up."""

    entries: Floats
    hits: Floats
    predicted: Floats
    true: Floats


class _Corpus(NamedTuple):
    """The truth of all videos, sorted by id, and thresholds on the confidence; none where there is no confidence."""

    truth: VideoLists
    thresholds: Floats


class _Strangers(NamedTuple):
    """Other videos instead of those of a shard, several times; and the thresholds on the confidence."""

    videos: Sequence[Videos]
    thresholds: Floats


@dataclass(frozen=True)
class BoundaryKappa(PanelMetric):
    name: ClassVar[str] = "boundary_kappa"
    title: ClassVar[str] = "Boundary kappa"
    bounds: ClassVar[tuple[float, float]] = (-math.inf, 1.0)
    counts: ClassVar[tuple[str, ...]] = ("hits", "predicted", "true", "chance_hits", "chance_true")
    protocols: ClassVar[Protocols] = {"paper": {"edge": "open", "trials": PAPER_TRIALS}}

    annotator: Annotator = option("mean", "the annotator who counts", positional=True)
    others: int = option(32, "other videos that tell what a guess is worth; all of them where there are fewer")
    edge: Edge = option("closed", "a distance of exactly d is right (closed) or wrong (open)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.others < 1:
            raise UsageError(f"{self.name}(others={self.others}): at least one other video is needed")

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override] # they depend on the tolerances
        swept = (
            f"system.{count}@{distance}>{step}"
            for step in range(1, _THRESHOLDS)
            for distance in self.tolerance.distances
            for count in ("entries", *self.counts)
        )
        return (*super().columns, *swept)

    def scan_references(self, items: Videos) -> VideoLists:
        return VideoLists.of_truth(items)

    def scan_predictions(self, items: Videos) -> Ragged | None:
        """The confidences of each video's predictions."""
        return None if items.scores is None else items.predictions.with_values(items.scores)

    def conclude(self, references: VideoLists, predictions: Ragged | None) -> _Corpus:
        if len(references) < 2:
            raise InputError(f"{self.name} needs at least two videos", hint="take boundary_f1 or informedness")
        return _Corpus(references.by_id(), np.zeros(0) if predictions is None else _thresholds(predictions.values))

    def prepare(self, items: Videos, facts: _Corpus) -> _Strangers:
        sources = other_videos(facts.truth.rows_of(items.ids), len(facts.truth), self.others)
        return _Strangers([in_place_of(items, facts.truth[source]) for source in sources], facts.thresholds)

    def stats(self, items: Videos, context: _Strangers) -> Array:
        players = [self.rows_of(enter(player, items, self.trials), items, context) for player in PLAYERS]
        return np.hstack([*players, self._swept(players[0], items, context)])

    def rows_of(self, entries: Entries, videos: Videos, context: _Strangers) -> Floats:
        blocks = [np.column_stack(self._counted(entries, videos, distance)) for distance in self.tolerance.distances]
        elsewhere = np.zeros((len(blocks), len(videos), 2))
        for strangers in context.videos:
            guesses = as_guesses(entries, videos, strangers)
            for index, distance in enumerate(self.tolerance.distances):
                guessed = self._counted(guesses, strangers, distance)
                elsewhere[index] += np.column_stack([guessed.hits, guessed.true]) / len(context.videos)
        return np.hstack([table for both in zip(blocks, elsewhere, strict=True) for table in both])

    def _counted(self, entries: Entries, videos: Videos, distance: Distance) -> _Counted:
        comparison = compare(entries, videos, self.annotator, distance)
        matched = MatchCounts(*self.table(comparison, videos, distance).T)
        shares = comparison.shares(self.annotator, matched.f1)
        table = np.column_stack([matched.hits, matched.predicted, matched.true])
        return _Counted(*comparison.per_video(shares, table, len(videos)).T)

    def table(self, comparison: Comparison, videos: Videos, distance: Distance) -> Floats:
        return np.column_stack(match_counts(comparison, videos, distance, "optimal", self.edge))

    def _swept(self, everything: Floats, videos: Videos, context: _Strangers) -> Floats:
        """The system's columns at each threshold; without confidences all thresholds keep everything."""
        if videos.scores is None or not len(context.thresholds):
            return np.tile(everything, _THRESHOLDS - 1)
        kept = [_kept(videos.predictions, videos.scores >= threshold) for threshold in context.thresholds]
        return np.hstack([self.rows_of(once(lists), videos, context) for lists in kept])

    def measure(self, totals: Floats) -> Measured:
        width = len(PLAYERS) * len(self.tolerance.distances) * (1 + len(self.counts))
        measured = super().measure(totals[..., :width])
        swept = totals[..., width:].reshape(*totals.shape[:-1], _THRESHOLDS - 1, -1, 1 + len(self.counts))
        values = self.formula(swept[..., 0], swept[..., 1:]).value.mean(axis=-1)
        parts = {name: part for name, part in measured.parts.items() if name not in PLAYERS}
        parts["best"] = np.maximum(measured.value, values.max(axis=-1))
        return Measured(measured.value, parts | {name: measured.parts[name] for name in PLAYERS[1:]})

    def formula(self, entries: Floats, counts: Floats) -> Measured:
        hits, predicted, true, chance_hits, chance_true = np.moveaxis(counts, -1, 0)
        here, elsewhere = f1(hits, predicted, true), f1(chance_hits, predicted, chance_true)
        return Measured(ratio(here - elsewhere, 1 - elsewhere, empty=0.0), {"f1": here, "chance": elsewhere})

    def choices(self) -> dict[str, str]:
        return {"others": str(self.others), "edge": self.edge}


def other_videos(rows: Int64s, videos: int, most: int) -> list[Int64s]:
    """For each video another one, several times over: steps of equal size round the circle of sorted ids.

    `rows` are the positions of the videos in the circle of all `videos`.

    >>> [source.tolist() for source in other_videos(np.array([1, 0, 2]), videos=3, most=5)]
    [[2, 1, 0], [0, 2, 1]]
    """
    count = min(most, videos - 1)
    steps = [round(number * videos / (count + 1)) for number in range(1, count + 1)]
    return [(rows + step) % videos for step in steps]


def in_place_of(videos: Videos, others: VideoLists) -> Videos:
    """The same predictions with the durations and annotators of other videos."""
    return replace(videos, durations=others.durations, annotators=others.annotators, truth=others.lists)


def as_guesses(entries: Entries, videos: Videos, strangers: Videos) -> Entries:
    """The entries stretched to the durations of videos that they were not made for.

    People are compared with all annotators but one, there too; a lone annotator is never left out.
    """
    stretch = (strangers.durations / videos.durations)[entries.video]
    counts = strangers.annotators.counts[entries.video]
    stand_in = strangers.annotators.starts[entries.video] + index_in_video(entries, len(videos)) % counts
    without = np.where((entries.without == NOBODY) | (counts < 2), NOBODY, stand_in)
    return replace(entries, lists=scaled(entries.lists, stretch), without=without)


def _thresholds(confidences: Floats) -> Floats:
    """Only such as are confidences of predictions, so that equals stay together."""
    steps = np.arange(1, _THRESHOLDS) / _THRESHOLDS
    return np.quantile(confidences, steps, method="higher") if len(confidences) else np.zeros(0)


def _kept(lists: Ragged, chosen: Bools) -> Ragged:
    return Ragged.grouped(lists.values[chosen], lists.owners[chosen], len(lists))
