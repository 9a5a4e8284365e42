"""Average precision over a whole corpus, in columns that belong to single videos.

    AP = sum over score levels s of (recall(s) - recall(s before)) * precision(s)

Instances with equal scores are one level. A video's share of the pooled AP is the sum, over its correct instances, of
the precision at their level; shares and positives add up to the corpus' AP exactly. How the precision itself would
change with other videos is not in these shares, so that bootstrap replicates use a histogram of levels for each video
and are centred on the exact value.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.boundaries.comparison import Annotator, ratio
from kataribe.boundaries.items import Videos
from kataribe.boundaries.players import PLAYERS, Entries, enter
from kataribe.boundaries.ragged import Int64s, sum_by
from kataribe.boundaries.tolerance import Distance, Tolerance
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats, Score

_LEVELS = 32
_SHARES = ("entries", "positives", "precision_sum", "ap_sum", "instances")


@dataclass(frozen=True)
class Instances:
    """What is ranked. `correct` may be a fraction (of the annotators); `positives` belong to entries."""

    entry: Int64s
    score: Floats
    correct: Floats
    video: Int64s
    positives: Floats

    @property
    def instance_video(self) -> Int64s:
        return self.video[self.entry]


def precision_at_levels(score: Floats, correct: Floats, group: Int64s | None = None) -> Floats:
    """For each instance the precision among all (of its group) that score at least as high.

    >>> precision_at_levels(np.array([0.9, 0.1, 0.9]), np.array([1.0, 1.0, 0.0])).round(3)
    array([0.5  , 0.667, 0.5  ])
    >>> precision_at_levels(np.array([0.9, 0.1, 0.9]), np.array([1.0, 1.0, 0.0]), np.array([0, 0, 1])).round(3)
    array([1., 1., 0.])
    """
    count = len(score)
    if not count:
        return np.zeros(0)
    # Groups come in order, so that a stable second sort keeps each group's ranking.
    order = np.argsort(-score, kind="stable")
    groups = np.zeros(count, dtype=np.int64) if group is None else group[order]
    if group is not None:
        within = np.argsort(groups, kind="stable")
        order, groups = order[within], groups[within]
    ranked = score[order]
    levels = np.flatnonzero(np.append((ranked[1:] != ranked[:-1]) | (groups[1:] != groups[:-1]), True))
    begins = np.searchsorted(groups, groups[levels])
    sums = np.concatenate([[0.0], np.cumsum(correct[order])])
    precision = (sums[levels + 1] - sums[begins]) / (levels + 1 - begins)
    answer = np.empty(count)
    answer[order] = np.repeat(precision, np.diff(levels, prepend=-1))
    return answer


def average_precision(score: Floats, correct: Floats, positives: float) -> float:
    """
    >>> average_precision(np.array([0.9, 0.8, 0.7]), np.array([1.0, 0.0, 1.0]), positives=2)
    0.8333333333333333
    """
    return float(np.sum(correct * precision_at_levels(score, correct)) / positives) if positives else float("nan")


def precision_recall(instances: Instances, points: int = 200) -> tuple[Floats, Floats]:
    """Recall and precision at score levels, thinned to about so many points."""
    order = np.argsort(-instances.score, kind="stable")
    ranked = instances.score[order]
    levels = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    found = np.cumsum(instances.correct[order])[levels]
    chosen = np.unique(np.linspace(0, len(levels) - 1, points).astype(np.int64))
    return (found / instances.positives.sum())[chosen], (found / (levels + 1))[chosen]


def shares_of(instances: Instances, videos: int) -> Floats:
    """For each video: entries, positives, its part of the pooled sum of precisions, the sum of its entries' own AP."""
    video = instances.instance_video
    pooled = instances.correct * precision_at_levels(instances.score, instances.correct)
    own = _own_average_precision(instances)
    return np.column_stack(
        [
            sum_by(instances.video, np.isfinite(own).astype(np.float64), videos),
            sum_by(instances.video, instances.positives, videos),
            sum_by(video, pooled, videos),
            sum_by(instances.video, np.nan_to_num(own), videos),
            np.bincount(video, minlength=videos),
        ]
    )


def _own_average_precision(instances: Instances) -> Floats:
    """Of each entry alone; NaN where it has nothing to find."""
    precision = precision_at_levels(instances.score, instances.correct, instances.entry)
    sums = sum_by(instances.entry, instances.correct * precision, len(instances.video))
    return ratio(sums, instances.positives, np.nan)


def histogram_of(instances: Instances, videos: int) -> Floats:
    """For each video and level (the highest first) its correct instances, then for each level all of its instances."""
    edges = np.unique(np.quantile(instances.score, np.linspace(0, 1, _LEVELS))) if len(instances.score) else np.zeros(1)
    level = _LEVELS - 1 - np.clip(np.searchsorted(edges, instances.score, side="right") - 1, 0, _LEVELS - 1)
    cell = instances.instance_video * _LEVELS + level
    both = (instances.correct, np.ones_like(instances.correct))
    tables = [sum_by(cell, weights, videos * _LEVELS) for weights in both]
    return np.hstack([table.reshape(videos, _LEVELS) for table in tables])


