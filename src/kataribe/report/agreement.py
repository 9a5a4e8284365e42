"""Agreement with people as text: to read, to paste in a paper, to process.

Metrics carry letters; a metric with the letters of others behind its value agrees significantly better with people
than they do. The best metric of each column is bold.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator

import msgspec

from kataribe.core import grid
from kataribe.core.errors import UsageError, nearest
from kataribe.core.unit import shown
from kataribe.people.result import Agreement, Dimension, Standing
from kataribe.report.comparison import UNDEFINED, csv_number, interval_text, letter, number, short_p
from kataribe.report.examples import example_lines, example_markdown
from kataribe.report.fitted import fit_latex, fit_lines, fit_markdown, fit_values
from kataribe.stats.choices import MEASURES, Measure, Ties

_TIES: dict[Ties, str] = {
    "half": "tied metrics count half",
    "wrong": "tied metrics count as wrong",
    "drop": "tied metrics are dropped",
    "exact": "all of them, a tie is right where both sides tie",
}

# How one cell looks in a format: value, whether it is the best of its column, the letters behind it.
Mark = Callable[[str, bool, str], str]


def render_agreement(agreement: Agreement, format: str = "table") -> str:
    check_format(format)
    return _FORMATS[format](agreement)


def check_format(format: str) -> None:
    if format not in _FORMATS:
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, _FORMATS))


def legend(agreement: Agreement, dimension: Dimension) -> str:
    options = agreement.options
    against = "each judgement" if options.against == "each" else "the mean judgement of a text"
    pooled = "averaged over items" if dimension.per_item else "over all texts"
    text = f"times 100; correlations with {against}, {pooled}; accuracy: {dimension.pairs}, {_TIES[options.ties]}"
    if agreement.lower_is_better:
        text += f"; lower is better, so read upside down: {', '.join(agreement.lower_is_better)}"
    if options.bootstrap:
        correction = f"{options.correction} correction" if options.correction != "none" else "not corrected"
        text += (
            f"; {options.bootstrap:,} draws of items; letters: significantly better than these metrics by "
            f"{dimension.by} (paired permutation, two-sided, {correction}, p <= {options.alpha:g})"
        )
    return text


def counted(dimension: Dimension) -> str:
    """
    >>> counted(Dimension("d", "votes", "tau_b", True, "", 4, 2, 3, 6, {}, None, (), None, (), {}))
    '6 votes by 3 raters on 4 texts of 2 items'
    """
    raters = f"{dimension.raters:,} rater{'s' * (dimension.raters != 1)}"
    judged = f"{dimension.answers:,} {dimension.kind} by {raters}"
    return f"{judged} on {dimension.texts:,} texts of {dimension.items:,} items"


def markings(agreement: Agreement, dimension: Dimension, metric: str) -> str:
    """The letters of the metrics that this one agrees significantly better than."""
    letters = {name: letter(index) for index, name in enumerate(agreement.metrics)}
    separator = "," if len(letters) > 26 else ""
    return separator.join(letters[name] for name in dimension.beaten_by(metric, agreement.options.alpha))


def _percent(value: float) -> str:
    return number(shown(value, "fraction"), ".2f")


def _interval(standing: Standing, measure: Measure) -> str:
    if measure not in standing.intervals:
        return UNDEFINED
    low, high = standing.intervals[measure]
    return interval_text(shown(low, "fraction"), shown(high, "fraction"), ".2f")


def _order(by: Measure) -> list[Measure]:
    """The measure that is tested comes first, with its interval."""
    return [by, *(measure for measure in MEASURES if measure != by)]


def _header(first: str, by: Measure, with_interval: bool) -> list[str]:
    return [first, by, *["95% interval"] * with_interval, *_order(by)[1:]]


def _distinct(dimension: Dimension, name: str) -> str:
    return f"{dimension.distinct[name]:,}" if name in dimension.distinct else ""


def _texts(agreement: Agreement, dimension: Dimension, mark: Mark) -> tuple[list[str], grid.Rows]:
    """A row for each metric, and one for people."""
    by = dimension.by
    with_interval = bool(agreement.options.bootstrap)
    best = {measure: _best(dimension, measure) for measure in MEASURES}
    rows: grid.Rows = []
    for index, (metric, standing) in enumerate(dimension.metrics.items()):
        cells = {
            measure: mark(
                _percent(standing.values[measure]),
                _percent(standing.values[measure]) == best[measure],
                markings(agreement, dimension, metric) if measure == by else "",
            )
            for measure in MEASURES
        }
        interval = [_interval(standing, by)] * with_interval
        others = [cells[measure] for measure in _order(by)[1:]]
        rows.append([f"{letter(index)}  {metric}", cells[by], *interval, *others, _distinct(dimension, metric)])
    if dimension.people:
        people = dimension.people
        cells = {measure: mark(_percent(people.values[measure]), False, "") for measure in MEASURES}
        interval = [_interval(people, by)] * with_interval
        others = [cells[measure] for measure in _order(by)[1:]]
        rows.append(["   people", cells[by], *interval, *others, _distinct(dimension, "people")])
    return [*_header("metric", by, with_interval), "distinct"], rows


def _glance(agreement: Agreement) -> tuple[list[str], grid.Rows]:
    """Metrics by dimension, as papers print them: the measure that is tested."""
    dimensions = agreement.dimensions.values()
    rows = [
        [metric, *(_percent(dimension.metrics[metric].values[dimension.by]) for dimension in dimensions)]
        for metric in agreement.metrics
    ]
    people = [dimension.people for dimension in dimensions]
    if any(people):
        cells = (
            _percent(ceiling.values[dimension.by]) if ceiling else ""
            for dimension, ceiling in zip(dimensions, people, strict=True)
        )
        rows.append(["people", *cells])
    return ["metric", *(dimension.name for dimension in dimensions)], rows


def _tested(agreement: Agreement) -> str:
    return " and ".join(dict.fromkeys(dimension.by for dimension in agreement.dimensions.values()))


def _best(dimension: Dimension, measure: Measure) -> str:
    values = [standing.values[measure] for standing in dimension.metrics.values()]
    known = [value for value in values if not math.isnan(value)]
    return _percent(max(known)) if len(known) > 1 else ""


def _systems(dimension: Dimension, agreement: Agreement) -> tuple[list[str], grid.Rows]:
    """System by system: how each metric agrees, on all measures."""
    if dimension.systems is None:
        return [], []
    by, with_interval = dimension.by, bool(agreement.options.bootstrap)
    rows = [
        [metric, _percent(standing.values[by])]
        + [_interval(standing, by)] * with_interval
        + [_percent(standing.values[measure]) for measure in _order(by)[1:]]
        for metric, standing in dimension.systems.metrics.items()
    ]
    return _header("metric", by, with_interval), rows


def _system_scores(dimension: Dimension, agreement: Agreement) -> tuple[list[str], grid.Rows]:
    """What people and metrics say of each system, in the order of people."""
    if dimension.systems is None:
        return [], []
    systems = dimension.systems
    order = sorted(range(len(systems.systems)), key=lambda index: -systems.people[index])
    by_people = (lambda value: number(value, ".3f")) if dimension.kind == "ratings" else _percent
    columns = [shown(column, agreement.units[metric]) for metric, column in systems.scores.items()]
    rows = [
        [systems.systems[index], by_people(float(systems.people[index]))]
        + [number(float(column[index]), ".2f") for column in columns]
        for index in order
    ]
    return [
        "system",
        {"ratings": "people", "rankings": "placing", "votes": "win rate"}[dimension.kind],
        *systems.scores,
    ], rows


def _preferences(dimension: Dimension) -> tuple[list[str], grid.Rows]:
    """Of votes: for which share of the items, and of the votes, each of two systems is preferred."""
    rows: grid.Rows = []
    for each in dimension.preferences:
        for unit, counts in (("majority of an item", each.items), ("votes", each.votes)):
            shares = [f"{100 * count / max(sum(counts), 1):.1f}% ({count:,})" for count in counts]
            rows.append([f"{each.one}, {each.other}: {unit}", *shares])
    return ["preferred by", "first", "second", "neither"], rows


_TEST_HEADER = ["test", "difference", "95% interval", "p", "p corrected", "p bootstrap", "p Williams"]


def _tests(dimension: Dimension) -> grid.Rows:
    return [
        [
            f"{test.one} - {test.other}",
            number(shown(test.difference, "fraction")),
            interval_text(shown(test.interval[0], "fraction"), shown(test.interval[1], "fraction")),
            *(short_p(p) for p in (test.permutation, test.corrected, test.bootstrap, test.williams)),
        ]
        for test in dimension.tests
    ]


def _table(agreement: Agreement) -> str:
    lines: list[str] = []
    for dimension in agreement.dimensions.values():
        width = max((len(markings(agreement, dimension, metric)) for metric in dimension.metrics), default=0)
        by = dimension.by

        def mark(value: str, best: bool, letters: str, width: int = width) -> str:
            return f"{'*' if best else ''}{value}" + (f" {letters:<{width}}" if letters else "")

        header, rows = _texts(agreement, dimension, mark)
        for row in rows:  # values of the tested measure stand below each other, letters or not
            value, _, letters = row[1].partition(" ")
            row[1] = f"{value} {letters:<{width}}" if width else value
        lines += [f"{dimension.name}: {counted(dimension)}", "", *grid.aligned(header, rows), ""]
        if dimension.tests:
            lines += [f"differences in {by}", "", *grid.aligned(_TEST_HEADER, _tests(dimension)), ""]
        if dimension.preferences:
            lines += ["what people prefer", "", *grid.aligned(*_preferences(dimension)), ""]
        if dimension.systems:
            lines += ["system by system", "", *grid.aligned(*_systems(dimension, agreement)), ""]
            lines += [*grid.aligned(*_system_scores(dimension, agreement)), ""]
        lines += example_lines(dimension, agreement.units)
    if len(agreement.dimensions) > 1:
        lines += [f"{_tested(agreement)} on all dimensions", "", *grid.aligned(*_glance(agreement)), ""]
    lines += fit_lines(agreement.fit) if agreement.fit else []
    # One legend, unless dimensions were read differently.
    lines += [
        f"* best; {note}\n" for note in dict.fromkeys(legend(agreement, d) for d in agreement.dimensions.values())
    ]
    coverage = agreement.coverage
    lines.append(f"{coverage.both:,} texts of {coverage.judged:,} judged and {coverage.scored:,} scored")
    return "\n".join([*lines, *signatures(agreement)])


def signatures(agreement: Agreement) -> list[str]:
    fitted = [agreement.fit.signature] if agreement.fit else []
    return [agreement.signature, *fitted, *agreement.signatures.values()]


def _markdown(agreement: Agreement) -> str:
    def mark(value: str, best: bool, letters: str) -> str:
        return (f"**{value}**" if best else value) + (f"<sup>{letters}</sup>" if letters else "")

    lines: list[str] = []
    for dimension in agreement.dimensions.values():
        lines += [f"**{dimension.name}**: {counted(dimension)}", ""]
        lines += [*grid.markdown(*_texts(agreement, dimension, mark)), "", legend(agreement, dimension), ""]
        if dimension.tests:
            lines += [*grid.markdown(_TEST_HEADER, _tests(dimension)), ""]
        if dimension.preferences:
            lines += ["What people prefer:", "", *grid.markdown(*_preferences(dimension)), ""]
        if dimension.systems:
            lines += ["System by system:", "", *grid.markdown(*_systems(dimension, agreement)), ""]
            lines += [*grid.markdown(*_system_scores(dimension, agreement)), ""]
        lines += example_markdown(dimension, agreement.units)
    if len(agreement.dimensions) > 1:
        lines += [f"{_tested(agreement)} on all dimensions:", "", *grid.markdown(*_glance(agreement)), ""]
    lines += fit_markdown(agreement.fit) if agreement.fit else []
    return "\n".join([*lines, *(f"`{signature}`  " for signature in signatures(agreement))]).rstrip("\n")


def _latex(agreement: Agreement) -> str:
    def mark(value: str, best: bool, letters: str) -> str:
        return (rf"\textbf{{{value}}}" if best else value) + (f"$^{{{letters}}}$" if letters else "")

    lines = [f"% {signature}" for signature in signatures(agreement)]
    for dimension in agreement.dimensions.values():
        header, rows = _texts(agreement, dimension, mark)
        for row in rows:
            tag, _, name = row[0].partition("  ")
            row[0] = f"$^{{{tag}}}$ {grid.latex_text(name)}" if tag else grid.latex_text(name)
        lines.append(rf"\par {grid.latex_text(f'{dimension.name}: {counted(dimension)}')}\par")
        lines += grid.latex([grid.latex_text(cell) for cell in header], rows)
        note = grid.latex_text(legend(agreement, dimension)).replace("<=", r"$\leq$")
        lines.append(rf"\par\footnotesize {note}")
    lines += fit_latex(agreement.fit) if agreement.fit else []
    return "\n".join(lines)


def _csv(agreement: Agreement) -> str:
    """For programs: fractions at full precision, one line per value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["dimension", "level", "metric", "measure", "value", "low", "high", "signature"])
    for dimension in agreement.dimensions.values():
        for level, name, standing in _standings(dimension):
            for measure, value in standing.values.items():
                low, high = standing.intervals.get(measure, ("", ""))
                signature = agreement.signatures.get(name, "")
                writer.writerow([dimension.name, level, name, measure, csv_number(value), low, high, signature])
            if level == "text" and name in dimension.distinct:
                cells = [dimension.name, level, name, "distinct", dimension.distinct[name], "", ""]
                writer.writerow([*cells, agreement.signatures.get(name, "")])
    if agreement.fit:
        for name, of, what, value, interval in fit_values(agreement.fit):
            ends = interval or ("", "")
            writer.writerow([name, "fit", of, what, csv_number(value), *ends, agreement.fit.signature])
    return out.getvalue().rstrip("\n")


def _standings(dimension: Dimension) -> Iterator[tuple[str, str, Standing]]:
    for metric, standing in dimension.metrics.items():
        yield "text", metric, standing
    if dimension.people:
        yield "text", "people", dimension.people
    if dimension.systems:
        for metric, standing in dimension.systems.metrics.items():
            yield "system", metric, standing


def _json(agreement: Agreement) -> str:
    return msgspec.json.format(msgspec.json.encode(agreement.to_dict()), indent=2).decode()


_FORMATS: dict[str, Callable[[Agreement], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
