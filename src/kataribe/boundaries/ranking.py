"""Average precision over a whole corpus, in columns that belong to single videos.

    AP = sum over score levels s of (recall(s) - recall(s before)) * precision(s)

Instances with equal scores are one level. A video's share of the pooled AP is the sum, over its correct instances, of
the precision at their level; shares and positives add up to the corpus' AP exactly. How the precision itself would
change with other videos is not in these shares. For bootstrap and permutation every video therefore keeps its own
ranking in at most 64 groups: a score, how many instances have it, how many of them are correct. Draws rank the groups
of all videos anew. A video with at most 64 different scores loses nothing, and draws are exact. Where there are more,
neighbouring scores of one video are joined; a score that many instances share is never joined to others. Draws are
centred on the exact value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe import _native
from kataribe.boundaries.comparison import Annotator, ratio
from kataribe.boundaries.items import Videos, need_frames
from kataribe.boundaries.levels import Levels, Precisions
from kataribe.boundaries.players import PAPER_TRIALS, PLAYERS, Entries, enter
from kataribe.boundaries.tolerance import Distance, Tolerance
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.ragged import Ragged, offsets_of, sum_by
from kataribe.core.types import Array, Floats, Int64s, Score

_GROUPS = 64
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
    order = np.argsort(-score, kind="stable")
    rankings = Ragged.counted(order, [count])
    if group is not None:  # a stable second sort keeps each group's ranking
        order = order[np.argsort(_narrow(group[order]), kind="stable")]
        rankings = Ragged.counted(order, np.bincount(group))
    ranked = score[order]
    is_end = np.append(ranked[1:] != ranked[:-1], True)
    is_end[rankings.offsets[1:] - 1] = True
    ends = np.flatnonzero(is_end)
    # Wider than the answer: what was summed up before a ranking must leave no trace in its differences.
    sums = np.cumsum(correct[order], dtype=np.longdouble)
    before = np.where(rankings.starts > 0, sums[rankings.starts - 1], 0)
    precision = (sums[ends] - before[rankings.owners[ends]]) / (rankings.within(ends) + 1)
    answer = np.empty(count)
    answer[order] = np.repeat(precision, np.diff(ends, prepend=-1))
    return answer


def _narrow(groups: Int64s) -> Array:
    """Numbers of groups as numpy sorts them fastest: of 16 bits, if they fit."""
    return groups.astype(np.uint16) if groups.max(initial=0) < 1 << 16 else groups


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


def shares_of(instances: Instances, videos: int, precision: Floats) -> Floats:
    """For each video: entries, positives, its part of the pooled sum of precisions, the sum of its entries' own AP.

    `precision` is, for each instance, that of the whole corpus at its score.
    """
    video = instances.instance_video
    pooled = instances.correct * precision
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


def _share(shares: Floats, name: str) -> Floats:
    """One column of what `shares_of` makes."""
    column: Floats = shares[..., _SHARES.index(name)]
    return column


def _own_average_precision(instances: Instances) -> Floats:
    """Of each entry alone; NaN where it has nothing to find."""
    precision = precision_at_levels(instances.score, instances.correct, instances.entry)
    sums = sum_by(instances.entry, instances.correct * precision, len(instances.video))
    return ratio(sums, instances.positives, np.nan)


def groups_of(rankings: Sequence[Instances], videos: int) -> Floats:
    """For each video and group of its instances, the highest first: score, size, and for each ranking the correct ones.

    Rankings differ in what is correct (they are those of several tolerances), not in what is ranked. Groups that a
    video does not need are of size 0.
    """
    cells = videos * _GROUPS
    columns: list[Floats] = []
    for instances in rankings:
        if not columns:
            video = instances.instance_video
            order = np.lexsort((-instances.score, video))
            offsets = offsets_of(np.bincount(video, minlength=videos))
            cell = np.empty(len(order), dtype=np.int64)
            cell[order] = video[order] * _GROUPS + _native.score_groups((instances.score[order], offsets), _GROUPS)
            sizes = np.bincount(cell, minlength=cells)
            scores, used = np.zeros(cells), sizes > 0
            # The middle member's: unlike a mean it is one of the scores, however far apart they are.
            scores[used] = instances.score[order][(np.cumsum(sizes) - sizes + sizes // 2)[used]]
            columns += [scores, sizes.astype(np.float64)]
        columns.append(sum_by(cell, instances.correct, cells))
    return np.hstack([column.reshape(videos, _GROUPS) for column in columns])


def draw_precision_sums(groups: Floats, weights: Floats) -> Floats:
    """From the table of `groups_of`: for each draw and tolerance the sum of precisions over correct instances.

    `weights` says how often each draw (row) counts each video. Divided by the positives it is average precision.
    """
    scores, sizes, *correct = np.split(groups, groups.shape[1] // _GROUPS, axis=1)
    used = np.flatnonzero(sizes.ravel())
    ranked = used[np.argsort(-scores.ravel()[used], kind="stable")]
    ranked_scores = scores.ravel()[ranked]
    ends = np.append(ranked_scores[1:] != ranked_scores[:-1], True)[: len(ranked)].astype(np.int8)
    table = np.column_stack([column.ravel()[ranked] for column in correct])
    draws = np.ascontiguousarray(weights, dtype=np.float64)
    return _native.precision_sums(draws, ranked // _GROUPS, sizes.ravel()[ranked], table, ends)


class Ranking(NamedTuple):
    """Which of a metric's rankings: whose, at which tolerance, of which draw."""

    player: str
    distance: Distance
    draw: int


