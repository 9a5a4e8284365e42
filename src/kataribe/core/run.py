"""One evaluation: metrics x items -> Result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import kataribe
from kataribe.core.caution import Caution, distinct, remark, remarking
from kataribe.core.engine import Engine, InlineEngine
from kataribe.core.groups import Groups, drawn_rows, what_is_drawn
from kataribe.core.metric import Items, Metric
from kataribe.core.options import RunOptions
from kataribe.core.progress import report, reporting, silent
from kataribe.core.result import MetricResult, Result
from kataribe.core.shards import Sharding, split
from kataribe.core.signature import format_signature
from kataribe.core.types import Array, Coverage
from kataribe.core.unit import direction_of, unit_of
from kataribe.stats.bootstrap import FEWEST_ITEMS, INTERVAL, resample_weights, studentised_interval

# Token vectors come first: the vectors of whole sentences are computed along with them.
_VECTORS_FIRST = ("tokens", "sentences", None)


def run(
    task: str,
    metrics: Mapping[str, Metric],
    items: Items,
    *,
    coverage: Coverage,
    fields: Mapping[str, str],
    warnings: Sequence[Caution] = (),
    scanned: MutableMapping[Metric, Any] | None = None,
    groups: Groups | None = None,
    options: RunOptions,
) -> Result:
    """Score `items` with every metric, under the name it goes by in the result.

    `fields` are the signature's entries that all metrics share; `scanned` keeps what metrics scanned in the
    references: where it holds a metric from a run on the same references, these are not scanned again. Items of one
    of the `groups` are drawn together, and each group is scored on its own too.
    """
    bootstrap, seed = options.bootstrap, options.seed
    engine = options.engine or InlineEngine()
    resampling = {"bootstrap": str(bootstrap), "interval": INTERVAL, "seed": str(seed)} if bootstrap else {}
    resampling |= what_is_drawn(items.ids, groups) if bootstrap else {}
    with reporting(options.progress or silent), remarking() as remarks:
        shardings = _shardings(metrics.values(), items, engine)
        facts = _facts(metrics, shardings, engine, {} if scanned is None else scanned)
        computed = _compute(metrics, facts, shardings, engine, options.details)
    results: dict[str, MetricResult] = {}
    for name, metric in metrics.items():
        statistics = computed[name].statistics
        per_item = metric.per_item(statistics)
        choices = {**metric.signature(facts[name]), **fields, **resampling, "kataribe": kataribe.__version__}
        results[name] = MetricResult(
            metric=name,
            spec=str(metric),
            score=metric.reduce(statistics),
            interval=bootstrap_interval(metric, drawn_rows(statistics, items.ids, groups), bootstrap, seed),
            signature=format_signature(metric.name, choices),
            direction=direction_of(metric),
            unit=unit_of(metric),
            ids=tuple(items.ids),
            item_values=per_item.value,
            item_parts=per_item.parts,
            columns=metric.columns,
            statistics=statistics,
            details=computed[name].details,
        )
    said = [warning for name, metric in metrics.items() for warning in metric.warnings(facts[name])]
    said += few_groups(metrics, items, groups) if bootstrap else []
    return Result(
        task=task,
        metrics=results,
        coverage=coverage,
        warnings=distinct([*warnings, *said, *remarks]),
        version=kataribe.__version__,
        groups=groups,
    )


def _shardings(metrics: Iterable[Metric], items: Items, engine: Engine) -> dict[str | None, Sharding]:
    """Metrics that group items in the same way see the same shards: what one keeps in a shard the next one finds."""
    ways = dict.fromkeys(metric.group_by for metric in metrics)
    return {group_by: split(items, engine.workers, group_by) for group_by in ways}


def _facts(
    metrics: Mapping[str, Metric],
    shardings: Mapping[str | None, Sharding],
    engine: Engine,
    scanned: MutableMapping[Metric, Any],
) -> dict[str, Any]:
    facts = {}
    for name, metric in metrics.items():
        sharding = shardings[metric.group_by]
        if metric not in scanned:
            scanned[metric] = _merged(metric, "scan_references", sharding, engine)
        facts[name] = metric.conclude(scanned[metric], _merged(metric, "scan_predictions", sharding, engine))
    return facts


def _merged(metric: Metric, scan: str, sharding: Sharding, engine: Engine) -> Any:
    if getattr(type(metric), scan) is getattr(Metric, scan):
        return metric.merge([])
    return metric.merge(list(engine.map(getattr(metric, scan), sharding.shards)))


class _Computed(NamedTuple):
    statistics: Array
    details: list[Any] | None


def _compute(
    metrics: Mapping[str, Metric],
    facts: Mapping[str, Any],
    shardings: Mapping[str | None, Sharding],
    engine: Engine,
    details: bool,
) -> dict[str, _Computed]:
    computed = {}
    for name, metric in sorted(metrics.items(), key=lambda entry: _VECTORS_FIRST.index(entry[1].vectors)):
        sharding = shardings[metric.group_by]
        work = partial(_compute_shard, metric, facts[name], details)
        total, done = sum(map(len, sharding.shards)), 0
        answers = []
        for answer in engine.map(work, sharding.shards):
            answers.append(answer)
            done += len(answer.statistics)
            report(str(metric), done, total)
        tables = [answer.statistics for answer in answers]
        described = [answer.details for answer in answers if answer.details is not None]
        computed[name] = _Computed(
            sharding.in_order(tables) if tables else np.zeros((0, len(metric.columns))),
            sharding.in_order_list(described) if answers and len(described) == len(answers) else None,
        )
        for answer in answers:
            remark(*answer.remarks)
    return computed


class _ShardAnswer(NamedTuple):
    statistics: Array
    details: list[Any] | None
    remarks: tuple[Caution, ...]


def _compute_shard(metric: Metric, facts: Any, details: bool, shard: Any) -> _ShardAnswer:
    """What a worker does: a context is prepared where it is used and never leaves the process."""
    with remarking() as remarks:
        context = metric.prepare(shard, facts)
        statistics = metric.stats(shard, context)
        described = metric.details(shard, context) if details else None
    return _ShardAnswer(statistics, described, tuple(remarks))


def bootstrap_interval(metric: Metric, statistics: Array, bootstrap: int, seed: int) -> tuple[float, float] | None:
    """The 95% interval of a score, from its statistics."""
    items = len(statistics)
    if not bootstrap or items < FEWEST_ITEMS:
        return None
    # The same seed draws the same items for every metric, so that intervals can be read side by side.
    weights = resample_weights(items, bootstrap, np.random.default_rng(seed))
    replicates = np.concatenate([metric.replicates(statistics, chunk) for chunk in weights])
    # In a draw of few items a score may be undefined; an interval from the other draws would hide that.
    return studentised_interval(metric.reduce(statistics).value, replicates, items, metric.bounds)


def few_items(metrics: Mapping[str, Metric], items: int) -> list[Caution]:
    """What to say of intervals that items are too few for."""
    if not items:
        return []
    counted = f"{items} item{'s' * (items != 1)}"
    if items < FEWEST_ITEMS:
        return [Caution("few-items", f"{counted}: too few for a 95% interval, which takes {FEWEST_ITEMS}")]
    unsteady = [
        f"{name} (from {metric.steady_from:,})" for name, metric in metrics.items() if items < metric.steady_from
    ]
    if not unsteady:
        return []
    text = f"{counted}: too few for 95% intervals that hold the truth as often as they say: {', '.join(unsteady)}"
    return [Caution("few-items", text)]


def few_groups(metrics: Mapping[str, Metric], items: Items, groups: Groups | None) -> list[Caution]:
    """The same where whole groups are drawn, as far as there are enough of them."""
    if groups is None:
        return few_items(metrics, len(items))
    if len(groups.names) >= FEWEST_ITEMS:
        return few_items(metrics, len(groups.names))
    counted = f"{len(groups.names)} {groups.kind}{'s' * (len(groups.names) != 1)}"
    text = f"{counted}: too few to be drawn, so items were; the intervals say nothing about other {groups.kind}s"
    return [*few_items(metrics, len(items)), Caution("few-groups", text)]
