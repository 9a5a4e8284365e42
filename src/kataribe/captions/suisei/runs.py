"""What a training run is given, and what it leaves behind: the same for networks and for a blend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kataribe.captions.suisei.material import Parts, RatedSet
from kataribe.captions.suisei.model import CardOptions, Spread
from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Floats
from kataribe.learning.folder import Tensors
from kataribe.learning.result import History, Trial
from kataribe.stats.correlation import Rows


@dataclass(frozen=True, eq=False)
class Setup:
    """What is trained on what."""

    rated: RatedSet
    model: ModelOptions
    training: TrainingOptions
    parts: Parts
    tests: tuple[RatedSet, ...]

    @property
    def seeds(self) -> range:
        return range(self.training.seed, self.training.seed + self.training.seeds)


@dataclass(frozen=True, eq=False)
class Run:
    """What was trained. `predictions` are the scores of validation, held out and tests, by their names."""

    about: CardOptions
    tensors: Tensors
    trials: Sequence[Trial]
    predictions: Mapping[str, Floats]
    training: Mapping[str, Any]
    histories: Sequence[History] = ()
    notes: Sequence[str] = field(default_factory=list)


def fit_spread(scores: Floats, drawn: Floats, ratings: Floats, level: float = 0.95) -> Spread:
    """The narrowest factor with which so many of these ratings lie inside the interval (split conformal prediction).

    `drawn` are what members or draws gave, (members or draws, items).
    """
    deviation = drawn.std(axis=0, ddof=1)
    floor = float(np.median(deviation)) or 1e-3
    off = np.sort(np.abs(scores - ratings) / (floor + deviation))
    rank = min(len(off), math.ceil((len(off) + 1) * level))
    return Spread(floor, float(off[rank - 1]))


def correlations(scores: Floats, ratings: Floats) -> dict[str, float]:
    return {str(name): value for name, value in Rows(scores, ratings).values().items()}


def described(rated: RatedSet, use: str) -> dict[str, Any]:
    """A set on a card: enough to tell it from any other."""
    examples = rated.examples
    ratings = map(str, examples.ratings.tolist())
    rows = zip(examples.ids, examples.candidates, ratings, examples.references, strict=True)
    return {
        "name": rated.name,
        "use": use,
        "captions": len(examples),
        "pictures": len(set(examples.groups)),
        "scale": [examples.lowest, examples.highest],
        "hash": fingerprint_by_id((id, text, rating, *references) for id, text, rating, references in rows),
    }
