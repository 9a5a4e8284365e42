"""Curves: scores under changed conditions, as an audit draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kataribe.core.result import Result
from kataribe.report.views import Results, View


def _fits(result: Result) -> bool:
    return bool(result.curves)


def _pack(results: Results, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Curves of equal title share a chart: each line carries its system's name where there are several systems."""
    charts: dict[str, dict[str, Any]] = {}
    for name, result in results.items():
        for curve in result.curves:
            chart = charts.setdefault(
                curve.title, {"title": curve.title, "x": curve.x, "unit": curve.unit, "lines": []}
            )
            for line, points in curve.lines.items():
                label = f"{name}: {line}" if len(results) > 1 else line
                chart["lines"].append({"name": label, "points": [[float(x), float(y)] for x, y in points]})
    return list(charts.values())


VIEW = View("curves", _fits, _pack)
