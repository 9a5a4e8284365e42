"""System by system: do metrics put systems in the order that people do?

A system's score by people is the mean over its judged texts. Its score by a metric is the metric's own corpus score of
those texts where result files give the statistics, and the mean of their scores where a table gives numbers. Intervals
come from resampling items; with few systems they are wide, as they should be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kataribe.core import registry
from kataribe.core.types import Floats
from kataribe.people.judged import DECIMALS, Judged
from kataribe.people.options import AgreementOptions
from kataribe.people.result import Standing, SystemLevel
from kataribe.people.scores import Scores
from kataribe.stats.bootstrap import Bounds, resample_weights, studentised_interval
from kataribe.stats.choices import MEASURES, Measure, Ties
from kataribe.stats.correlation import Ratio, Rows
from kataribe.stats.paired import Valued

# Two systems always correlate by 1 or -1.
FEWEST_SYSTEMS = 3


def read_systems(
    judgements: Judged, values: Mapping[str, Floats], scores: Scores, options: AgreementOptions
) -> SystemLevel | None:
    """The answer system by system; nothing where there are too few of them."""
    systems = sorted({text.system for text in judgements.texts})
    if len(systems) < FEWEST_SYSTEMS or len(systems) == len(judgements.texts):
        return None
    rows_of: dict[str, list[int]] = {system: [] for system in systems}
    for row, text in enumerate(judgements.texts):
        rows_of[text.system].append(row)
    people = [_mean(judgements.means, judgements, rows) for rows in rows_of.values()]
    metrics = {
        metric: [_corpus(metric, system, column, judgements, rows, scores) for system, rows in rows_of.items()]
        for metric, column in values.items()
    }
    sign = {metric: -1.0 if metric in scores.lower_is_better else 1.0 for metric in values}
    once = np.ones((1, judgements.items))
    said = _columns(people, once)[0]
    scored = {metric: _columns(columns, once)[0] for metric, columns in metrics.items()}
    drawn: dict[str, list[dict[Measure, float]]] = {metric: [] for metric in metrics}
    for weights in resample_weights(judgements.items, options.bootstrap, np.random.default_rng(options.seed)):
        people_drawn = _columns(people, weights)
        for metric, columns in metrics.items():
            both = zip(_columns(columns, weights), people_drawn, strict=True)
            drawn[metric] += [_measures(sign[metric] * x, y, options.ties) for x, y in both]
    standings = {
        metric: standing(
            _measures(sign[metric] * column, said, options.ties), _by_measure(drawn[metric]), judgements.items
        )
        for metric, column in scored.items()
    }
    return SystemLevel(tuple(systems), said, scored, standings)


def standing(values: Mapping[Measure, float], drawn: Mapping[Measure, Floats], items: int) -> Standing:
    """Each measure with its interval; a draw may leave a measure undefined, and then there is none."""
    intervals = {
        measure: studentised_interval(values[measure], found, items, _bounds(measure))
        for measure, found in drawn.items()
    }
    return Standing(values, {measure: interval for measure, interval in intervals.items() if interval is not None})


def _bounds(measure: Measure) -> Bounds:
    return (0.0, 1.0) if measure == "accuracy" else (-1.0, 1.0)


def _by_measure(drawn: Sequence[Mapping[Measure, float]]) -> dict[Measure, Floats]:
    return {measure: np.array([found[measure] for found in drawn]) for measure in MEASURES} if drawn else {}


def _columns(valued: Sequence[Valued], weights: Floats) -> Floats:
    return np.column_stack([value(weights) for value in valued])


def _measures(x: Floats, y: Floats, ties: Ties) -> dict[Measure, float]:
    """A draw of few items may leave a system without a text, and the measures undefined."""
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return dict.fromkeys(MEASURES, np.nan)
    rows = Rows(x.round(DECIMALS), y.round(DECIMALS))
    found: dict[Measure, float] = {name: value for name, value in rows.values().items()}  # noqa: C416
    return found | {"accuracy": float(rows.accuracy(ties)(np.ones((1, len(x))))[0])}


def _mean(values: Floats, judgements: Judged, rows: list[int]) -> Ratio:
    by_item = np.full(judgements.items, np.nan)
    by_item[judgements.item_of[rows]] = values[rows]
    return Ratio.mean(by_item)


def _corpus(metric: str, system: str, column: Floats, judgements: Judged, rows: list[int], scores: Scores) -> Valued:
    if system not in scores.results:
        return _mean(column, judgements, rows)
    result = scores.results[system][metric]
    formula = registry.find(result.spec)
    if formula is None or tuple(formula.columns) != result.columns:
        return _mean(column, judgements, rows)
    row_of = {id: row for row, id in enumerate(result.ids)}
    statistics = result.statistics[[row_of[judgements.texts[row].item] for row in rows]]
    items = judgements.item_of[rows]
    return lambda weights: formula.replicates(statistics, weights[:, items])
