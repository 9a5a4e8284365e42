"""Results as text: a table to read, markdown and LaTeX to paste, CSV and JSON to process.

What is pasted or processed elsewhere carries its warnings, except CSV; beside a table they are printed anyway.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from kataribe.core import grid
from kataribe.core.errors import UsageError, nearest
from kataribe.core.types import Coverage
from kataribe.core.unit import shown_text

if TYPE_CHECKING:
    from kataribe.core.result import Result


# More groups than this are looked up in the result file, not read one by one.
_MOST_GROUPS = 20


def render(result: Result, format: str = "table") -> str:
    check_format(format)
    return _FORMATS[format](result)


def check_format(format: str) -> None:
    if format not in _FORMATS:
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, _FORMATS))


def _rows(result: Result) -> tuple[list[str], grid.Rows]:
    """A row for each metric and, indented below it, for each of its parts; fractions times 100.

    A part at a threshold, such as `recall@0.5`, stands in the row of its part under the threshold, and `@0.5` in the
    metric's own. Intervals and anchors have columns where there are any.
    """
    thresholds = list(dict.fromkeys(t for metric in result for name in metric.parts if (t := name.partition("@")[2])))
    with_interval = any(metric.interval for metric in result)
    with_anchors = any(metric.anchors for metric in result)
    header = ["metric", "score"] + ["95% interval"] * with_interval + [f"@{t}" for t in thresholds]
    header += ["null", "system", "human", "normalised"] * with_anchors
    rows: grid.Rows = []
    for metric in result:
        shown = partial(shown_text, unit=metric.unit)
        interval = " - ".join(map(shown, metric.interval)) if metric.interval else ""
        row = [metric.metric, shown(metric.value)] + [interval] * with_interval
        row += [shown(metric.parts.get(f"@{t}")) for t in thresholds]
        found = metric.anchors
        anchors = [shown(found.null), shown(found.system), shown(found.human)] if found else ["", "", ""]
        rows.append(row + [*anchors, shown_text(metric.normalised, "fraction")] * with_anchors)
        for name, part in metric.parts.items():
            if "@" not in name:
                at = [shown(metric.parts.get(f"{name}@{t}")) for t in thresholds]
                rows.append([f"  {name}", shown(part)] + [""] * with_interval + at + [""] * 4 * with_anchors)
    return header, rows


def _counted(coverage: Coverage) -> str:
    """
    >>> _counted(Coverage(references=12, predicted=6, scored=12, missing=6))
    '12 of 12 scored, 6 missing'
    """
    counted = f"{coverage.scored:,} scored"
    if coverage.references:
        counted = f"{coverage.scored:,} of {coverage.references:,} scored"
    odd = [
        f"{count:,} {name}"
        for name, count in (("missing", coverage.missing), ("extra", coverage.extra), ("empty", coverage.empty))
        if count
    ]
    return ", ".join([counted, *odd])


def _table(result: Result) -> str:
    signatures = [metric.signature for metric in result]
    said = [_counted(result.coverage), *_about_groups(result), *_about_anchors(result)]
    groups = _group_rows(result)
    tables = [*grid.aligned(*_rows(result)), "", *([*grid.aligned(*groups), ""] if groups else [])]
    return "\n".join([*tables, *said, *signatures])


def _group_rows(result: Result) -> tuple[list[str], grid.Rows] | None:
    """A row for each film, say, where a reader can look at all of them."""
    if result.groups is None or not 1 < len(result.groups.names) <= _MOST_GROUPS:
        return None
    counts = Counter(result.groups.of.values())
    units = {metric.metric: metric.unit for metric in result}
    rows: grid.Rows = [
        [group, f"{counts[group]:,}", *(shown_text(value, units[name]) for name, value in values.items())]
        for group, values in result.by_group().items()
    ]
    return [result.groups.kind, "items", *units], rows


def _about_groups(result: Result) -> list[str]:
    if result.groups is None or len(result.groups.names) <= _MOST_GROUPS:
        return []
    return [f"{len(result.groups.names):,} {result.groups.kind}s; the scores of each are in the result file (-o)"]


def _about_anchors(result: Result) -> list[str]:
    """What was compared with what, where people and chance were scored too."""
    against = dict.fromkeys(metric.anchors.against for metric in result if metric.anchors)
    formula = "normalised = (system - null) / (human - null)"
    return [f"null, system and human: against {text}; {formula}" for text in against]


def _warnings(result: Result) -> list[str]:
    return [f"warning: {warning} [{warning.id}]" for warning in result.warnings]


def _markdown(result: Result) -> str:
    said = [_counted(result.coverage), *_about_groups(result), *_warnings(result), *_about_anchors(result)]
    said += [f"`{metric.signature}`" for metric in result]
    groups = _group_rows(result)
    tables = [*grid.markdown(*_rows(result)), "", *([*grid.markdown(*groups), ""] if groups else [])]
    return "\n".join([*tables, *(f"{line}  " for line in said)])


def _latex(result: Result) -> str:
    """Comments count what was scored and warn; where predictions are missing, a last row tells readers of the paper."""
    header, rows = _rows(result)
    counted = _counted(result.coverage)
    cells = [[grid.latex_text(cell) for cell in row] for row in rows]
    note = rf"\multicolumn{{{len(header)}}}{{l}}{{{grid.latex_text(counted)}}}"
    said = (*(metric.signature for metric in result), counted, *_warnings(result), *_about_anchors(result))
    table = grid.latex([grid.latex_text(cell) for cell in header], cells + [[note]] * (result.coverage.missing > 0))
    return "\n".join([*(f"% {line}" for line in said), *table])


def _csv(result: Result) -> str:
    """For programs: fractions at full precision, one line per value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["metric", "part", "value", "low", "high", "signature", "references", "scored", "missing"])
    counts = [result.coverage.references, result.coverage.scored, result.coverage.missing]
    for metric in result:
        low, high = metric.interval or ("", "")
        writer.writerow([metric.metric, "", repr(metric.value), low, high, metric.signature, *counts])
        for name, part in metric.parts.items():
            writer.writerow([metric.metric, name, repr(part), "", "", metric.signature, *counts])
    return out.getvalue().rstrip("\n")


def _json(result: Result) -> str:
    return msgspec.json.format(msgspec.json.encode(result.summary()), indent=2).decode()


_FORMATS: dict[str, Callable[[Result], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
