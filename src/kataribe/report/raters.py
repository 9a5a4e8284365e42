"""How raters agree, as text."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

import kataribe
from kataribe.core import grid
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError, nearest
from kataribe.people.result import RaterAgreement, RaterReport
from kataribe.report.comparison import number, short_p

Agreements = Mapping[str, RaterAgreement]

# Of more raters than this, a table of every pair says nothing any more; the JSON has it.
MOST_IN_MATRIX = 12

_HEADER = ["rater", "answers", "shared", "offset", "error", "spread", "commonest"]
_HEADER += ["with others", "p corrected", "verdict"]


def render_raters(agreements: Agreements, format: str = "table", warnings: Sequence[Caution] = ()) -> str:
    """Of the formats JSON alone keeps the warnings; others are read beside them."""
    check_format(format)
    return _json(agreements, warnings) if format == "json" else _FORMATS[format](agreements)


def check_format(format: str) -> None:
    if format not in (*_FORMATS, "json"):
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, [*_FORMATS, "json"]))


def _plain(value: float, form: str = ".3f") -> str:
    return number(value, form)


def _row(rater: RaterReport, with_side: bool) -> list[str]:
    habits, screening = rater.habits, rater.screening
    row = [
        rater.rater,
        f"{habits.answers:,}",
        f"{habits.shared:,}",
        _plain(habits.offset, "+.3f"),
        _plain(habits.error),
        _plain(habits.spread, ".2f"),
        f"{habits.commonest:.0%}",
        _plain(screening.agreement),
        short_p(screening.corrected),
        screening.verdict,
    ]
    if with_side:
        row += [f"{rater.side[0]:.0%}", short_p(rater.side[1])] if rater.side else ["-", "-"]
    return row


def _raters(found: RaterAgreement) -> tuple[list[str], grid.Rows]:
    with_side = found.kind == "votes"
    return [*_HEADER, *["for a", "p of a"] * with_side], [_row(rater, with_side) for rater in found.raters]


def _kappas(found: RaterAgreement) -> tuple[list[str], grid.Rows]:
    """Above the diagonal kappa as it is, below it the weighted one."""
    names = [rater.rater for rater in found.raters]
    rows = []
    for i, name in enumerate(names):
        cells = [found.kappa if i < j else found.weighted_kappa for j in range(len(names))]
        rows.append([name, *("" if i == j else _plain(float(cells[j][i, j])) for j in range(len(names)))])
    return ["kappa", *names], rows


def _summary(found: RaterAgreement) -> str:
    alphas = ", ".join(f"{level} {_plain(value)}" for level, value in found.alpha.items())
    return f"Krippendorff's alpha: {alphas}"


def _lines(found: RaterAgreement, table: Callable[[list[str], grid.Rows], list[str]]) -> list[str]:
    raters = f"{len(found.raters):,} raters" if len(found.raters) != 1 else "1 rater"
    counted = f"{found.dimension}: {found.answers:,} {found.kind} by {raters} on {found.units:,} units"
    weighted = f"quadratically weighted {_plain(found.mean_weighted_kappa)}"
    mean = f"mean of pairs: kappa {_plain(found.mean_kappa)}, {weighted}"
    lines = [counted, "", f"{_summary(found)}; {mean}", "", *table(*_raters(found)), ""]
    if 1 < len(found.raters) <= MOST_IN_MATRIX:
        lines += [*table(*_kappas(found)), "", "kappa above the diagonal, quadratically weighted below it", ""]
    flagged = found.flagged
    if flagged:
        listed = ", ".join(f"{rater.rater} ({rater.screening.verdict})" for rater in flagged)
        lines += [f"to look at: {listed}", ""]
    return lines


def _table(agreements: Agreements) -> str:
    lines = [line for found in agreements.values() for line in _lines(found, grid.aligned)]
    return "\n".join(lines).rstrip("\n")


def _markdown(agreements: Agreements) -> str:
    lines = [line for found in agreements.values() for line in _lines(found, grid.markdown)]
    return "\n".join(lines).rstrip("\n")


def _csv(agreements: Agreements) -> str:
    """For programs: a line for each rater and dimension, at full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    numbers = ["answers", "shared", "offset", "error", "spread", "lowest", "highest", "commonest"]
    screening = ["agreement", "needed", "p", "corrected", "verdict"]
    writer.writerow(["dimension", "rater", *numbers, "ceiling", *screening])
    for found in agreements.values():
        for rater in found.raters:
            writer.writerow(
                [found.dimension, rater.rater]
                + [_cell(getattr(rater.habits, name)) for name in numbers]
                + [_cell(rater.ceiling)]
                + [_cell(getattr(rater.screening, name)) for name in screening]
            )
    return out.getvalue().rstrip("\n")


def _cell(value: float | str) -> float | str:
    """Empty where it is not defined."""
    return "" if isinstance(value, float) and math.isnan(value) else value


def _json(agreements: Agreements, warnings: Sequence[Caution]) -> str:
    data = {
        "kataribe": kataribe.__version__,
        "task": "raters",
        "dimensions": {name: found.to_dict() for name, found in agreements.items()},
        "warnings": [warning.to_dict() for warning in warnings],
    }
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode()


_FORMATS: dict[str, Callable[[Agreements], str]] = {
    "table": _table,
    "csv": _csv,
    "markdown": _markdown,
}
