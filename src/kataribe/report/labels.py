"""Labels that raters gave, as text: how often each, and whether raters agree."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping

import msgspec

import kataribe
from kataribe.core import grid
from kataribe.people.result import LabelAgreement
from kataribe.report.comparison import csv_number, interval_text, number
from kataribe.report.raters import check_format

Labels = Mapping[str, LabelAgreement]

_SHARE_HEADER = ["label", "answers", "majority of", "share", "95% interval"]
_RATER_HEADER = ["rater", "answers", "shared", "as most others"]


def render_labels(found: Labels, format: str = "table") -> str:
    """In the formats of `render_raters`."""
    check_format(format)
    return {"table": _table, "markdown": _markdown, "csv": _csv, "json": _json}[format](found)


def _lines(found: LabelAgreement, table: Callable[[list[str], grid.Rows], list[str]]) -> list[str]:
    raters = f"{len(found.raters):,} rater{'s' * (len(found.raters) != 1)}"
    agreement = (
        f"Krippendorff's alpha: nominal {number(found.alpha, '.3f')}; mean of pairs: kappa {number(found.kappa, '.3f')}"
    )
    shares = [
        [each.label, f"{each.answers:,}", f"{each.units:,}", f"{each.share:.1%}", _percents(each.interval)]
        for each in found.labels
    ]
    raters_rows = [
        [each.rater, f"{each.answers:,}", f"{each.shared:,}", number(each.agreement, ".3f")] for each in found.raters
    ]
    undecided = f"; without a majority: {found.undecided:,}" if found.undecided else ""
    return [
        f"{found.dimension}: {found.answers:,} labels by {raters} on {found.units:,} units{undecided}",
        "",
        *table(_SHARE_HEADER, shares),
        "",
        agreement,
        "",
        *table(_RATER_HEADER, raters_rows),
        "",
    ]


def _percents(interval: tuple[float, float]) -> str:
    low, high = interval
    return interval_text(100 * low, 100 * high, ".1f")


def _table(found: Labels) -> str:
    return "\n".join(line for each in found.values() for line in _lines(each, grid.aligned)).rstrip("\n")


def _markdown(found: Labels) -> str:
    return "\n".join(line for each in found.values() for line in _lines(each, grid.markdown)).rstrip("\n")


def _csv(found: Labels) -> str:
    """For programs: a line for each label, at full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["dimension", "label", "answers", "units", "share", "low", "high", "alpha", "kappa"])
    for each in found.values():
        for label in each.labels:
            cells = [each.dimension, label.label, label.answers, label.units, label.share, *label.interval]
            writer.writerow([*cells, csv_number(each.alpha), csv_number(each.kappa)])
    return out.getvalue().rstrip("\n")


def _json(found: Labels) -> str:
    data = {
        "kataribe": kataribe.__version__,
        "task": "raters",
        "dimensions": {name: each.to_dict() for name, each in found.items()},
        "warnings": [],
    }
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode()
