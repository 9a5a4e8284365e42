"""What audits found: every metric after every attack, and what that says about each metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import kataribe
from kataribe.core.caution import Caution
from kataribe.core.types import Score
from kataribe.core.unit import Unit

# The players of a boundary audit that are no systems.
PLAYERS = ("human", "uniform", "random")
_BINS = 20

# The players of a grounding audit who never look at a video, and all that are no systems.
BLIND = ("random", "whole", "drawn", "fixed")
BLIND_PLAYERS = ("human", *BLIND)
# What a verdict speaks of; the other measures are in the table.
_JUDGED = ("IoU .3", "IoU .5", "mean IoU")

# The settings that others are compared with: the submission as it stands, the oracle's captions in their order.
ALL, CORRECT = "all", "correct"


@dataclass(frozen=True)
class StoryAttack:
    """Every metric after one attack on stories, as the mean over draws.

    `ratio` is captions / reference captions, `made` the share of the captions that the submission does not have.
    `spread` holds each metric's lowest and highest draw.
    """

    attack: str
    setting: str
    ratio: float
    made: float
    draws: int
    scores: Mapping[str, Score]
    spread: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class StoryAudit:
    videos: int
    captions: int
    draws: int
    seed: int
    surplus: str
    signatures: Mapping[str, str]
    units: Mapping[str, Unit]
    outcomes: Sequence[StoryAttack]
    notes: Sequence[str]
    warnings: Sequence[Caution] = ()

    def of(self, attack: str) -> list[StoryAttack]:
        return [outcome for outcome in self.outcomes if outcome.attack == attack]

    @property
    def metrics(self) -> list[str]:
        return list(self.signatures)

    @property
    def submitted(self) -> StoryAttack:
        """The submission as it stands."""
        return next(outcome for outcome in self.of("share") if outcome.setting == ALL)

    @property
    def correct(self) -> StoryAttack | None:
        """The oracle's captions in their order."""
        return next((outcome for outcome in self.of("order") if outcome.setting == CORRECT), None)

    def before(self, outcome: StoryAttack) -> StoryAttack:
        """What an attack is compared with."""
        return self.correct if outcome.attack == "order" and self.correct else self.submitted

    def change(self, outcome: StoryAttack, metric: str) -> float | None:
        """How far an attack moves a metric, as a share of its value before; None where that was 0."""
        return relative_change(self.before(outcome), outcome, metric)

    def verdict(self, metric: str) -> str:
        """How far the metric moves with the number of captions, and what each other attack costs or gains."""
        changes = [self._on_share(metric)] if len(self.of("share")) > 1 else []
        for outcome in self.outcomes:
            if outcome.attack != "share" and outcome is not self.correct:
                name = outcome.setting if outcome.attack == "order" else f"{outcome.attack} ({outcome.setting})"
                moved = self.change(outcome, metric)
                changes.append(f"{name} " + (f"{moved:+.0%}" if moved is not None else "from 0"))
        return f"{metric}: " + ", ".join(changes)

    def _on_share(self, metric: str) -> str:
        by_value = sorted(self.of("share"), key=lambda outcome: outcome.scores[metric].value)
        lowest, highest = by_value[0], by_value[-1]
        lost = relative_change(highest, lowest, metric)
        if lost is None:
            return "0 with any number of captions"
        return f"highest at {highest.setting}, {-lost:.0%} lower at {lowest.setting}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "kataribe": kataribe.__version__,
            "audit": "stories",
            "videos": self.videos,
            "captions": self.captions,
            "draws": self.draws,
            "seed": self.seed,
            "surplus": self.surplus,
            "signatures": dict(self.signatures),
            "units": dict(self.units),
            "readings": [asdict(outcome) for outcome in self.outcomes],
            "verdicts": {metric: self.verdict(metric) for metric in self.metrics},
            "notes": list(self.notes),
            "warnings": [caution.to_dict() for caution in self.warnings],
        }


def relative_change(before: StoryAttack, after: StoryAttack, metric: str) -> float | None:
    start, end = before.scores[metric].value, after.scores[metric].value
    return (end - start) / start if start > 0 else None


@dataclass(frozen=True)
class NarrationAttack:
    """Every metric after one attack on lines; `length` is how long the lines are, the submission's being 1."""

    attack: str
    length: float
    scores: Mapping[str, Score]


@dataclass(frozen=True)
class NarrationAudit:
    lines: int
    films: int
    signatures: Mapping[str, str]
    units: Mapping[str, Unit]
    outcomes: Sequence[NarrationAttack]
    notes: Sequence[str]
    warnings: Sequence[Caution] = ()

    @property
    def metrics(self) -> list[str]:
        return list(self.signatures)

    @property
    def submitted(self) -> NarrationAttack:
        return self.outcomes[0]

    @property
    def attacked(self) -> Sequence[NarrationAttack]:
        return self.outcomes[1:]

    def change(self, outcome: NarrationAttack, metric: str) -> float:
        """How far an attack moves a metric. Not relative: a submission may name nobody, and start at 0."""
        return outcome.scores[metric].value - self.submitted.scores[metric].value

    def to_dict(self) -> dict[str, Any]:
        return {
            "kataribe": kataribe.__version__,
            "audit": "narration",
            "lines": self.lines,
            "films": self.films,
            "signatures": dict(self.signatures),
            "units": dict(self.units),
            "readings": [asdict(outcome) for outcome in self.outcomes],
            "notes": list(self.notes),
            "warnings": [caution.to_dict() for caution in self.warnings],
        }


