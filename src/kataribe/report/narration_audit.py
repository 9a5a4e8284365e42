"""An audit of narration metrics as text and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kataribe.audit.result import NarrationAudit
from kataribe.core import grid
from kataribe.core.unit import shown
from kataribe.report.pictures import grouped_bars, to_image

# CIDEr reaches 1,000 points; the others would not be seen beside it.
_MOST = 105.0


def table(audit: NarrationAudit) -> str:
    return "\n".join([*grid.aligned(*_rows(audit)), "", *_below(audit)])


def markdown(audit: NarrationAudit) -> str:
    return "\n".join([*grid.markdown(*_rows(audit)), "", *(f"- {line}" for line in _below(audit) if line)])


FORMATS: Mapping[str, Callable[[NarrationAudit], str]] = {"table": table, "markdown": markdown}


def pictures(audit: NarrationAudit) -> dict[str, Callable[[str], bytes]]:
    """By name, what draws each picture in a given format (png or svg)."""
    return {"narration_attacks": lambda format: to_image(_attacks(audit), format)}


def _rows(audit: NarrationAudit) -> tuple[list[str], grid.Rows]:
    """A row for each metric, a column for each attack."""
    rows = [["length"] + [f"{outcome.length:.2f}" for outcome in audit.outcomes]]
    for metric in audit.metrics:
        values = [shown(outcome.scores[metric].value, audit.units[metric]) for outcome in audit.outcomes]
        rows.append([metric] + [f"{value:.2f}" for value in values])
    return ["", *(outcome.attack for outcome in audit.outcomes)], rows


def _below(audit: NarrationAudit) -> list[str]:
    size = f"{audit.lines:,} lines of {audit.films:,} films; scores x 100"
    return [
        size,
        *audit.notes,
        "",
        *(_verdict(audit, metric) for metric in audit.metrics),
        "",
        *audit.signatures.values(),
    ]


def _verdict(audit: NarrationAudit, metric: str) -> str:
    """What each attack costs or gains, in points."""
    attacks = [outcome.attack for outcome in audit.attacked]
    changes = [f"{attack} {points:+.1f}" for attack, points in zip(attacks, _points(audit, metric), strict=True)]
    return f"{metric}: " + ", ".join(changes)


def _points(audit: NarrationAudit, metric: str) -> list[float]:
    return [shown(audit.change(outcome, metric), audit.units[metric]) for outcome in audit.attacked]


def _attacks(audit: NarrationAudit) -> Any:
    """For every attack a group of bars: how many points each metric gains or loses."""
    points = {metric: _points(audit, metric) for metric in audit.metrics}
    return grouped_bars([outcome.attack for outcome in audit.attacked], points, "points gained or lost", _MOST)
