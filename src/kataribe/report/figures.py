"""The page's figures as files for papers: PNG to look at, SVG to print. Needs matplotlib (the extra `plots`)."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kataribe.core.errors import OutputError
from kataribe.core.need import need
from kataribe.core.unit import shown
from kataribe.formats.output import write_whole
from kataribe.report.data import PageData

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The page's colours, so that a figure in a paper and the page beside it say the same.
_COLOURS = ("#0b6fa4", "#d1620b", "#178a66", "#b0478f", "#8a6d00", "#3c9bd6", "#6b4fbb", "#4f5b66")
_MOST_BINS = 30
# More dots than this are drawn small, so that they do not cover each other.
_FEW_ITEMS = 300


def check_figures(folder: Path) -> None:
    """What can be refused before the work starts is refused before the work starts."""
    need("matplotlib", extra="plots", purpose="drawing figures")
    if not folder.is_dir():
        raise OutputError(f"{folder}: there is no such folder", hint="create it first")


def write_figures(data: PageData, folder: Path) -> list[Path]:
    """Every figure as NAME.png and NAME.svg; returns what was written."""
    import matplotlib

    # Text stays text in SVG, and equal data gives equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "kataribe", "font.size": 9}):
        written = []
        for name, figure in _figures(data):
            for format, options in (("png", {"dpi": 200}), ("svg", {"metadata": {"Date": None}})):
                out = io.BytesIO()
                figure.savefig(out, format=format, bbox_inches="tight", **options)
                path = folder / f"{name}.{format}"
                write_whole(path, out.getvalue())
                written.append(path)
        return written


def _figures(data: PageData) -> Iterator[tuple[str, Figure]]:
    yield "scores", _scores(data.core)
    for measure in data.core["measures"]:
        if measure["name"] != measure["metric"]:
            continue  # parts are for the page; a figure for each would bury the others
        name = _file_name(measure["name"])
        yield f"distribution-{name}", _distribution(data.core, measure)
        yield from _differences(data.core, measure)
        for property, values in data.core["properties"].items():
            yield f"{name}-against-{_file_name(property)}", _scatter(data.core, measure, property, values)
    for chart in data.views.get("curves", ()):
        yield f"curve-{_file_name(chart['title'])}", _curve(chart)


def _file_name(text: str) -> str:
    """
    >>> _file_name("soda(a, tiou=0.3+0.5)")
    'soda-a-tiou-0.3-0.5'
    """
    return re.sub(r"[^\w.]+", "-", text).strip("-")[:80] or "unnamed"


def _new_figure(width: float, height: float, columns: int = 1) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _colour(system: int) -> str:
    return _COLOURS[system % len(_COLOURS)]


def _scores(core: dict[str, Any]) -> Figure:
    """A panel for each metric: scores with intervals, the null and human anchors as dashed lines.

    A ring is the system's score against the references that these two were scored against.
    """
    metrics, names = core["metrics"], [system["name"] for system in core["systems"]]
    figure, axes = _new_figure(2.6 * len(metrics) + 0.8, 0.32 * len(names) + 0.9, len(metrics))
    for axis, metric in zip(axes, metrics, strict=True):
        for row, standing in enumerate(metric["systems"]):
            if standing is not None:
                _draw_standing(axis, row, standing)
        _draw_anchors(axis, metric)
        axis.set_xlabel(metric["name"])
        axis.set_yticks(range(len(names)), names if axis is axes[0] else [""] * len(names))
        axis.set_ylim(len(names) - 0.5, -0.5)
    return figure


def _draw_standing(axis: Any, row: int, standing: dict[str, Any]) -> None:
    colour, unit = _colour(row), standing["unit"]
    ends = [shown(end, unit) for end in standing["interval"] or (standing["value"], standing["value"])]
    axis.plot(ends, [row, row], color=colour, linewidth=2.5, alpha=0.5)
    axis.plot(shown(standing["value"], unit), row, "o", color=colour, markersize=5)
    if standing.get("anchors"):
        ring = shown(standing["anchors"]["system"], unit)
        axis.plot(ring, row, "o", color=colour, markersize=5, fillstyle="none")


def _draw_anchors(axis: Any, metric: dict[str, Any]) -> None:
    anchors: dict[str, Any] = next((s["anchors"] for s in metric["systems"] if s and s.get("anchors")), {})
    for anchor in ("null", "human"):
        if anchors.get(anchor) is None:
            continue
        value = shown(anchors[anchor], metric["unit"])
        axis.axvline(value, color="#444444", linewidth=0.8, linestyle="--")
        axis.annotate(
            anchor,
            (value, 1),
            xycoords=("data", "axes fraction"),
            fontsize=7,
            xytext=(2, -8),
            textcoords="offset points",
            color="#444444",
        )


def _columns(core: dict[str, Any], measure: dict[str, Any]) -> Iterator[tuple[int, str, np.ndarray]]:
    for index, (system, values) in enumerate(zip(core["systems"], measure["values"], strict=True)):
        if values is not None:
            yield index, system["name"], shown(np.array(values, dtype=np.float64), measure["unit"])


def _distribution(core: dict[str, Any], measure: dict[str, Any]) -> Figure:
    columns = [(name, _colour(index), values) for index, name, values in _columns(core, measure)]
    return _histogram(columns, measure["name"])


def _differences(core: dict[str, Any], measure: dict[str, Any]) -> Iterator[tuple[str, Figure]]:
    """Item by item, the first system minus each of the others."""
    (first, name, values), *others = _columns(core, measure)
    for _, other, other_values in others:
        label = f"{name} - {other}"
        figure = _histogram([(label, _colour(first), values - other_values)], f"difference in {measure['name']}")
        figure.axes[0].axvline(0, color="#444444", linewidth=0.8)
        yield f"difference-{_file_name(measure['name'])}-{_file_name(other)}", figure


def _histogram(columns: list[tuple[str, str, np.ndarray]], label: str) -> Figure:
    from matplotlib.ticker import MaxNLocator

    figure, (axis,) = _new_figure(4.2, 2.6)
    known = [(name, colour, values[np.isfinite(values)]) for name, colour, values in columns]
    items = max(len(values) for _, _, values in known)
    bins = min(_MOST_BINS, max(6, math.ceil(2 * math.sqrt(items))))
    edges = np.histogram_bin_edges(np.concatenate([values for _, _, values in known]), bins)
    for name, colour, values in known:
        axis.hist(values, edges, histtype="stepfilled", color=colour, alpha=0.2)
        axis.hist(values, edges, histtype="step", color=colour, label=name)
    axis.set_xlabel(label)
    axis.set_ylabel("items")
    axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    axis.legend(frameon=False)
    return figure


def _scatter(core: dict[str, Any], measure: dict[str, Any], property: str, values: list[float | None]) -> Figure:
    figure, (axis,) = _new_figure(4.2, 2.8)
    x = np.array(values, dtype=np.float64)
    size, alpha = (20, 0.7) if len(x) < _FEW_ITEMS else (5, 0.4)
    for index, name, scores in _columns(core, measure):
        # Thousands of dots as shapes make an SVG that no editor opens; as a picture inside it they do no harm.
        axis.scatter(x, scores, s=size, alpha=alpha, linewidths=0, color=_colour(index), label=name, rasterized=True)
    axis.set_xlabel(property)
    axis.set_ylabel(measure["name"])
    axis.legend(frameon=False)
    return figure


def _curve(chart: dict[str, Any]) -> Figure:
    figure, (axis,) = _new_figure(4.2, 2.8)
    for index, line in enumerate(chart["lines"]):
        x, y = np.array(line["points"], dtype=np.float64).reshape(-1, 2).T
        axis.plot(x, shown(y, chart["unit"]), "o-", markersize=3, color=_colour(index), label=line["name"])
    axis.set_title(chart["title"])
    axis.set_xlabel(chart["x"])
    axis.set_ylabel("score")
    axis.legend(frameon=False)
    return figure
