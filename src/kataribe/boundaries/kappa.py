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
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kataribe.boundaries.comparison import Annotator, Comparison, compare, f1, ratio
from kataribe.boundaries.f1 import Edge, MatchCounts, match_counts
from kataribe.boundaries.items import Videos
from kataribe.boundaries.panel import PanelMetric
from kataribe.boundaries.players import NOBODY, PAPER_TRIALS, PLAYERS, Entries, enter, once, place_in_video
from kataribe.boundaries.tolerance import Distance
from kataribe.core.errors import InputError, UsageError
from kataribe.core.metric import Measured, Protocols, option
from kataribe.core.ragged import Lists, spans
from kataribe.core.types import Array, Floats, Int64s

# Thresholds on the confidence: each keeps a tenth of the predictions fewer.
_THRESHOLDS = 10


class _Counted(NamedTuple):
    """For each video its entries, and their counts added up."""

    entries: Floats
    hits: Floats
    predicted: Floats
    true: Floats


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

    def prepare(self, items: Videos) -> Floats:
        """Other videos are in other shards, so the whole table is made at once."""
        players = [self.rows(enter(player, items, self.trials), items) for player in PLAYERS]
        return np.hstack([*players, self._swept(players[0], items)])

    def stats(self, items: Videos, context: Floats) -> Array:
        return context[items.first : items.first + len(items)]

    def rows(self, entries: Entries, videos: Videos) -> Floats:
        if len(videos) < 2:
            raise InputError(f"{self.name} needs at least two videos", hint="take boundary_f1 or informedness")
        blocks = [np.column_stack(self._counted(entries, videos, distance)) for distance in self.tolerance.distances]
        elsewhere = np.zeros((len(blocks), len(videos), 2))
        sources = other_videos(videos.ids, self.others)
        for source in sources:
            strangers = taken(videos, source)
            guesses = as_guesses(entries, videos, strangers)
            for place, distance in enumerate(self.tolerance.distances):
                guessed = self._counted(guesses, strangers, distance)
                elsewhere[place] += np.column_stack([guessed.hits, guessed.true]) / len(sources)
        return np.hstack([table for both in zip(blocks, elsewhere, strict=True) for table in both])

    def _counted(self, entries: Entries, videos: Videos, distance: Distance) -> _Counted:
        comparison = compare(entries, videos, self.annotator, distance)
        matched = MatchCounts(*self.table(comparison, videos, distance).T)
        shares = comparison.shares(self.annotator, matched.f1)
        table = np.column_stack([matched.hits, matched.predicted, matched.true])
        return _Counted(*comparison.per_video(shares, table, len(videos)).T)

    def table(self, comparison: Comparison, videos: Videos, distance: Distance) -> Floats:
        return np.column_stack(match_counts(comparison, videos, distance, "optimal", self.edge))

    def _swept(self, everything: Floats, videos: Videos) -> Floats:
        """The system's columns at each threshold; without confidences all thresholds keep everything."""
        confidence = videos.scores
        if confidence is None or not len(confidence):
            return np.tile(everything, _THRESHOLDS - 1)
        # Only thresholds that are confidences of predictions, so that equals stay together.
        steps = np.arange(1, _THRESHOLDS) / _THRESHOLDS
        thresholds = np.quantile(confidence, steps, method="higher")
        kept = [_kept(videos.predictions, confidence >= threshold) for threshold in thresholds]
        return np.hstack([self.rows(once(lists), videos) for lists in kept])

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


def other_videos(ids: Any, most: int) -> list[Int64s]:
    """For each video another one, several times over: steps of equal size round the circle of sorted ids.

    >>> [source.tolist() for source in other_videos(["b", "a", "c"], most=5)]
    [[2, 0, 1], [1, 2, 0]]
    """
    circle = np.argsort(np.array(ids, dtype=object), kind="stable")
    place = np.empty(len(circle), dtype=np.int64)
    place[circle] = np.arange(len(circle))
    count = min(most, len(circle) - 1)
    steps = [round(number * len(circle) / (count + 1)) for number in range(1, count + 1)]
    return [circle[(place + step) % len(circle)] for step in steps]


def taken(videos: Videos, source: Int64s) -> Videos:
    """In the place of each video another one, source[v], with its duration and its annotators."""
    counts = np.diff(videos.raters)[source]
    annotators = spans(videos.raters[source], counts)
    return replace(
        videos,
        durations=videos.durations[source],
        raters=np.concatenate([[0], np.cumsum(counts)]),
        truth=videos.truth.take(annotators),
        consistency=videos.consistency[annotators],
    )


def as_guesses(entries: Entries, videos: Videos, strangers: Videos) -> Entries:
    """The entries stretched to the durations of videos that they were not made for.

    People are compared with all annotators but one, there too; a lone annotator is never left out.
    """
    stretch = (strangers.durations / videos.durations)[entries.video]
    counts = np.diff(strangers.raters)[entries.video]
    stand_in = strangers.raters[entries.video] + place_in_video(entries, len(videos)) % counts
    without = np.where((entries.without == NOBODY) | (counts < 2), NOBODY, stand_in)
    return replace(entries, lists=entries.lists.scaled(stretch), without=without)


def _kept(lists: Lists, chosen: Any) -> Lists:
    counts = np.bincount(lists.owners[chosen], minlength=len(lists))
    return Lists(lists.values[chosen], np.concatenate([[0], np.cumsum(counts)]))
