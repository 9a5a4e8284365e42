"""What training leaves behind, to look at: learning curves as a picture, variants over their seeds as a table.

A cell is `mean [low, high]`, the 95% interval of the mean over seeds, where there is one. Values are as they are
measured, not times 100. The best mean of each measure is bold. The caller may give marks of significance, letters say,
and says what they mean.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kataribe.core import grid
from kataribe.core.errors import UsageError, nearest
from kataribe.learning.result import History, Summary
from kataribe.report.comparison import csv_number, number
from kataribe.report.pictures import PALETTE, new_figure, to_image

LOSS = "loss"
_PANEL_WIDTH, _PANEL_HEIGHT, _LEGEND_WIDTH = 3.8, 3.2, 1.6
_MOST_NAMED = 12


def draw_curves(courses: Mapping[str, History], format: str) -> bytes:
    """The loss and each validation score, epoch by epoch, of one or several runs; a ring is the epoch that was kept."""
    scores = dict.fromkeys(name for course in courses.values() for epoch in course.epochs for name in epoch.scores)
    measures = [LOSS, *scores]
    figure = new_figure(_PANEL_WIDTH * len(measures) + _LEGEND_WIDTH, _PANEL_HEIGHT)
    panels = figure.subplots(1, len(measures), squeeze=False)[0]
    for axes, measure in zip(panels, measures, strict=True):
        for index, (name, course) in enumerate(courses.items()):
            _draw_course(axes, course, measure, PALETTE[index % len(PALETTE)], name)
        stopped_by = {course.stop_by for course in courses.values()}
        axes.set(xlabel="epoch", title=f"{measure} (decides)" if measure in stopped_by else measure)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    # Runs beyond these have no name: a legend would be longer than the picture is high.
    runs = panels[0].get_lines()[: 2 * _MOST_NAMED : 2] if len(courses) > 1 else []
    ring = panels[0].plot([], [], "o", color="#444444", markersize=7, fillstyle="none", label="weights kept")
    figure.legend(handles=[*runs, *ring], loc="outside right upper", fontsize=8, frameon=False)
    return to_image(figure, format)


def _draw_course(axes: Any, course: History, measure: str, colour: str, name: str) -> None:
    values = [epoch.loss if measure == LOSS else epoch.scores.get(measure, math.nan) for epoch in course.epochs]
    numbers = [epoch.number for epoch in course.epochs]
    axes.plot(numbers, values, color=colour, label=name, linewidth=1.4, marker="." if len(values) < 2 else None)
    kept = course.best - 1
    axes.plot(numbers[kept], values[kept], "o", color=colour, markersize=7, fillstyle="none", clip_on=False)


@dataclass(frozen=True)
class SummaryTable:
    """Variants by measures. `marks` are by (variant, measure); `legend` says what they mean."""

    summaries: Sequence[Summary]
    lower_is_better: Collection[str] = ()
    marks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    legend: str = ""

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(name for summary in self.summaries for name in summary.means))

    def is_best(self, summary: Summary, measure: str) -> bool:
        """Among several; as it is shown, so that equal digits are equally good."""
        known = [s.means[measure] for s in self.summaries if not math.isnan(s.means.get(measure, math.nan))]
        if len(self.summaries) < 2 or measure not in summary.means or math.isnan(summary.means[measure]):
            return False
        best = min(known) if measure in self.lower_is_better else max(known)
        return _digits(best) == _digits(summary.means[measure])


def render_summaries(table: SummaryTable, format: str = "table") -> str:
    check_format(format)
    return _FORMATS[format](table)


def check_format(format: str) -> None:
    if format not in _FORMATS:
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, _FORMATS))


def _digits(value: float) -> str:
    return number(value, ".4f")


@dataclass(frozen=True)
class _Style:
    """How a format writes a best mean, a mark behind the cell (`%s`), and a name."""

    best: str
    mark: str
    name: Callable[[str], str] = str
    is_padded: bool = False


def _cell(table: SummaryTable, summary: Summary, measure: str, style: _Style) -> str:
    if measure not in summary.means:
        return ""
    mean = _digits(summary.means[measure])
    interval = summary.intervals.get(measure)
    reach = f" [{_digits(interval.low)}, {_digits(interval.high)}]" if interval else ""
    given = table.marks.get((summary.variant, measure), "")
    shown = style.best % mean if table.is_best(summary, measure) else mean
    return shown + reach + (style.mark % given if given or style.is_padded else "")


def _rows(table: SummaryTable, style: _Style) -> grid.Rows:
    return [
        [style.name(s.variant), str(s.seeds), *(_cell(table, s, measure, style) for measure in table.measures)]
        for s in table.summaries
    ]


def _notes(table: SummaryTable, best: str) -> str:
    """What the cells mean, in one line."""
    lower = [measure for measure in table.measures if measure in table.lower_is_better]
    said = [best] if len(table.summaries) > 1 else []
    if any(summary.intervals for summary in table.summaries):
        said.append("mean [95% interval over seeds]")
    said += [f"lower is better: {', '.join(lower)}"] if lower else []
    return "; ".join([*said, *([table.legend] if table.legend else [])])


def _with_note(lines: list[str], note: str) -> str:
    return "\n".join([*lines, *(["", note] if note else [])])


def _table(table: SummaryTable) -> str:
    header = ["variant", "seeds", *table.measures]
    width = max((len(mark) for mark in table.marks.values()), default=0)
    rows = _rows(table, _Style("*%s", f" %-{width}s" if width else "%s", is_padded=True))
    return _with_note(grid.aligned(header, rows), _notes(table, "* best"))


def _markdown(table: SummaryTable) -> str:
    rows = grid.markdown(["variant", "seeds", *table.measures], _rows(table, _Style("**%s**", "<sup>%s</sup>")))
    return _with_note(rows, _notes(table, "best in bold"))


def _latex(table: SummaryTable) -> str:
    header = [grid.latex_text(cell) for cell in ["variant", "seeds", *table.measures]]
    rows = _rows(table, _Style(r"\textbf{%s}", "$^{%s}$", grid.latex_text))
    note = _notes(table, "best in bold")
    return "\n".join(grid.latex(header, rows) + ([rf"\par\footnotesize {grid.latex_text(note)}"] if note else []))


def _csv(table: SummaryTable) -> str:
    """For programs: full precision, one line for each variant and measure."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["variant", "seeds", "measure", "mean", "low", "high", "mark"])
    for summary in table.summaries:
        for measure, mean in summary.means.items():
            ends = summary.intervals.get(measure, (math.nan, math.nan))
            mark = table.marks.get((summary.variant, measure), "")
            writer.writerow([summary.variant, summary.seeds, measure, *map(csv_number, (mean, *ends)), mark])
    return out.getvalue().rstrip("\n")


def _json(table: SummaryTable) -> str:
    variants = [
        {
            "variant": summary.variant,
            **summary.to_dict(),
            "marks": {m: table.marks[key] for m in summary.means if (key := (summary.variant, m)) in table.marks},
        }
        for summary in table.summaries
    ]
    content = {"variants": variants, "lower_is_better": sorted(table.lower_is_better), "legend": table.legend}
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()


_FORMATS: dict[str, Callable[[SummaryTable], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