@dataclass(frozen=True)
class GroundingPlayer:
    """Every measure of one player; `guesses` is how many spans it offers for a query, None where that varies."""

    name: str
    guesses: int | None
    measures: Mapping[str, float]


@dataclass(frozen=True)
class GroundingAudit:
    """What systems, people and guessers who never look at a video get. `best_guesses` are the relative spans that fit
    the training queries best at each IoU to reach, best first."""

    queries: int
    videos: int
    train_spans: int
    protocol: str
    trials: int
    seed: int
    players: Sequence[GroundingPlayer]
    best_guesses: Mapping[str, Sequence[tuple[float, float]]]
    signatures: Mapping[str, str]
    warnings: Sequence[Caution] = ()

    def of(self, name: str) -> list[GroundingPlayer]:
        return [player for player in self.players if player.name == name]

    @property
    def measures(self) -> list[str]:
        return list(self.players[0].measures)

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(player.name for player in self.players if player.name not in BLIND_PLAYERS))

    def verdict(self, system: str) -> str:
        """How much of what a system scores nobody needs to look at the videos for."""
        said = []
        for player in self.of(system):
            for measure in _JUDGED:
                blind = {
                    other.name: other.measures[measure]
                    for other in self.players
                    if other.name in BLIND and other.guesses == player.guesses
                }
                value = player.measures[measure]
                best = max(blind, key=lambda name: blind[name])
                if value > 0 and not math.isnan(blind[best]):
                    what = f"R@{player.guesses} {measure}" if measure.startswith("IoU") else measure
                    share = f"{100 * blind[best] / value:.0f}% of its {100 * value:.2f}"
                    said.append(f"{what}: {best} reaches {100 * blind[best]:.2f}, {share}")
        return f"{system}: " + "; ".join(said)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kataribe": kataribe.__version__,
            "audit": "grounding",
            "queries": self.queries,
            "videos": self.videos,
            "train_spans": self.train_spans,
            "protocol": self.protocol,
            "trials": self.trials,
            "seed": self.seed,
            "readings": [{"player": p.name, "guesses": p.guesses, **p.measures} for p in self.players],
            "best_guesses": {at: [list(span) for span in spans] for at, spans in self.best_guesses.items()},
            "signatures": dict(self.signatures),
            "warnings": [caution.to_dict() for caution in self.warnings],
        }


@dataclass(frozen=True)
class Trials:
    """Draws of Random: of what is counted, of average precision, and of chance_f1, which draws nulls for each."""

    counts: int
    rankings: int
    chance: int


@dataclass(frozen=True)
class ScoredPlayer:
    """Every measure of one player; `count` is its number of boundaries in each video, None where it varies."""

    name: str
    count: int | None
    measures: Mapping[str, float]


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision against recall of frames, of one player."""

    player: str
    count: int | None
    recall: Sequence[float]
    precision: Sequence[float]


@dataclass(frozen=True)
class BoundaryAudit:
    """Every measure of people, systems and the blind players. `prevalence` and `bias` are shares of each video's
    frames: near a true boundary, and near one of a player's."""

    videos: int
    tolerance: str
    protocol: str
    trials: Trials
    seed: int
    prevalence: Sequence[float]
    bias: Mapping[str, Sequence[float]]
    players: Sequence[ScoredPlayer]
    curves: Sequence[PrecisionRecall]
    warnings: Sequence[Caution] = ()

    def of(self, name: str) -> list[ScoredPlayer]:
        return [player for player in self.players if player.name == name]

    @property
    def systems(self) -> list[str]:
        return [player.name for player in self.players if player.name not in PLAYERS]

    @property
    def edges(self) -> list[float]:
        """Of the histograms' bins."""
        return [round(edge / _BINS, 4) for edge in range(_BINS + 1)]

    def histogram(self, shares: Sequence[float]) -> list[int]:
        """How many videos each bin holds."""
        counts: list[int] = np.histogram(np.asarray(shares), bins=_BINS, range=(0, 1))[0].tolist()
        return counts

    def to_dict(self) -> dict[str, Any]:
        return {
            "kataribe": kataribe.__version__,
            "audit": "boundaries",
            "videos": self.videos,
            "tolerance": self.tolerance,
            "protocol": self.protocol,
            "trials": vars(self.trials),
            "seed": self.seed,
            "readings": [{"player": player.name, "count": player.count, **player.measures} for player in self.players],
            "curves": [vars(curve) for curve in self.curves],
            "prevalence": list(self.prevalence),
            "bias": {name: list(shares) for name, shares in self.bias.items()},
            "histograms": {
                "edges": self.edges,
                "prevalence": self.histogram(self.prevalence),
                "bias": {name: self.histogram(shares) for name, shares in self.bias.items()},
            },
            "warnings": [caution.to_dict() for caution in self.warnings],
        }
