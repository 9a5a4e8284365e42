"""What the page knows: everything it shows, in plain JSON, each item's numbers in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import kataribe
from kataribe.core.caution import Caution
from kataribe.core.comparison import Comparison
from kataribe.core.result import MetricResult, Result
from kataribe.core.side_by_side import Interval, SideBySide
from kataribe.core.tables import render
from kataribe.core.types import Caption
from kataribe.people.result import Agreement
from kataribe.report.agreement_section import agreement_data
from kataribe.report.comparison import legend, letter, markings, remarks, render_comparison
from kataribe.report.ranked_clips import ranked_clips
from kataribe.report.views import Column, Results, films, fitting_views
from kataribe.report.views.packing import packed_scores, packed_time


@dataclass(frozen=True)
class PageData:
    """`core` is needed at once; `views` holds what only an opened item needs, by the view's name.

    `warnings` are about the results side by side; those about a single one are shown beside it.
    """

    core: dict[str, Any]
    views: dict[str, Any]
    warnings: tuple[Caution, ...] = ()


def page_data(
    beside: SideBySide,
    *,
    title: str = "",
    videos: Mapping[str, str] | None = None,
    agreement: Agreement | None = None,
    dialogue: Mapping[str, Sequence[Caption]] | None = None,
) -> PageData:
    """Everything the page shows; `agreement` is a section of its own, of the same results beside people.

    `videos` are addresses by item or film, `dialogue` is what is said in films.
    """
    results, comparison = beside.results, beside.comparison
    ids = list(dict.fromkeys(id for result in results.values() for metric in result for id in metric.ids))
    metrics = list(dict.fromkeys(name for result in results.values() for name in result.metrics))
    views = fitting_views(results)
    core = {
        "kataribe": kataribe.__version__,
        "title": title or " vs ".join(results),
        "task": next(iter(results.values())).task,
        "systems": [_system(index, name, result) for index, (name, result) in enumerate(results.items())],
        "metrics": [_metric(name, beside) for name in metrics],
        "comparison": comparison.to_dict() | {"remarks": remarks(comparison)} if comparison else None,
        "legend": legend(comparison) if comparison else None,
        "incomparable": list(beside.incomparable),
        "copies": _copies(results, comparison),
        "ids": ids,
        "measures": _measures(metrics, results, ids),
        "properties": _properties(results, ids),
        "views": [view.name for view in views],
        "videos": dict(videos or {}),
    }
    packed = {view.name: view.pack(results, ids) for view in views}
    if films.VIEW.name in packed:
        packed[films.VIEW.name] |= {
            "dialogue": {film: [_line(line) for line in lines] for film, lines in (dialogue or {}).items()},
            "people": ranked_clips(agreement) if agreement else [],
        }
    section = {"agreement": agreement_data(agreement)} if agreement else {}
    return PageData(core, packed | section, beside.warnings)


def _line(line: Caption) -> list[Any]:
    return [packed_time(line.segment.start), packed_time(line.segment.end), line.text]


def _system(index: int, name: str, result: Result) -> dict[str, Any]:
    return {
        "name": name,
        "letter": letter(index),
        "coverage": asdict(result.coverage),
        "warnings": [warning.to_dict() for warning in result.warnings],
        "version": result.version,
    }


def _metric(name: str, beside: SideBySide) -> dict[str, Any]:
    found = {system: result.metrics.get(name) for system, result in beside.results.items()}
    first = next(metric for metric in found.values() if metric)
    return {
        "name": name,
        "lower": first.lower_is_better,
        "unit": first.unit,
        "systems": [
            _standing(system, metric, beside.intervals[system][name], beside.comparison) if metric else None
            for system, metric in found.items()
        ],
    }


def _standing(
    system: str, result: MetricResult, interval: Interval | None, comparison: Comparison | None
) -> dict[str, Any]:
    """How one system stands on one metric."""
    is_tested = comparison is not None and result.metric in comparison.scores
    return {
        **result.summary(),
        "interval": interval,
        "beats": markings(comparison, system, result.metric) if comparison and is_tested else "",
    }


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
        first = next(metric for metric in found if metric)
        parts = dict.fromkeys(part for metric in found if metric for part in metric.item_parts if "@" not in part)
        for part in (None, *parts):
            measures.append(
                {
                    "name": f"{name} {part}" if part else name,
                    "metric": name,
                    "unit": first.unit,
                    # A part may go its own way: of an error rate, say, how much was found.
                    "lower": part is None and first.lower_is_better,
                    "values": [_column(metric, part, ids) if metric else None for metric in found],
                }
            )
    return measures


def _column(metric: MetricResult, part: str | None, ids: Sequence[str]) -> list[float | None]:
    values = metric.item_values if part is None else metric.item_parts.get(part, np.full(len(metric.ids), np.nan))
    by_id = dict(zip(metric.ids, values.tolist(), strict=True))
    return packed_scores(by_id.get(id) for id in ids)


def _properties(results: Results, ids: Sequence[str]) -> dict[str, Column]:
    properties: dict[str, Column] = {}
    for view in fitting_views(results):
        properties |= view.properties(results, ids)
    return properties
