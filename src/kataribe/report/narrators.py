"""The table of narrators as text: a cell is `value [low, high]`, times 100, with the 95% interval over clips."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping

import msgspec

from kataribe.core import grid
from kataribe.core.errors import UsageError, counted, nearest
from kataribe.core.unit import shown
from kataribe.narration.result import NarratorRow, NarratorTable
from kataribe.report.comparison import csv_number, number


def render_narrators(table: NarratorTable, format: str = "table") -> str:
    check_narrators_format(format)
    return _FORMATS[format](table)


def check_narrators_format(format: str) -> None:
    if format not in _FORMATS:
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, _FORMATS))


def _rows(table: NarratorTable) -> tuple[list[str], grid.Rows]:
    columns = list(table.metrics)
    rows = [[row.name, *(_cell(row, column) for column in columns), _epochs(row)] for row in table.rows]
    return ["narrator", *columns, "epochs"], rows


def _cell(row: NarratorRow, column: str) -> str:
    if column not in row.values:
        return ""
    text = number(shown(row.values[column], "fraction"), ".1f")
    if column not in row.intervals:
        return text
    return f"{text} [{', '.join(number(shown(end, 'fraction'), '.1f') for end in row.intervals[column])}]"


def _epochs(row: NarratorRow) -> str:
    return ", ".join(map(str, row.epochs))


def _notes(table: NarratorTable) -> list[str]:
    seeds = max((len(row.epochs) for row in table.rows), default=0)
    data = table.data
    lines = [
        f"{counted(data['clips'], 'clip')} of {counted(data['films'], 'film')} that were not trained on, "
        f"{counted(data['training clips'], 'clip')} of {counted(data['training films'], 'film')} that were",
        f"times 100; trained rows are means of {counted(seeds, 'seed')}; 95% intervals over clips "
        f"({table.bootstrap:,} draws); epochs: the best of each seed",
        *(f"{column}: {signature}" for column, signature in table.metrics.items()),
    ]
    return lines + [f"left out: {name}: {why}" for name, why in table.left_out.items()]


def _table(table: NarratorTable) -> str:
    return "\n".join([*grid.aligned(*_rows(table)), "", *_notes(table)])


def _markdown(table: NarratorTable) -> str:
    return "\n".join([*grid.markdown(*_rows(table)), "", *(f"{line}  " for line in _notes(table))])


def _latex(table: NarratorTable) -> str:
    header, rows = _rows(table)
    cells = [[*map(grid.latex_text, row)] for row in rows]
    return "\n".join([*(f"% {line}" for line in _notes(table)), *grid.latex([*map(grid.latex_text, header)], cells)])


def _csv(table: NarratorTable) -> str:
    """For programs: fractions at full precision, one line for each value; a seed's own have its number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["narrator", "kind", "metric", "seed", "value", "low", "high"])
    for row in table.rows:
        for column, value in row.values.items():
            ends = row.intervals.get(column, ("", ""))
            writer.writerow([row.name, row.kind, column, "", csv_number(value), *ends])
            for seed, own in enumerate(row.by_seed.get(column, ())):
                writer.writerow([row.name, row.kind, column, seed, csv_number(own), "", ""])
    return out.getvalue().rstrip("\n")


def _json(table: NarratorTable) -> str:
    return msgspec.json.format(msgspec.json.encode(table.to_dict()), indent=2).decode()


_FORMATS: Mapping[str, Callable[[NarratorTable], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
