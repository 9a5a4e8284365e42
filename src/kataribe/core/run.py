"""One evaluation: metrics x items -> Result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import kataribe
from kataribe.core.caution import Caution, distinct
from kataribe.core.engine import LocalEngine
from kataribe.core.metric import Items, Metric
from kataribe.core.options import RunOptions
from kataribe.core.progress import Progress, reporting, silent
from kataribe.core.result import MetricResult, Result
from kataribe.core.signature import format_signature
from kataribe.core.types import Array, Coverage
from kataribe.stats.bootstrap import FEWEST_ITEMS, INTERVAL, resample_weights, studentised_interval

# Small enough that progress moves and Ctrl-C is heard, large enough that a shard's overhead does not show.
MIN_SHARD = 256
SHARDS_PER_WORKER = 4


def run(
    task: str,
    metrics: Mapping[str, Metric],
    items: Items,
    *,
    coverage: Coverage,
    fields: Mapping[str, str],
    warnings: Sequence[Caution] = (),
    options: RunOptions,
) -> Result:
    """Score `items` with every metric, under the name it goes by in the result.

    `fields` are the signature's entries that all metrics share.
    """
    bootstrap, seed = options.bootstrap, options.seed
    engine = options.engine or LocalEngine()
    report = options.progress or silent
    with reporting(report):
        in_turn = sorted(metrics.items(), key=lambda entry: not entry[1].prepares_first)
        contexts = {name: metric.prepare(items) for name, metric in in_turn}
    # Every metric sees the same shards, so what one computes and keeps on its items the next one finds.
    shards = _shards(items, engine.workers)
    resampling = {"bootstrap": str(bootstrap), "interval": INTERVAL, "seed": str(seed)} if bootstrap else {}
    results: dict[str, MetricResult] = {}
    for name, metric in metrics.items():
        context = contexts[name]
        statistics = _statistics(metric, shards, context, engine, report)
        per_item = metric.per_item(statistics)
        choices = {**metric.signature(context), **fields, **resampling, "kataribe": kataribe.__version__}
        results[name] = MetricResult(
            metric=name,
            spec=str(metric),
            score=metric.reduce(statistics),
            interval=bootstrap_interval(metric, statistics, bootstrap, seed),
            signature=format_signature(metric.name, choices),
            ids=tuple(items.ids),
            item_values=per_item.value,
            item_parts=per_item.parts,
            columns=metric.columns,
            statistics=statistics,
            details=_details(metric, shards, context, engine) if options.details else None,
        )
    said = [warning for name, metric in metrics.items() for warning in metric.warnings(contexts[name])]
    said += few_items(metrics, len(items)) if bootstrap else []
    return Result(
        task=task,
        metrics=results,
        coverage=coverage,
        warnings=distinct([*warnings, *said]),
        version=kataribe.__version__,
    )


def _shards(items: Items, workers: int) -> list[Items]:
    size = max(MIN_SHARD, -(-len(items) // (workers * SHARDS_PER_WORKER)))
    return [items[start : start + size] for start in range(0, len(items), size)]


def _statistics(metric: Metric, shards: Sequence[Items], context: Any, engine: LocalEngine, report: Progress) -> Array:
    total = sum(len(shard) for shard in shards)
    tables = []
    done = 0
    for table in engine.map(partial(metric.stats, context=context), shards):
        tables.append(table)
        done += len(table)
        report(str(metric), done, total)
    return np.concatenate(tables) if tables else np.zeros((0, len(metric.columns)))


def _details(metric: Metric, shards: Sequence[Items], context: Any, engine: LocalEngine) -> list[Any] | None:
    parts = list(engine.map(partial(metric.details, context=context), shards))
    return None if any(part is None for part in parts) else [entry for part in parts for entry in part or ()]


def bootstrap_interval(metric: Metric, statistics: Array, bootstrap: int, seed: int) -> tuple[float, float] | None:
    """The 95% interval of a score, from its statistics."""
    items = len(statistics)
    if not bootstrap or items < FEWEST_ITEMS:
        return None
    # The same seed draws the same items for every metric, so that intervals can be read side by side.
    weights = resample_weights(items, bootstrap, np.random.default_rng(seed))
    replicates = np.concatenate([metric.replicates(statistics, chunk) for chunk in weights])
    # A draw of few items may leave a score undefined; an interval of the others would pretend that it did not.
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
