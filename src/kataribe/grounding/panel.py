"""A metric that scores the system, floors and people in the same way, to compare them.

    system   the predictions, where several people marked the query: the number to hold beside `human`
    random   spans whose ends are drawn evenly from the video, several times
    whole    the whole video
    fixed    the fixed relative spans that fit the training queries best (with `train` alone)
    human    each person against every other one who marked the query

A prediction is scored against each person who marked the query, and the mean counts. A player's row of a query is 1 and
its mean quality at each threshold; rows are 0 where the player has nothing to say. Rows add up, and the formula is one
division for all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats, Score
from kataribe.grounding.items import Queries

Protocol = Literal["clean", "2dtan", "ianet", "movie101", "qvhighlights"]
PROTOCOLS: tuple[Protocol, ...] = ("clean", "2dtan", "ianet", "movie101", "qvhighlights")

# One bit of a whole number for each.
_MOST_THRESHOLDS = 60

# Whose rows come first: the score itself.
SYSTEM = "predictions"


def presets(**of_protocols: Mapping[str, Any]) -> Protocols:
    """What each protocol presets; nothing where it is not named. A name may not start with a digit: `tan` is 2dtan."""
    given = {("2dtan" if name == "tan" else name): options for name, options in of_protocols.items()}
    return {name: given.get(name, {}) for name in PROTOCOLS}


@dataclass(frozen=True)
class PanelMetric(Metric):
    """`players` are those beside the system; `thresholds` label the columns that a value is the mean of."""

    task: ClassVar[str] = "grounding"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    protocols: ClassVar[Protocols] = presets()
    players: ClassVar[tuple[str, ...]] = ("random", "whole", "fixed", "system", "human")

    @property
    def thresholds(self) -> tuple[str, ...]:
        return ("",)

    @property
    def shown(self) -> tuple[str, ...]:
        """The thresholds at which parts show the value."""
        return self.thresholds if len(self.thresholds) > 1 else ()

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override] # they depend on the thresholds
        return tuple(
            f"{player}.{count}"
            for player in (SYSTEM, *self.players)
            for count in ("queries", *(f"quality{at}" for at in self.thresholds))
        )

    @abstractmethod
    def rows_of(self, player: str, items: Queries, context: Any) -> Floats:
        """For each query whether this player is scored on it, and its quality at each threshold."""

    def stats(self, items: Queries, context: Any) -> Array:
        return np.hstack([self.rows_of(player, items, context) for player in (SYSTEM, *self.players)])

    def measure(self, totals: Floats) -> Measured:
        width = 1 + len(self.thresholds)
        blocks = totals.reshape(*totals.shape[:-1], 1 + len(self.players), width)
        with np.errstate(invalid="ignore", divide="ignore"):
            quality = np.where(blocks[..., :1] > 0, blocks[..., 1:] / blocks[..., :1], np.nan)
        means = quality.mean(axis=-1)
        parts = {}
        for index, player in enumerate(("", *self.players)):
            if player:
                parts[player] = means[..., index]
            for at in self.shown:
                parts[f"{player}{at}"] = quality[..., index, self.thresholds.index(at)]
        return Measured(means[..., 0], parts)

    def per_item(self, statistics: Array) -> Measured:
        measured = super().per_item(statistics)
        known = {name: part for name, part in measured.parts.items() if not np.isnan(part).all()}
        return Measured(measured.value, known)

    def reduce(self, statistics: Array) -> Score:
        """Without the parts that nobody is behind: people, where one alone marked each query."""
        score = super().reduce(statistics)
        return Score(score.value, {name: part for name, part in score.parts.items() if not np.isnan(part)})


def count_option(default: int, help: str) -> Any:
    return option(default, help, positional=True, always=True)


def check_positive(metric: Metric, **values: float) -> None:
    for name, value in values.items():
        if value < 1:
            raise UsageError(f"{metric.name}({name}={value:g}): {name} must be at least 1")


def check_thresholds(metric: Metric, thresholds: tuple[float, ...]) -> None:
    wrong = next((at for at in thresholds if not 0 < at <= 1), None)
    if wrong is not None:
        raise UsageError(f"{metric.name}(iou={wrong:g}): an IoU to reach lies above 0 and is at most 1")
    if len(thresholds) > _MOST_THRESHOLDS:
        raise UsageError(f"{metric.name}: at most {_MOST_THRESHOLDS} IoUs to reach, not {len(thresholds)}")
    if not thresholds or len(set(thresholds)) < len(thresholds):
        raise UsageError(f"{metric.name}: give each IoU to reach once")
