"""A metric that scores the system, people and two blind players in the same way, to compare them.

For every player, tolerance and video there is a row of counts that add up; the formula is written once for all of
them. The system's value is the score; the others' values are its parts `human`, `uniform` and `random`. Under `max` the
system chooses among all annotators and people among one fewer, which flatters the system: the part `system` is the
system against the sets that people are compared with, the number to hold beside `human`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kataribe.boundaries.comparison import Annotator, Comparison, compare
from kataribe.boundaries.items import Videos
from kataribe.boundaries.players import PAPER_TRIALS, PLAYERS, Entries, enter
from kataribe.boundaries.tolerance import Distance, Tolerance
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats, Score

# Every task calls it so: the system, scored as people are.
_PART_OF = {"comparable": "system"}


@dataclass(frozen=True)
class PanelMetric(Metric):
    """`counts` names what is counted for each pair of an entry and an annotator."""

    task: ClassVar[str] = "boundaries"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    counts: ClassVar[tuple[str, ...]]
    protocols: ClassVar[Protocols] = {"paper": {"trials": PAPER_TRIALS}}
    # Whether annotator `max` also shows the system against the annotators that people are compared with.
    shows_comparable: ClassVar[bool] = False

    annotator: Annotator = option("max", "the annotator who counts", positional=True)
    tolerance: Tolerance = option(
        Tolerance("0.05"), "a fraction of the video, 0.5s, several with +, mean, tight or loose", positional=True
    )
    trials: int = option(20, "draws of the player `random`")

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise UsageError(f"{self.name}(trials={self.trials}): at least one draw is needed")

    @property
    def players(self) -> tuple[str, ...]:
        """Whose rows there are, the system's first."""
        system, *others = PLAYERS
        return (system, "comparable", *others) if self.shows_comparable and self.annotator == "max" else PLAYERS

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override] # they depend on the tolerances
        return tuple(
            f"{player}.{count}@{distance}"
            for player in self.players
            for distance in self.tolerance.distances
            for count in ("entries", *self.counts)
        )

    @abstractmethod
    def table(self, comparison: Comparison, videos: Videos, distance: Distance) -> Floats:
        """A row of counts for each pair."""

    @abstractmethod
    def formula(self, entries: Floats, counts: Floats) -> Measured:
        """From sums of counts[..., count] over so many entries."""

    def column(self, counts: Floats, name: str) -> Floats:
        """What `counts` names so, of a table or of sums of its rows."""
        column: Floats = counts[..., self.counts.index(name)]
        return column

    def quality(self, comparison: Comparison, table: Floats) -> Floats:
        """What annotator `max` maximises."""
        raise UsageError(f"{self.name} has no best annotator", hint="take confident, mean or majority")

    def stats(self, items: Videos, context: Any) -> Array:
        return np.hstack([self.rows_of(enter(player, items, self.trials), items, context) for player in self.players])

    def rows_of(self, entries: Entries, videos: Videos, context: Any) -> Floats:
        """One player's columns: for each tolerance the number of entries and their counts."""
        blocks = []
        for distance in self.tolerance.distances:
            comparison = compare(entries, videos, self.annotator, distance)
            table = self.table(comparison, videos, distance)
            quality = self.quality(comparison, table) if self.annotator == "max" else np.zeros(0)
            blocks.append(comparison.per_video(comparison.shares(self.annotator, quality), table, len(videos)))
        return np.hstack(blocks)

    def corpus_rows(self, entries: Entries, videos: Videos) -> Floats:
        """The columns of any player's entries on videos that are a whole corpus."""
        return self.rows_of(entries, videos, self.prepare(videos, self.facts(videos)))

    def score_of(self, entries: Entries, videos: Videos) -> Score:
        """The score of any player's entries on a whole corpus, without the others beside it."""
        totals = self.corpus_rows(entries, videos).sum(axis=0).reshape(len(self.tolerance.distances), -1)
        measured = self.formula(totals[..., 0], totals[..., 1:])
        return Score(float(measured.value.mean()), {name: float(part.mean()) for name, part in measured.parts.items()})

    def measure(self, totals: Floats) -> Measured:
        distances = self.tolerance.distances
        shape = (*totals.shape[:-1], len(self.players), len(distances), 1 + len(self.counts))
        blocks = totals.reshape(shape)
        entries = blocks[..., 0]
        each = self.formula(entries, blocks[..., 1:])
        values = np.where(entries > 0, each.value, np.nan)
        players = values.mean(axis=-1)
        parts = {name: part[..., 0, :].mean(axis=-1) for name, part in each.parts.items()}
        if len(distances) > 1:
            parts |= {f"@{distance}": values[..., 0, index] for index, distance in enumerate(distances)}
        others = enumerate(self.players[1:], start=1)
        parts |= {_PART_OF.get(player, player): players[..., index] for index, player in others}
        return Measured(players[..., 0], parts)

    def signature(self, facts: Any) -> dict[str, str]:
        return {
            "annotator": self.annotator,
            "tol": str(self.tolerance),
            **self.choices(),
            "trials": str(self.trials),
        }

    def choices(self) -> dict[str, str]:
        """The options of this metric alone, for the signature."""
        return {}
