"""A model that was trained, as text: how its data was split, and how it scores on what it has not seen.

A cell is `value [low, high]`, times 100, with the 95% interval over pictures.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping

import msgspec

from kataribe.core import grid
from kataribe.core.errors import UsageError, nearest
from kataribe.core.unit import shown
from kataribe.learning.result import TrainedModel
from kataribe.report.comparison import csv_number, number


def render_trained(trained: TrainedModel, format: str = "table") -> str:
    check_format(format)
    return _FORMATS[format](trained)


def check_format(format: str) -> None:
    if format not in _FORMATS:
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, _FORMATS))


def _rows(trained: TrainedModel) -> tuple[list[str], grid.Rows]:
    measures = list(dict.fromkeys(measure for scored in trained.scored for measure in scored.values))
    rows = [
        [scored.data, f"{scored.count:,}", *(_cell(scored.values, scored.intervals, name) for name in measures)]
        for scored in trained.scored
    ]
    return ["data", "captions", *measures], rows


def _cell(values: Mapping[str, float], intervals: Mapping[str, tuple[float, float]], measure: str) -> str:
    text = number(shown(values[measure], "fraction"), ".2f") if measure in values else ""
    if measure not in intervals:
        return text
    return f"{text} [{', '.join(number(shown(end, 'fraction'), '.2f') for end in intervals[measure])}]"


def _table(trained: TrainedModel) -> str:
    lines = [*trained.notes, ""]
    if trained.scored:
        lines += [*grid.aligned(*_rows(trained)), "", "times 100; correlations with mean ratings, 95% intervals", ""]
    return "\n".join([*lines, f"{trained.folder}: {trained.title}, {trained.signature}", f"use it: {trained.usage}"])


def _markdown(trained: TrainedModel) -> str:
    lines = [f"{line}  " for line in trained.notes] + [""]
    lines += [*grid.markdown(*_rows(trained)), ""] if trained.scored else []
    return "\n".join([*lines, f"{trained.title}, `{trained.signature}`"])


def _latex(trained: TrainedModel) -> str:
    header, rows = _rows(trained)
    lines = [f"% {line}" for line in (*trained.notes, f"{trained.title}, {trained.signature}")]
    return "\n".join(
        [*lines, *grid.latex(*([grid.latex_text(c) for c in header], [[*map(grid.latex_text, r)] for r in rows]))]
    )


def _csv(trained: TrainedModel) -> str:
    """For programs: fractions at full precision, one line for each value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["data", "captions", "measure", "value", "low", "high"])
    for scored in trained.scored:
        for measure, value in scored.values.items():
            ends = scored.intervals.get(measure, ("", ""))
            writer.writerow([scored.data, scored.count, measure, csv_number(value), *ends])
    return out.getvalue().rstrip("\n")


def _json(trained: TrainedModel) -> str:
    return msgspec.json.format(msgspec.json.encode(trained.to_dict()), indent=2).decode()


_FORMATS: Mapping[str, Callable[[TrainedModel], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
