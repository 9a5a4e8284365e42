"""Narrations: which roles of the reference each system named, which it lost and which it invented."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kataribe.core.result import MetricResult, Result
from kataribe.report.views import Fact, Results, View
from kataribe.report.views.packing import packed_time, read_as


class _Roles(msgspec.Struct):
    found: list[str]
    lost: list[str]
    invented: list[str]


class _Content(msgspec.Struct):
    segment: tuple[float, float] | None = None


def _metric(result: Result) -> MetricResult | None:
    """The first metric that says which roles were named."""
    has_roles = (m for m in result if any(isinstance(entry, dict) and "invented" in entry for entry in m.details or ()))
    return next(has_roles, None)


def _pack(results: Results, ids: Sequence[str]) -> dict[str, Any]:
    return {"systems": [_pack_system(name, _metric(result), ids) for name, result in results.items()]}


def _pack_system(name: str, metric: MetricResult | None, ids: Sequence[str]) -> dict[str, Any] | None:
    if metric is None:
        return None
    details = read_as(metric.details, list[_Roles], name, f"details of {metric.metric}")
    by_id = dict(zip(metric.ids, details, strict=True))
    rows = [[entry.found, entry.lost, entry.invented] if (entry := by_id.get(id)) else None for id in ids]
    return {"metric": metric.metric, "roles": rows}


def _facts(results: Results, ids: Sequence[str]) -> dict[str, Fact]:
    """How long each gap is, where that is known."""
    lengths: dict[str, float] = {}
    for name, result in results.items():
        content = read_as(result.content or {}, dict[str, _Content], name, "content")
        for id, entry in content.items():
            if entry.segment:
                lengths.setdefault(id, entry.segment[1] - entry.segment[0])
    return {"gap (s)": [packed_time(lengths.get(id)) for id in ids]} if lengths else {}


VIEW = View("roles", lambda result: _metric(result) is not None, _pack, _facts)