@dataclass(frozen=True)
class RankedMetric(Metric):
    """Average precision of the system and, beside it, of people and the two blind players."""

    task: ClassVar[str] = "boundaries"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    annotator: Annotator = option("confident", "the annotator who counts", positional=True)
    tolerance: Tolerance = option(
        Tolerance("0.05"), "a fraction of the video, 0.5s, several with +, mean, tight or loose", positional=True
    )
    average: Literal["pooled", "video"] = option("pooled", "one ranking of all videos, or the mean of the videos' AP")
    trials: int = option(5, "draws of the player `random`")

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise UsageError(f"{self.name}(trials={self.trials}): at least one draw is needed")

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override] # they depend on the tolerances
        distances = self.tolerance.distances
        shares = [f"{player}.{share}@{at}" for player in PLAYERS for at in distances for share in _SHARES]
        levels = [f"{kind}{n}@{at}" for at in distances for kind in ("correct", "level") for n in range(_LEVELS)]
        return (*shares, *levels)

    @abstractmethod
    def instances(self, player: str, entries: Entries, videos: Videos, distance: Distance) -> Instances:
        """What the player's entries rank, and what of it is correct."""

    def prepare(self, items: Videos) -> Floats:
        """A pooled ranking knows no shards, so the whole table is made at once."""
        shares, levels = [], []
        for player in PLAYERS:
            entries = enter(player, items, self.trials)
            for distance in self.tolerance.distances:
                instances = self.instances(player, entries, items, distance)
                shares.append(shares_of(instances, len(items)))
                if player == "system":
                    levels.append(histogram_of(instances, len(items)))
        return np.hstack([*shares, *levels])

    def score_of(self, entries: Entries, videos: Videos, player: str = "anyone") -> Score:
        """The score of a player's entries on all videos, without the others beside it; only the system has scores."""
        values = []
        for distance in self.tolerance.distances:
            totals = shares_of(self.instances(player, entries, videos, distance), len(videos)).sum(axis=0)
            numerator, denominator = (3, 0) if self.average == "video" else (2, 1)
            values.append(totals[numerator] / totals[denominator] if totals[denominator] else np.nan)
        return Score(float(np.mean(values)))

    def stats(self, items: Videos, context: Floats) -> Array:
        return context[items.first : items.first + len(items)]

    def measure(self, totals: Floats) -> Measured:
        distances = self.tolerance.distances
        blocks = self._shares(totals)
        entries, positives, precision_sum, ap_sum, ranked = (blocks[..., place] for place in range(len(_SHARES)))
        pooled, by_video = ratio(precision_sum, positives, np.nan), ratio(ap_sum, entries, np.nan)
        values = by_video if self.average == "video" else pooled
        players = values.mean(axis=-1)
        parts = self.context_parts(positives[..., 0, :], ranked[..., 0, :])
        if len(distances) > 1:
            parts |= {f"@{distance}": values[..., 0, place] for place, distance in enumerate(distances)}
        parts |= {player: players[..., place] for place, player in enumerate(PLAYERS) if place > 0}
        return Measured(players[..., 0], parts)

    def context_parts(self, positives: Floats, ranked: Floats) -> dict[str, Floats]:
        """What must be known to read the number."""
        return {}

    def per_item(self, statistics: Array) -> Measured:
        """A video alone has its own ranking."""
        totals = np.asarray(statistics, dtype=np.float64)
        blocks = self._shares(totals)
        own = ratio(blocks[..., 3], blocks[..., 0], np.nan).mean(axis=-1)
        parts = {name: part for name, part in self.measure(totals).parts.items() if not name.startswith("@")}
        parts |= {player: own[..., place] for place, player in enumerate(PLAYERS) if place > 0}
        return Measured(own[..., 0], parts)

    def replicates(self, statistics: Array, weights: Array) -> Floats:
        if self.average == "video":
            return self.measure(weights.astype(np.float64) @ statistics.astype(np.float64)).value
        totals = statistics.sum(axis=0)
        drawn = self._from_levels(weights.astype(np.float64) @ statistics.astype(np.float64))
        return drawn + (self.measure(totals).value - self._from_levels(totals))

    def _shares(self, totals: Floats) -> Floats:
        width = len(PLAYERS) * len(self.tolerance.distances) * len(_SHARES)
        shape = (*totals.shape[:-1], len(PLAYERS), len(self.tolerance.distances), len(_SHARES))
        return totals[..., :width].reshape(shape)

    def _from_levels(self, totals: Floats) -> Floats:
        distances = len(self.tolerance.distances)
        levels = totals[..., -distances * 2 * _LEVELS :].reshape(*totals.shape[:-1], distances, 2, _LEVELS)
        correct, ranked = levels[..., 0, :], levels[..., 1, :]
        precision = ratio(np.cumsum(correct, axis=-1), np.cumsum(ranked, axis=-1), 0.0)
        positives = self._shares(totals)[..., 0, :, 1]
        values: Floats = ratio((correct * precision).sum(axis=-1), positives, np.nan).mean(axis=-1)
        return values

    def signature(self, context: Any) -> dict[str, str]:
        return {
            "annotator": self.annotator,
            "tol": str(self.tolerance),
            "avg": self.average,
            **self.choices(),
            "trials": str(self.trials),
        }

    def choices(self) -> dict[str, str]:
        """The options of this metric alone, for the signature."""
        return {}
