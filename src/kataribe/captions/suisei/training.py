"""Training: rated captions -> parts that share nothing -> one network or blend for each seed -> a model folder.

The parts: `train`; `validation`, which decides when to stop and how wide intervals are; `held out`, which is scored
once in the end. The idf of subwords is counted in the training references alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.blend import default_metrics
from kataribe.captions.suisei.material import (
    HELD_OUT,
    TRAIN,
    VALIDATION,
    Parts,
    RatedSet,
    check_ratings,
    refuse_constant,
    refuse_overlap,
    split_parts,
)
from kataribe.captions.suisei.model import KIND, CardOptions
from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
from kataribe.captions.suisei.runs import Run, Setup, described
from kataribe.captions.suisei.train_blend import train_blend
from kataribe.captions.suisei.train_mix import train_mix
from kataribe.captions.suisei.train_networks import train_networks
from kataribe.core.errors import UsageError
from kataribe.core.types import Floats
from kataribe.learning.folder import Card, CardScore, Model, Tensors, write_model
from kataribe.learning.result import History, Trial
from kataribe.stats.bootstrap import resample_weights, studentised_interval
from kataribe.stats.correlation import Rows

_REPLICATES = 1000
_SETTINGS = ("split", "seed", "seeds", "negatives", "positives")


@dataclass(frozen=True, eq=False)
class Trained:
    """Everything that training leaves behind; `write` makes a model folder of it."""

    about: CardOptions
    tensors: Tensors
    parts: Parts
    histories: Sequence[History]
    trials: Sequence[Trial]
    scores: Sequence[CardScore]
    data: Sequence[dict[str, Any]]
    training: Mapping[str, Any]
    predictions: Mapping[str, Floats]
    notes: Sequence[str] = ()

    def card(self) -> Card:
        head, count = self.about.model["head"], self.about.members
        return Card(
            kind=KIND,
            title=f"{head}, {count} member{'s' * (count != 1)}, trained on {self.data[0]['name']}",
            options=self.about.to_dict(),
            training={**self.training, "runs": [history.to_dict() for history in self.histories]},
            data=list(self.data),
            scores=list(self.scores),
            notes=[*self.parts.lines(), *self.notes],
        )

    def write(self, folder: Path, more: Mapping[str, bytes] | None = None) -> Model:
        return write_model(folder, self.card(), self.tensors, more=more)


def train(
    rated: RatedSet,
    model: ModelOptions,
    training: TrainingOptions,
    *,
    tests: Sequence[RatedSet] = (),
    metrics: Sequence[str] | None = None,
    warm: Model | None = None,
    allow_overlap: bool = False,
    state: Path | None = None,
    log_folder: Path | None = None,
) -> Trained:
    """Train one network for each seed; the model is their mean. `tests` are scored in the end and never looked at.

    `metrics` are those that a blend or half of a mix is made of, `warm` a model to start from, `state` a folder to
    resume in.
    """
    _check(rated, tests)
    overlaps = {test.name: refuse_overlap(rated, test, allow_overlap) for test in tests}
    parts = split_parts(rated, training)
    setup = Setup(rated, model, training, parts, tuple(tests))
    run = train_members(setup, metrics, warm, state, log_folder)
    predictions = run.predictions
    scored = {test.name: test.examples for test in tests}
    if HELD_OUT in parts.rows:
        scored = {HELD_OUT: rated.examples[parts.rows[HELD_OUT]], **scored}
    return Trained(
        run.about,
        run.tensors,
        parts,
        run.histories,
        run.trials,
        [score for name, found in scored.items() for score in correlations(name, found, predictions[name])],
        [described(rated, "training"), *(described(test, "test") for test in tests)],
        {**{name: getattr(training, name) for name in _SETTINGS}, **run.training},
        predictions,
        [*run.notes, *(f"{name} shares with the training file: {found}" for name, found in overlaps.items())],
    )


def train_members(
    setup: Setup,
    metrics: Sequence[str] | None = None,
    warm: Model | None = None,
    state: Path | None = None,
    log_folder: Path | None = None,
) -> Run:
    """The members of a model and what they give to every part, before anything is said about how good they are."""
    metrics = metrics or default_metrics(setup.model.encoder)
    if setup.model.head == "blend":
        return train_blend(setup, metrics)
    if setup.model.head == "mix":
        return train_mix(setup, metrics, warm, state, log_folder)
    return train_networks(setup, warm, state, log_folder)


def _check(rated: RatedSet, tests: Sequence[RatedSet]) -> None:
    for each in (rated, *tests):
        check_ratings(each)
    refuse_constant(rated)
    names = [rated.name, TRAIN, VALIDATION, HELD_OUT]
    for test in tests:
        if test.name in names:
            raise UsageError(f"two sets of captions are called {test.name!r}", hint="rename a file")
        names.append(test.name)


def correlations(name: str, examples: RatedExamples, predicted: Floats) -> list[CardScore]:
    """With the mean rating of each caption; intervals by drawing pictures."""
    if len(examples) < 2:
        return []
    units = np.unique(np.array(list(examples.groups)), return_inverse=True)[1]
    rows = Rows(predicted, examples.ratings, units)
    drawn = [rows.weighed(w) for w in resample_weights(rows.unit_count, _REPLICATES, np.random.default_rng(0))]
    found = []
    for measure, value in rows.values().items():
        replicates = np.concatenate([draws[measure] for draws in drawn])
        interval = studentised_interval(value, replicates, rows.unit_count, (-1.0, 1.0))
        known = None if math.isnan(value) else value
        found.append(CardScore(name, measure, known, interval, len(examples)))
    return found
