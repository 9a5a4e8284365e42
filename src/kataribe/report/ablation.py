"""The table of a learned metric as text: to read, to paste in a paper, to process.

A cell is `value [low, high]`, times 100, with the 95% interval over pictures. The best value of each measure among the
metrics is marked; a row with + behind its value agrees significantly better with people than the sentence cosine, one
with - significantly worse. What single seeds reach stands in a table of its own: their mean and its interval.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from kataribe.core import grid
from kataribe.core.errors import UsageError, nearest
from kataribe.core.unit import shown
from kataribe.people.result import Ablation, AblationRow, AblationTable
from kataribe.report.comparison import UNDEFINED, csv_number, interval_text, number, short_p
from kataribe.stats.choices import STATISTICS, Measure

# How one value looks in a format: its text, whether it is the best of its column, its sign of significance.
Mark = Callable[[str, bool, str], str]
_TEST_HEADER = ["test", "by", "difference", "95% interval", "p", "p corrected"]


def render_ablation(ablation: Ablation, format: str = "table") -> str:
    check_format(format)
    return _FORMATS[format](ablation)


def check_format(format: str) -> None:
    if format not in _FORMATS:
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, _FORMATS))


def _cell(value: float, interval: Sequence[float] | None) -> str:
    text = number(shown(value, "fraction"), ".2f")
    if interval is None or text == UNDEFINED:
        return text
    return f"{text} [{', '.join(number(shown(end, 'fraction'), '.2f') for end in interval)}]"


def _sign(ablation: Ablation, table: AblationTable, row: AblationRow, measure: Measure) -> str:
    """Whether a model is significantly better or worse than the cosine."""
    for found in table.tests:
        test = found.test
        is_this = (found.measure, test.one, test.other) == (measure, row.name, ablation.cosine)
        if is_this and test.corrected <= ablation.options.alpha:
            return "+" if test.difference > 0 else "-"
    return ""


def _main(ablation: Ablation, table: AblationTable, mark: Mark) -> tuple[list[str], grid.Rows]:
    metrics = [row for row in table.rows if row.kind != "people"]
    best = {measure: _best([row.standing.values[measure] for row in metrics]) for measure in STATISTICS}
    rows: grid.Rows = []
    for row in table.rows:
        cells = []
        for measure in STATISTICS:
            text = _cell(row.standing.values[measure], row.standing.intervals.get(measure))
            value, space, interval = text.partition(" ")
            is_best = row.kind != "people" and value == best[measure]
            cells.append(mark(value, is_best, _sign(ablation, table, row, measure)) + space + interval)
        rows.append([row.name, *cells, "" if row.distinct is None else f"{row.distinct:,}"])
    return ["metric", *STATISTICS, "distinct"], rows


def _best(values: Sequence[float]) -> str:
    known = [value for value in values if not math.isnan(value)]
    return _cell(max(known), None) if len(known) > 1 else ""


def _seeds(table: AblationTable) -> tuple[list[str], grid.Rows]:
    rows = [
        [row.name, str(row.seeds.seeds), *(_cell(row.seeds.means[m], row.seeds.intervals.get(m)) for m in STATISTICS)]
        for row in table.rows
        if row.seeds is not None
    ]
    return ["single seeds", "seeds", *STATISTICS], rows


def _tests(table: AblationTable) -> grid.Rows:
    return [
        [
            f"{found.test.one} - {found.test.other}",
            found.measure,
            number(shown(found.test.difference, "fraction")),
            interval_text(shown(found.test.interval[0], "fraction"), shown(found.test.interval[1], "fraction")),
            short_p(found.test.permutation),
            short_p(found.test.corrected),
        ]
        for found in table.tests
    ]


def _counted(table: AblationTable) -> str:
    counts = table.counts
    return (
        f"{table.data}: {counts['answers']:,} ratings by {counts['raters']:,} raters on {counts['texts']:,} captions "
        f"of {counts['items']:,} pictures"
    )


def _trained_on(ablation: Ablation) -> str:
    about = ablation.training
    return f"trained on {about['name']}: {about['captions']:,} captions of {about['pictures']:,} pictures"


def _legend(ablation: Ablation, best: str) -> str:
    options = ablation.options
    correction = f"{options.correction} correction" if options.correction != "none" else "not corrected"
    return (
        f"times 100; {best}; correlations with each rating; 95% intervals over pictures; + or -: significantly better "
        f"or worse than {ablation.cosine} (paired permutation over pictures, two-sided, {correction}, "
        f"p <= {options.alpha:g}); single seeds: their mean and its 95% interval"
    )


def _left_out(ablation: Ablation) -> list[str]:
    return [f"left out: {name} ({reason})" for name, reason in ablation.left_out.items()]


def _table(ablation: Ablation) -> str:
    lines = [_trained_on(ablation), *ablation.lines, ""]
    for table in ablation.tables:
        header, rows = _main(ablation, table, lambda value, best, sign: f"{'*' if best else ''}{value}{sign}")
        lines += [_counted(table), "", *grid.aligned(header, rows), ""]
        header, rows = _seeds(table)
        lines += [*grid.aligned(header, rows), ""] if rows else []
        lines += [*grid.aligned(_TEST_HEADER, _tests(table)), ""] if table.tests else []
    return "\n".join([*lines, *_left_out(ablation), _legend(ablation, "* best metric")])


def _markdown(ablation: Ablation) -> str:
    lines = [f"{line}  " for line in (_trained_on(ablation), *ablation.lines)] + [""]
    for table in ablation.tables:
        header, rows = _main(
            ablation, table, lambda value, best, sign: (f"**{value}**" if best else value) + sign.replace("-", "−")
        )
        lines += [f"{_counted(table)}:", "", *grid.markdown(header, rows), ""]
        header, rows = _seeds(table)
        lines += [*grid.markdown(header, rows), ""] if rows else []
        lines += [*grid.markdown(_TEST_HEADER, _tests(table)), ""] if table.tests else []
    return "\n".join([*lines, *(f"{line}  " for line in _left_out(ablation)), _legend(ablation, "best metric in bold")])


def _latex(ablation: Ablation) -> str:
    def mark(value: str, best: bool, sign: str) -> str:
        return (rf"\textbf{{{value}}}" if best else value) + (f"$^{{{sign}}}$" if sign else "")

    lines = [f"% {line}" for line in (_trained_on(ablation), *ablation.lines, *_left_out(ablation))]
    for table in ablation.tables:
        header, rows = _main(ablation, table, mark)
        lines.append(rf"\par {grid.latex_text(_counted(table))}\par")
        lines += grid.latex(_escaped(header), [[grid.latex_text(row[0]), *row[1:]] for row in rows])
        header, rows = _seeds(table)
        if rows:
            lines += grid.latex(_escaped(header), [[grid.latex_text(row[0]), *row[1:]] for row in rows])
    note = grid.latex_text(_legend(ablation, "best metric in bold")).replace("<=", r"$\leq$")
    return "\n".join([*lines, rf"\par\footnotesize {note}"])


def _escaped(cells: Sequence[str]) -> list[str]:
    return [grid.latex_text(cell) for cell in cells]


def _csv(ablation: Ablation) -> str:
    """For programs: fractions at full precision, one line for each value; seeds have lines of their own."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["data", "kind", "metric", "measure", "value", "low", "high"])
    for table in ablation.tables:
        for row in table.rows:
            for measure, value in row.standing.values.items():
                ends = row.standing.intervals.get(measure, ("", ""))
                writer.writerow([table.data, row.kind, row.name, measure, csv_number(value), *ends])
            if row.distinct is not None:
                writer.writerow([table.data, row.kind, row.name, "distinct", row.distinct, "", ""])
            if row.seeds is not None:
                for name, value in row.seeds.means.items():
                    ends = row.seeds.intervals.get(name, ("", ""))
                    writer.writerow([table.data, "seeds", row.name, name, csv_number(value), *ends])
    return out.getvalue().rstrip("\n")


def _json(ablation: Ablation) -> str:
    return msgspec.json.format(msgspec.json.encode(ablation.to_dict()), indent=2).decode()


_FORMATS: Mapping[str, Callable[[Ablation], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
