"""Fit a blend: the metrics' scores of every caption once, then one weighted sum for each seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kataribe.captions.suisei.blend import fit_blend
from kataribe.captions.suisei.blend_model import metric_columns
from kataribe.captions.suisei.material import TRAIN, VALIDATION, RatedSet
from kataribe.captions.suisei.model import CardOptions, as_dict
from kataribe.captions.suisei.runs import Run, Setup, correlations, fit_spread
from kataribe.core import registry
from kataribe.core.types import Floats, Int64s
from kataribe.learning.result import Trial


def train_blend(setup: Setup, names: Sequence[str]) -> Run:
    """With several seeds each member is fitted to groups of captions that are drawn with replacement."""
    metrics = registry.parse_all(names, "captions")

    def columns_of(rated: RatedSet) -> Floats:
        items = rated.captions()
        contexts = {name: metric.prepare(items, metric.facts(items)) for name, metric in metrics.items()}
        return metric_columns(metrics, items, contexts)

    targets, rows, groups = setup.rated.examples.targets, setup.parts.rows, setup.parts.groups
    columns = columns_of(setup.rated)
    members, strengths = [], []
    for seed in setup.seeds:
        chosen = rows[TRAIN]
        if setup.training.seeds > 1:
            chosen = drawn_groups(chosen, groups, np.random.default_rng(seed))
        blended, strength = fit_blend(columns[chosen], targets[chosen], groups[chosen], setup.training.blend, seed)
        members.append(blended)
        strengths.append(strength)

    def predict(table: Floats) -> Floats:
        return np.stack([blended(table) for blended in members])

    wanted = {name: columns[found] for name, found in rows.items() if name != TRAIN}
    predicted = {name: predict(table) for name, table in wanted.items()}
    predicted |= {test.name: predict(columns_of(test)) for test in setup.tests}
    scores = {name: found.mean(axis=0) for name, found in predicted.items()}
    validation, rated = predicted[VALIDATION], targets[rows[VALIDATION]]
    spreads = {"ensemble": fit_spread(scores[VALIDATION], validation, rated)} if len(members) > 1 else {}
    return Run(
        CardOptions(as_dict(setup.model), len(members), metrics=tuple(metrics), spreads=spreads),
        {f"member{n}.{name}": t for n, blended in enumerate(members) for name, t in blended.to_tensors().items()},
        [Trial("blend", seed, correlations(found, rated)) for seed, found in zip(setup.seeds, validation, strict=True)],
        scores,
        {"blend": setup.training.blend, "strengths": strengths},
    )


def drawn_groups(rows: Int64s, groups: Int64s, rng: np.random.Generator) -> Int64s:
    """Groups of rows, drawn with replacement."""
    found, of = np.unique(groups[rows], return_inverse=True)
    times = np.bincount(rng.integers(0, len(found), len(found)), minlength=len(found))
    return np.repeat(rows, times[of])