@dataclass(frozen=True, eq=False)
class Rankings:
    """What is scanned: the rankings of some videos, and the videos that cannot be ranked."""

    levels: Mapping[Ranking, Levels]
    without_fps: Sequence[str]

    @classmethod
    def joined(cls, parts: Sequence[Rankings]) -> Rankings:
        rankings = parts[0].levels if parts else ()
        levels = {ranking: Levels.joined([part.levels[ranking] for part in parts]) for ranking in rankings}
        return cls(levels, [id for part in parts for id in part.without_fps])

    def __add__(self, other: Rankings) -> Rankings:
        return self.joined([self, other])


@dataclass(frozen=True)
class RankedMetric(Metric):
    """Average precision of the system and, beside it, of people and the two blind players."""

    task: ClassVar[str] = "boundaries"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    # Whether it ranks frames, so that every video must have a frame rate.
    counts_frames: ClassVar[bool] = False
    protocols: ClassVar[Protocols] = {"paper": {"trials": PAPER_TRIALS}}

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
        kinds = ("score{}", "size{}", *(f"correct{{}}@{at}" for at in distances))
        return (*shares, *(kind.format(n) for kind in kinds for n in range(_GROUPS)))

    @abstractmethod
    def instances(self, player: str, entries: Entries, videos: Videos, distance: Distance) -> Instances:
        """What the player's entries rank, and what of it is correct."""

    def scan_references(self, items: Videos) -> Rankings:
        return self._scan(items, ("human",))

    def scan_predictions(self, items: Videos) -> Rankings:
        return self._scan(items, tuple(player for player in PLAYERS if player != "human"))

    def _scan(self, videos: Videos, players: Sequence[str]) -> Rankings:
        without_fps = videos.without_fps if self.counts_frames else []
        if without_fps:  # nothing is concluded from the others, but they must not fail before that
            videos = videos[np.flatnonzero(~np.isnan(videos.fps))]
        levels = {
            ranking: Levels.of(instances.score, instances.correct)
            for ranking, instances in self._rankings(players, videos)
        }
        return Rankings(levels, without_fps)

    def merge(self, scanned: Sequence[Rankings]) -> Rankings:
        return Rankings.joined(scanned)

    def conclude(self, references: Rankings, predictions: Rankings) -> dict[Ranking, Precisions]:
        need_frames(self.name, references.without_fps)
        rankings = {**references.levels, **predictions.levels}
        return {ranking: levels.precisions() for ranking, levels in rankings.items()}

    def stats(self, items: Videos, context: Mapping[Ranking, Precisions]) -> Array:
        shares: dict[tuple[str, Distance], Floats] = {}
        of_system: list[Instances] = []
        for ranking, instances in self._rankings(PLAYERS, items):
            precision = context[ranking].of(instances.score, instances.correct)
            drawn = shares_of(instances, len(items), precision)
            block = (ranking.player, ranking.distance)
            shares[block] = shares[block] + drawn if block in shares else drawn
            if ranking.player == "system":
                of_system.append(instances)
        return np.hstack([*shares.values(), groups_of(of_system, len(items))])

    def _rankings(self, players: Sequence[str], videos: Videos) -> Iterator[tuple[Ranking, Instances]]:
        """Each player's rankings, one for each draw: all draws at once would be many times the memory."""
        for player in players:
            entries = enter(player, videos, self.trials)
            draws = self.trials if player == "random" else 1
            for distance in self.tolerance.distances:
                for draw in range(draws):
                    chosen = entries if draws == 1 else entries.keep(np.arange(draw, len(entries), draws))
                    yield Ranking(player, distance, draw), self.instances(player, chosen, videos, distance)

    def score_of(self, entries: Entries, videos: Videos, player: str = "anyone") -> Score:
        """The score of a player's entries on a whole corpus, without the others; only the system has confidences."""
        values = []
        for distance in self.tolerance.distances:
            instances = self.instances(player, entries, videos, distance)
            precision = precision_at_levels(instances.score, instances.correct)
            totals = shares_of(instances, len(videos), precision).sum(axis=0)
            above, below = ("ap_sum", "entries") if self.average == "video" else ("precision_sum", "positives")
            values.append(ratio(_share(totals, above), _share(totals, below), np.nan))
        return Score(float(np.mean(values)))

    def measure(self, totals: Floats) -> Measured:
        distances = self.tolerance.distances
        blocks = self._shares(totals)
        positives = _share(blocks, "positives")
        pooled = ratio(_share(blocks, "precision_sum"), positives, np.nan)
        by_video = ratio(_share(blocks, "ap_sum"), _share(blocks, "entries"), np.nan)
        values = by_video if self.average == "video" else pooled
        players = values.mean(axis=-1)
        parts = self.context_parts(positives[..., 0, :], _share(blocks, "instances")[..., 0, :])
        if len(distances) > 1:
            parts |= {f"@{distance}": values[..., 0, index] for index, distance in enumerate(distances)}
        parts |= {player: players[..., index] for index, player in enumerate(PLAYERS) if index > 0}
        return Measured(players[..., 0], parts)

    def context_parts(self, positives: Floats, ranked: Floats) -> dict[str, Floats]:
        """What must be known to read the number."""
        return {}

    def per_item(self, statistics: Array) -> Measured:
        """A video alone has its own ranking."""
        totals = np.asarray(statistics, dtype=np.float64)
        blocks = self._shares(totals)
        own = ratio(_share(blocks, "ap_sum"), _share(blocks, "entries"), np.nan).mean(axis=-1)
        parts = {name: part for name, part in self.measure(totals).parts.items() if not name.startswith("@")}
        parts |= {player: own[..., index] for index, player in enumerate(PLAYERS) if index > 0}
        return Measured(own[..., 0], parts)

    def replicates(self, statistics: Array, weights: Array) -> Floats:
        table = statistics.astype(np.float64, copy=False)
        if self.average == "video":
            return self.measure(weights.astype(np.float64) @ table).value
        unchanged = self.from_groups(table, np.ones((1, len(table))))
        return self.from_groups(table, weights) + (self.measure(table.sum(axis=0)).value - unchanged)

    def _shares(self, totals: Floats) -> Floats:
        width = len(PLAYERS) * len(self.tolerance.distances) * len(_SHARES)
        shape = (*totals.shape[:-1], len(PLAYERS), len(self.tolerance.distances), len(_SHARES))
        return totals[..., :width].reshape(shape)

    def from_groups(self, table: Floats, weights: Array) -> Floats:
        """The system's pooled value under each draw, from the groups alone."""
        groups = (2 + len(self.tolerance.distances)) * _GROUPS
        sums = draw_precision_sums(table[:, -groups:], weights)
        positives = weights @ _share(self._shares(table), "positives")[:, 0, :]
        values: Floats = ratio(sums, positives, np.nan).mean(axis=-1)
        return values

    def signature(self, facts: Any) -> dict[str, str]:
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
