"""What the page knows: everything it shows, in plain JSON, each item's numbers in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import kataribe
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.comparable import incomparable
from kataribe.core.comparison import Comparison, IncomparableError, compare
from kataribe.core.errors import InputError, UsageError
from kataribe.core.progress import Progress
from kataribe.core.result import MetricResult, Result
from kataribe.core.run import bootstrap_interval
from kataribe.people.result import Agreement
from kataribe.report.agreement_section import agreement_data
from kataribe.report.comparison import legend, letter, markings, remarks, render_comparison
from kataribe.report.scale import PERCENT, is_lower_better, scale_of
from kataribe.report.tables import render
from kataribe.report.views import Fact, Results, fitting_views
from kataribe.report.views.packing import packed_scores

_INTERVAL_REPLICATES = 1000


@dataclass(frozen=True)
class PageData:
    """`core` is needed at once; `views` holds what only an opened item needs, by the view's name.

    `warnings` are about the results side by side; what is said of a single one stands beside it.
    """

    core: dict[str, Any]
    views: dict[str, Any]
    warnings: tuple[Caution, ...] = ()


def page_data(
    results: Results,
    *,
    title: str = "",
    videos: Mapping[str, str] | None = None,
    replicates: int = 10_000,
    seed: int = 0,
    agreement: Agreement | None = None,
    progress: Progress | None = None,
) -> PageData:
    """Everything the page shows; `agreement` is a section of its own, of the same results beside people."""
    _check(results)
    ids = list(dict.fromkeys(id for result in results.values() for metric in result for id in metric.ids))
    metrics = list(dict.fromkeys(name for result in results.values() for name in result.metrics))
    comparison, apart = _comparison(results, replicates, seed, progress)
    views = fitting_views(results)
    core = {
        "kataribe": kataribe.__version__,
        "title": title or " vs ".join(results),
        "task": next(iter(results.values())).task,
        "systems": [_system(place, name, result) for place, (name, result) in enumerate(results.items())],
        "metrics": [_metric(name, results, seed, comparison) for name in metrics],
        "comparison": _tests(comparison),
        "legend": legend(comparison) if comparison else None,
        "incomparable": apart,
        "copies": _copies(results, comparison),
        "ids": ids,
        "measures": _measures(metrics, results, ids),
        "facts": _facts(results, ids),
        "views": [view.name for view in views],
        "videos": dict(videos or {}),
    }
    packed = {view.name: view.pack(results, ids) for view in views}
    warnings = [Caution("incomparable", f"not comparable, not tested: {reason}") for reason in apart]
    warnings += comparison.warnings if comparison else ()
    return PageData(core, packed | ({"agreement": agreement_data(agreement)} if agreement else {}), tuple(warnings))


def _check(results: Results) -> None:
    for name, result in results.items():
        if not result.metrics:
            raise InputError("holds no metric, so there is nothing to show", file=name)
    tasks = {result.task: name for name, result in results.items()}
    if len(tasks) > 1:
        listed = ", ".join(f"{name} scores {task}" for task, name in tasks.items())
        raise UsageError(f"one page shows one task, but {listed}", hint="make a page for each task")


def _system(place: int, name: str, result: Result) -> dict[str, Any]:
    return {
        "name": name,
        "letter": letter(place),
        "coverage": asdict(result.coverage),
        "warnings": [warning.to_dict() for warning in result.warnings],
        "version": result.version,
    }


def _comparison(
    results: Results, replicates: int, seed: int, progress: Progress | None
) -> tuple[Comparison | None, list[str]]:
    """The tests between systems, or else why they cannot be compared; a page of such results says so."""
    if len(results) < 2 or not replicates:
        return None, []
    try:
        return compare(results, replicates=replicates, seed=seed, progress=progress), []
    except IncomparableError as error:
        shared = [
            name for name in next(iter(results.values())).metrics if all(name in r.metrics for r in results.values())
        ]
        reasons = [line for name in shared for line in incomparable({s: r.metrics[name] for s, r in results.items()})]
        return None, list(dict.fromkeys(reasons)) or [error.message]


def _metric(name: str, results: Results, seed: int, comparison: Comparison | None) -> dict[str, Any]:
    spec = next(result.metrics[name].spec for result in results.values() if name in result.metrics)
    return {
        "name": name,
        "lower": is_lower_better(spec),
        "systems": [
            _standing(system, result.metrics.get(name), seed, comparison) for system, result in results.items()
        ],
    }


def _standing(
    system: str, result: MetricResult | None, seed: int, comparison: Comparison | None
) -> dict[str, Any] | None:
    """How one system stands on one metric."""
    if result is None:
        return None
    tested = comparison is not None and result.metric in comparison.scores
    summary, factor = result.summary(), _page_factor(result.spec)
    interval = result.interval or _interval(result, seed)
    return {
        **summary,
        "value": factor * result.value,
        "parts": {name: factor * part for name, part in result.parts.items()},
        "interval": [factor * end for end in interval] if interval else None,
        **({"anchors": _scaled(summary["anchors"], factor)} if result.anchors else {}),
        "beats": markings(comparison, system, result.metric) if comparison and tested else "",
    }


def _scaled(anchors: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """What people, chance and the system score, as the page shows values; `normalised` is a share in any case."""
    scores = {name: anchors[name] for name in ("null", "system", "human")}
    return {**anchors, **{name: None if score is None else factor * score for name, score in scores.items()}}


def _page_factor(spec: str) -> float:
    """The page shows every value times 100; what is shown as it is comes as a hundredth."""
    return scale_of(spec) / PERCENT


def _tests(comparison: Comparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    told = comparison.to_dict()
    for test in told["tests"]:
        factor = _page_factor(test["metric"])
        test["difference"] = None if test["difference"] is None else factor * test["difference"]
        test["interval"] = [factor * end for end in test["interval"]] if test["interval"] else None
    return told | {"remarks": remarks(comparison)}


def _interval(result: MetricResult, seed: int) -> tuple[float, float] | None:
    """For a result that was scored without `--bootstrap`; its statistics are all it takes."""
    metric = registry.find(result.spec)
    if metric is None:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        return bootstrap_interval(metric, result.statistics, _INTERVAL_REPLICATES, seed)


def _copies(results: Results, comparison: Comparison | None) -> dict[str, str]:
    """The leaderboard as text for papers and programs."""
    if comparison:
        return {format: render_comparison(comparison, format) for format in ("latex", "csv")}
    return {format: "\n\n".join(render(result, format) for result in results.values()) for format in ("latex", "csv")}


def _measures(metrics: Sequence[str], results: Results, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Every number that items have: each metric, then its parts; a column of items for each system.

    Parts at a threshold, such as `recall@0.5`, stay in the result file: there are dozens of them.
    """
    measures = []
    for name in metrics:
        found = [result.metrics.get(name) for result in results.values()]
        parts = dict.fromkeys(part for metric in found if metric for part in metric.item_parts if "@" not in part)
        for part in (None, *parts):
            columns = [_column(metric, part, ids) if metric else None for metric in found]
            measures.append({"name": f"{name} {part}" if part else name, "metric": name, "values": columns})
    return measures


def _column(metric: MetricResult, part: str | None, ids: Sequence[str]) -> list[float | None]:
    values = metric.item_values if part is None else metric.item_parts.get(part, np.full(len(metric.ids), np.nan))
    by_id = dict(zip(metric.ids, (_page_factor(metric.spec) * values).tolist(), strict=True))
    return packed_scores(by_id.get(id) for id in ids)


def _facts(results: Results, ids: Sequence[str]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for view in fitting_views(results):
        facts |= view.facts(results, ids)
    return facts
