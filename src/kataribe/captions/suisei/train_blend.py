"""Fit a blend: the metrics' scores of every caption once, then one blend for each seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.suisei.blend import Blended, fit_blend
from kataribe.captions.suisei.blend_model import metric_columns
from kataribe.captions.suisei.drawn import with_drawn
from kataribe.captions.suisei.material import TRAIN, VALIDATION, Material, RatedSet
from kataribe.captions.suisei.model import CardOptions, as_dict
from kataribe.captions.suisei.runs import Run, Setup, correlations, fit_spreads
from kataribe.captions.suisei.trees import Trees, fit_trees
from kataribe.core import registry
from kataribe.core.metric import Metric
from kataribe.core.types import Floats, Int64s
from kataribe.learning.result import Trial

# Of boosting: what of the groups each member sees.
_BAG = 0.7


def train_blend(setup: Setup, names: Sequence[str]) -> Run:
    """With several seeds each member is fitted to groups of its own: see `_member`."""
    metrics = registry.parse_all(names, "captions")
    facts = _facts(metrics, setup.rated.captions())
    columns = _columns(metrics, facts, setup.rated.captions())
    texts: dict[str, int] = {}
    material = Material.of(setup.rated.examples, texts)[setup.parts.rows[TRAIN]]
    groups = setup.parts.groups[material.rows]
    learned = with_drawn(material, list(texts), groups, setup.model, setup.training)
    drawn = learned[np.arange(len(material), len(learned))]
    seen = columns[material.rows]
    if len(drawn):
        seen = np.vstack([seen, _columns(metrics, facts, _captions(drawn, list(texts), setup.rated))])
    groups = setup.parts.groups[learned.rows]
    fitted = [_member(setup, seen, learned, groups, seed) for seed in setup.seeds]

    def predict(table: Floats) -> Floats:
        return np.stack([blended(table) for blended, _ in fitted])

    members = {name: predict(columns[found]) for name, found in setup.parts.rows.items() if name != TRAIN}
    for test in setup.tests:
        items = test.captions()
        members[test.name] = predict(_columns(metrics, _facts(metrics, items), items))
    validation, rated = members[VALIDATION], setup.rated.examples.targets[setup.parts.rows[VALIDATION]]
    return Run(
        CardOptions(
            as_dict(setup.model), len(fitted), metrics=tuple(metrics), spreads=fit_spreads(validation, None, rated)
        ),
        {f"member{n}.{name}": t for n, (blended, _) in enumerate(fitted) for name, t in blended.to_tensors().items()},
        [Trial("blend", seed, correlations(found, rated)) for seed, found in zip(setup.seeds, validation, strict=True)],
        members,
        {"blend": setup.training.blend, "strengths": [strength for _, strength in fitted if strength is not None]},
    )


def _member(
    setup: Setup, columns: Floats, learned: Material, groups: Int64s, seed: int
) -> tuple[Blended | Trees, float | None]:
    """A blend and its strength, where it has one.

    Of several members each of boosting sees 70% of the groups, those of the others groups drawn with replacement.
    """
    kind, rng = setup.training.blend, np.random.default_rng(seed)
    rows = np.arange(len(learned))
    if setup.training.seeds > 1:
        rows = some_groups(rows, groups, _BAG, rng) if kind == "boosting" else drawn_groups(rows, groups, rng)
    some = columns[rows], learned.ratings[rows]
    if kind == "boosting":
        return fit_trees(*some, learned.weights[rows], seed), None
    return fit_blend(*some, groups[rows], kind, seed, learned.weights[rows])


def _facts(metrics: Mapping[str, Metric], items: Captions) -> dict[str, Any]:
    return {name: metric.facts(items) for name, metric in metrics.items()}


def _columns(metrics: Mapping[str, Metric], facts: Mapping[str, Any], items: Captions) -> Floats:
    contexts = {name: metric.prepare(items, facts[name]) for name, metric in metrics.items()}
    return metric_columns(metrics, items, contexts)


def _captions(drawn: Material, texts: Sequence[str], rated: RatedSet) -> Captions:
    """Drawn captions as items that any metric scores, under the id of the caption that they are drawn for."""
    return Captions(
        [rated.examples.ids[row] for row in drawn.rows.tolist()],
        [texts[text] for text in drawn.layout.candidates.tolist()],
        [[texts[text] for text in own.tolist()] for own in drawn.layout.references],
        rated.media,
    )


def some_groups(rows: Int64s, groups: Int64s, share: float, rng: np.random.Generator) -> Int64s:
    """The rows of a share of the groups, at least one."""
    found = np.unique(groups[rows])
    chosen = rng.permutation(found)[: max(1, round(share * len(found)))]
    return rows[np.isin(groups[rows], chosen)]


def drawn_groups(rows: Int64s, groups: Int64s, rng: np.random.Generator) -> Int64s:
    """Groups of rows, drawn with replacement."""
    found, of = np.unique(groups[rows], return_inverse=True)
    times = np.bincount(rng.integers(0, len(found), len(found)), minlength=len(found))
    return np.repeat(rows, times[of])
