"""What an audit of story metrics found, and what that says about each metric in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import kataribe
from kataribe.core.caution import Caution
from kataribe.core.types import Score

# The settings that others are compared with: the submission as it stands, the oracle's captions in their order.
ALL, CORRECT = "all", "correct"


@dataclass(frozen=True)
class Reading:
    """Every metric after one attack, as the mean over draws.

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
    readings: Sequence[Reading]
    notes: Sequence[str]
    warnings: Sequence[Caution] = ()

    def of(self, attack: str) -> list[Reading]:
        return [reading for reading in self.readings if reading.attack == attack]

    @property
    def metrics(self) -> list[str]:
        return list(self.signatures)

    @property
    def submitted(self) -> Reading:
        """The submission as it stands."""
        return next(reading for reading in self.of("share") if reading.setting == ALL)

    @property
    def correct(self) -> Reading | None:
        """The oracle's captions in their order."""
        return next((reading for reading in self.of("order") if reading.setting == CORRECT), None)

    def before(self, reading: Reading) -> Reading:
        """What an attack is compared with."""
        return self.correct if reading.attack == "order" and self.correct else self.submitted

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
            "readings": [asdict(reading) for reading in self.readings],
            "verdicts": {metric: verdict(self, metric) for metric in self.metrics},
            "notes": list(self.notes),
            "warnings": [caution.to_dict() for caution in self.warnings],
        }


def verdict(audit: StoryAudit, metric: str) -> str:
    """How far the metric moves with the number of captions, and what each other attack costs or gains."""
    said = [_on_share(audit, metric)] if len(audit.of("share")) > 1 else []
    for reading in audit.readings:
        if reading.attack != "share" and reading is not audit.correct:
            name = reading.setting if reading.attack == "order" else f"{reading.attack} ({reading.setting})"
            moved = change(audit.before(reading), reading, metric)
            said.append(f"{name} " + (f"{100 * moved:+.0f}%" if moved is not None else "from 0"))
    return f"{metric}: " + ", ".join(said)


def change(before: Reading, after: Reading, metric: str) -> float | None:
    """The relative change of a metric, where there was anything to change."""
    start, end = before.scores[metric].value, after.scores[metric].value
    return (end - start) / start if start > 0 else None


def _on_share(audit: StoryAudit, metric: str) -> str:
    by_value = sorted(audit.of("share"), key=lambda reading: reading.scores[metric].value)
    lowest, highest = by_value[0], by_value[-1]
    lost = change(highest, lowest, metric)
    if lost is None:
        return "0 with any number of captions"
    return f"highest at {highest.setting}, {-100 * lost:.0f}% lower at {lowest.setting}"
