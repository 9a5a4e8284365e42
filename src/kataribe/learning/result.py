"""What training leaves behind: the course of one run, and what several seeds say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t as students_t


class Interval(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True)
class Epoch:
    """One pass over the examples: the mean loss, and the validation scores after it."""

    number: int
    loss: float
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class History:
    """The course of one run; `best` is the number of the epoch whose weights were kept, counted from 1."""

    epochs: tuple[Epoch, ...]
    best: int
    stop_by: str | None = None

    @property
    def best_scores(self) -> Mapping[str, float]:
        return self.epochs[self.best - 1].scores

    def to_dict(self) -> dict[str, Any]:
        return {
            "best": self.best,
            "stop_by": self.stop_by,
            "epochs": [{"epoch": e.number, "loss": e.loss, **e.scores} for e in self.epochs],
        }


@dataclass(frozen=True)
class Trial:
    """One training run of a named variant: its seed, and what it scored by measure."""

    variant: str
    seed: int
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Summary:
    """A variant over its seeds: the mean of each measure, and the 95% interval of that mean.

    >>> trials = [Trial("comet", seed, {"tau_c": value}) for seed, value in enumerate([0.50, 0.52, 0.54])]
    >>> summary, = summarise(trials)
    >>> summary.means["tau_c"], [round(end, 3) for end in summary.intervals["tau_c"]]
    (0.52, [0.47, 0.57])
    """

    variant: str
    seeds: int
    means: Mapping[str, float]
    intervals: Mapping[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        return {
            "seeds": self.seeds,
            "means": dict(self.means),
            "intervals": {name: list(found) for name, found in self.intervals.items()},
        }


def summarise(trials: Sequence[Trial]) -> list[Summary]:
    """Each variant, in the order of its first trial. What no seed moves, or only one seed measured, has no interval."""
    by_variant: dict[str, list[Trial]] = {}
    for trial in trials:
        by_variant.setdefault(trial.variant, []).append(trial)
    return [_summary(variant, found) for variant, found in by_variant.items()]


def _summary(variant: str, trials: Sequence[Trial]) -> Summary:
    names = dict.fromkeys(name for trial in trials for name in trial.scores)
    columns = {name: np.array([t.scores[name] for t in trials if name in t.scores]) for name in names}
    intervals = {name: seed_interval(values) for name, values in columns.items()}
    return Summary(
        variant,
        len(trials),
        {name: float(values.mean()) for name, values in columns.items()},
        {name: found for name, found in intervals.items() if found is not None},
    )


def seed_interval(values: np.ndarray) -> Interval | None:
    """Where the mean over all seeds lies, by Student's t; None of a single value or of equal ones."""
    if len(values) < 2 or not np.ptp(values) > 0:
        return None
    reach = float(students_t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    return Interval(float(values.mean()) - reach, float(values.mean()) + reach)


@dataclass(frozen=True)
class Scored:
    """What a model reaches on data that it was not trained on."""

    data: str
    count: int
    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainedModel:
    """What is to be said of a model folder: how it was made, how it scores, and the line that uses it."""

    folder: str
    title: str
    signature: str
    notes: Sequence[str]
    scored: Sequence[Scored]
    usage: str

    def to_dict(self) -> dict[str, Any]:
        return {"task": "training", **asdict(self)}
