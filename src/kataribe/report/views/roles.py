"""Narrations: which roles of the reference each system named, which it lost and which it invented."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kataribe.core.result import MetricResult, Result
from kataribe.narration.result import NamedRoles, ScoredNarration
from kataribe.report.views import Column, Results, View
from kataribe.report.views.packing import packed_time


def _metric(result: Result) -> MetricResult | None:
    """The first metric that says which roles were named."""
    return next((metric for metric in result if metric.has_documents(NamedRoles)), None)


def _pack(results: Results, ids: Sequence[str]) -> dict[str, Any]:
    return {"systems": [_pack_system(name, _metric(result), ids) for name, result in results.items()]}


def _pack_system(name: str, metric: MetricResult | None, ids: Sequence[str]) -> dict[str, Any] | None:
    if metric is None:
        return None
    found = metric.documents(NamedRoles, file=name)
    rows = [[found[id][0].found, found[id][0].lost, found[id][0].invented] if found.get(id) else None for id in ids]
    return {"metric": metric.metric, "roles": rows}


def _properties(results: Results, ids: Sequence[str]) -> dict[str, Column]:
    """How long each gap is, where that is known."""
    gaps: dict[str, float] = {}
    for name, result in results.items():
        for id, line in result.scored(ScoredNarration, file=name).items():
            if line.gap is not None:
                gaps.setdefault(id, line.gap)
    return {"gap (s)": [packed_time(gaps.get(id)) for id in ids]} if gaps else {}


VIEW = View("roles", lambda result: _metric(result) is not None, _pack, _properties)
