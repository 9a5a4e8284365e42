"""One evaluation: metrics x items -> Result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import kataribe
from kataribe.core.engine import LocalEngine
from kataribe.core.errors import UsageError
from kataribe.core.metric import Items, Metric
from kataribe.core.result import MetricResult, Result
from kataribe.core.signature import format_signature
from kataribe.core.types import Array, Coverage
from kataribe.stats.bootstrap import percentile_interval, resample_weights

Progress = Callable[[str, int, int], None]

# Small enough that progress moves and Ctrl-C is heard, large enough that a shard's overhead does not show.
MIN_SHARD = 256
SHARDS_PER_WORKER = 4


def run(
    task: str,
    metrics: Sequence[Metric],
    items: Items,
    *,
    coverage: Coverage,
    fields: Mapping[str, str],
    warnings: Sequence[str] = (),
    engine: LocalEngine | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    details: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Score `items` with every metric. `fields` are the signature's entries that all metrics share."""
    if bootstrap < 0:
        raise UsageError(
            f"--bootstrap {bootstrap}: cannot be negative", hint="1000 is usual, 0 switches it off"
        )
    engine = engine or LocalEngine()
    report = progress or (lambda stage, done, total: None)
    results: dict[str, MetricResult] = {}
    for metric in metrics:
        report(str(metric), 0, len(items))
        context = metric.prepare(items)
        statistics = _statistics(metric, items, context, engine, report)
        interval = None
        if bootstrap and len(items):
            weights = resample_weights(len(items), bootstrap, np.random.default_rng(seed))
            replicates = np.concatenate([metric.replicates(statistics, chunk) for chunk in weights])
            interval = percentile_interval(replicates)
        resampling = {"bootstrap": str(bootstrap), "seed": str(seed)} if bootstrap else {}
        per_item = metric.per_item(statistics)
        results[str(metric)] = MetricResult(
            metric=str(metric),
            score=metric.reduce(statistics),
            interval=interval,
            signature=format_signature(
                metric.name,
                {**metric.signature(context), **fields, **resampling, "kataribe": kataribe.__version__},
            ),
            ids=tuple(items.ids),
            item_values=per_item.value,
            item_parts=per_item.parts,
            columns=metric.columns,
            statistics=statistics,
            details=metric.details(items, context) if details else None,
        )
    return Result(
        task=task, metrics=results, coverage=coverage, warnings=tuple(warnings), version=kataribe.__version__
    )


def _statistics(metric: Metric, items: Items, context: Any, engine: LocalEngine, report: Progress) -> Array:
    size = max(MIN_SHARD, -(-len(items) // (engine.workers * SHARDS_PER_WORKER)))
    shards = [items[start : start + size] for start in range(0, len(items), size)]
    done = 0
    tables = []
    for table in engine.map(partial(metric.stats, context=context), shards):
        tables.append(table)
        done += len(table)
        report(str(metric), done, len(items))
    return np.concatenate(tables) if tables else np.zeros((0, len(metric.columns)))
