"""A comparison as text: to read, to paste in a paper, to process.

Systems carry letters; a score with the letters of other systems behind it is significantly better than theirs. The
best score of each metric is bold. Every format carries the warnings; a comparison that was forced says so first.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from string import ascii_lowercase

import msgspec

from kataribe.core import grid
from kataribe.core.comparison import Comparison
from kataribe.core.errors import UsageError, counted, nearest
from kataribe.core.paired_rows import PairedTest
from kataribe.core.unit import Unit, shown

UNDEFINED = "undefined"


def render_comparison(comparison: Comparison, format: str = "table") -> str:
    check_format(format)
    return _FORMATS[format](comparison)


def check_format(format: str) -> None:
    if format not in _FORMATS:
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, _FORMATS))


def letter(number: int) -> str:
    """
    >>> letter(0), letter(25), letter(26)
    ('a', 'z', 'aa')
    """
    if number < len(ascii_lowercase):
        return ascii_lowercase[number]
    return letter(number // len(ascii_lowercase) - 1) + letter(number % len(ascii_lowercase))


def legend(comparison: Comparison) -> str:
    options = comparison.options
    exact = all(test.is_exact for test in comparison.tests)
    draws = "all swaps" if exact else f"{options.replicates:,} swaps"
    lower = f"; lower is better: {', '.join(comparison.lower_is_better)}" if comparison.lower_is_better else ""
    corrected = f", {_CORRECTION_NAMES[options.correction]}" if options.correction != "none" else ", not corrected"
    items = counted(comparison.items, comparison.drawn)
    tests = sum(not math.isnan(test.permutation) for test in comparison.tests)
    return (
        "best in bold; letters: significantly better than these systems "
        f"(paired permutation over {items}, {draws}, two-sided{corrected} "
        f"over {tests} test{'s' * (tests != 1)}, p <= {options.alpha:g}){lower}"
    )


def markings(comparison: Comparison, system: str, metric: str) -> str:
    """The letters of the systems that this one is significantly better than."""
    letters = {name: letter(index) for index, name in enumerate(comparison.systems)}
    separator = "," if len(letters) > len(ascii_lowercase) else ""
    return separator.join(letters[name] for name in comparison.systems if name in comparison.beaten_by(system, metric))


def is_best(comparison: Comparison, system: str, metric: str) -> bool:
    values, unit = comparison.scores[metric], comparison.units[metric]
    known = [value for value in values.values() if not math.isnan(value)]
    if not known or math.isnan(values[system]):
        return False
    best = min(known) if metric in comparison.lower_is_better else max(known)
    return f"{shown(values[system], unit):.2f}" == f"{shown(best, unit):.2f}"


def number(value: float, form: str = "+.2f") -> str:
    """
    >>> number(0.5), number(float("nan")), number(float("inf"))
    ('+0.50', 'undefined', '+inf')
    """
    return UNDEFINED if math.isnan(value) else format(value, form)


def interval_text(low: float, high: float, form: str = "+.2f") -> str:
    """
    >>> interval_text(-1.0, 2.5), interval_text(float("nan"), 1.0)
    ('-1.00 to +2.50', 'undefined')
    """
    return UNDEFINED if math.isnan(low) or math.isnan(high) else f"{low:{form}} to {high:{form}}"


def _scores(comparison: Comparison, mark: Callable[[str, bool, str], str], name: Callable[[str], str]) -> grid.Rows:
    """A row for each system, a column for each metric; `mark` writes value, best and letters."""
    return [
        [name(f"{letter(index)}  {system}")]
        + [
            mark(
                number(shown(values[system], comparison.units[metric]), ".2f"),
                is_best(comparison, system, metric),
                markings(comparison, system, metric),
            )
            for metric, values in comparison.scores.items()
        ]
        for index, system in enumerate(comparison.systems)
    ]


_TEST_HEADER = ["test", "difference", "95% interval", "p", "p corrected", "p bootstrap", "effect", "wins/ties/losses"]


def _test_rows(comparison: Comparison) -> grid.Rows:
    return [_test_row(test, comparison.units[test.metric]) for test in comparison.tests]


def _test_row(test: PairedTest, unit: Unit) -> list[str]:
    low, high = test.interval
    return [
        f"{test.metric}: {test.one} - {test.other}",
        number(shown(test.difference, unit)),
        interval_text(shown(low, unit), shown(high, unit)),
        short_p(test.permutation),
        short_p(test.corrected),
        short_p(test.bootstrap),
        number(test.effect),
        "/".join(map(str, test.outcomes)),
    ]


def short_p(p: float) -> str:
    """
    >>> short_p(0.0312), short_p(0.00002), short_p(float("nan"))
    ('0.031', '<0.001', 'undefined')
    """
    return "<0.001" if p < 0.001 else number(p, ".3f")


def remarks(comparison: Comparison) -> list[str]:
    """What a reader should know, the worst first."""
    others = [warning for warning in comparison.warnings if warning not in comparison.forced]
    return [*(f"FORCED, {reason}" for reason in comparison.forced), *map(str, others)]


def _table(comparison: Comparison) -> str:
    def mark(value: str, best: bool, letters: str) -> str:
        return f"{'*' if best else ''}{value} {letters:<{width}}"

    width = max(len(markings(comparison, s, m)) for s in comparison.systems for m in comparison.scores)
    scores = grid.aligned(["system", *comparison.scores], _scores(comparison, mark, str))
    tests = grid.aligned(_TEST_HEADER, _test_rows(comparison))
    remarked = remarks(comparison)
    parts = [*remarked, *([""] if remarked else []), *scores, "", *tests, ""]
    note = legend(comparison).replace("best in bold", "* best")
    return "\n".join([*parts, note, *comparison.signatures.values()])


def _markdown(comparison: Comparison) -> str:
    def mark(value: str, best: bool, letters: str) -> str:
        return (f"**{value}**" if best else value) + (f"<sup>{letters}</sup>" if letters else "")

    return "\n".join(
        [
            *(f"> **{remark}**\n" for remark in remarks(comparison)),
            *grid.markdown(["system", *comparison.scores], _scores(comparison, mark, str)),
            "",
            legend(comparison),
            "",
            *grid.markdown(_TEST_HEADER, _test_rows(comparison)),
            "",
            *(f"`{signature}`  " for signature in comparison.signatures.values()),
        ]
    )


def _latex(comparison: Comparison) -> str:
    def mark(value: str, best: bool, letters: str) -> str:
        return (rf"\textbf{{{value}}}" if best else value) + (f"$^{{{letters}}}$" if letters else "")

    def name(text: str) -> str:
        tag, _, system = text.partition("  ")
        return f"$^{{{tag}}}$ {grid.latex_text(system)}"

    header = [grid.latex_text(cell) for cell in ["system", *comparison.scores]]
    note = legend(comparison).replace("<=", r"$\leq$")
    remarked = [grid.latex_text(remark) for remark in remarks(comparison)]
    return "\n".join(
        [
            *(f"% {signature}" for signature in comparison.signatures.values()),
            *grid.latex(header, _scores(comparison, mark, name)),
            *(rf"\par\textbf{{{remark}}}" for remark in remarked),
            rf"\par\footnotesize {note}",
        ]
    )


def _csv(comparison: Comparison) -> str:
    """For programs: fractions at full precision, one line per test."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "metric",
            "one",
            "other",
            "one_value",
            "other_value",
            "difference",
            "low",
            "high",
            "p_permutation",
            "p_corrected",
            "p_bootstrap",
            "effect",
            "wins",
            "ties",
            "losses",
            "significant",
            "forced",
            "warnings",
        ]
    )
    warnings = "; ".join(warning for warning in comparison.warnings if warning not in comparison.forced)
    for test in comparison.tests:
        values = comparison.scores[test.metric]
        numbers = [values[test.one], values[test.other], test.difference, *test.interval]
        numbers += [test.permutation, test.corrected, test.bootstrap, test.effect]
        writer.writerow(
            [test.metric, test.one, test.other]
            + [csv_number(number) for number in numbers]
            + [*test.outcomes, str(comparison.is_significant(test)).lower(), "; ".join(comparison.forced), warnings]
        )
    return out.getvalue().rstrip("\n")


def csv_number(value: float) -> str:
    """At full precision; an empty cell where it is not defined."""
    return "" if math.isnan(value) else repr(float(value))


def _json(comparison: Comparison) -> str:
    return msgspec.json.format(msgspec.json.encode(comparison.to_dict()), indent=2).decode()


_CORRECTION_NAMES = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}

_FORMATS: dict[str, Callable[[Comparison], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
