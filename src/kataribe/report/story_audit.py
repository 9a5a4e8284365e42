"""An audit of story metrics as text and as pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kataribe.audit.result import StoryAttack, StoryAudit
from kataribe.core.unit import shown
from kataribe.report.pictures import PALETTE, grouped_bars, new_figure, to_image

# The parts that say in which direction a metric was moved; those of other metrics are in the JSON.
_PARTS = ("precision", "recall")


def table(audit: StoryAudit) -> str:
    header, rows = _rows(audit)
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = zip(cells, widths, strict=True)
        return "  ".join(cell.ljust(n) if column < 2 else cell.rjust(n) for column, (cell, n) in enumerate(padded))

    lines = [line(header), "  ".join("-" * width for width in widths), *map(line, rows)]
    return "\n".join([*(text.rstrip() for text in lines), "", *_below(audit)])


def markdown(audit: StoryAudit) -> str:
    header, rows = _rows(audit)
    lines = [header, ["---"] * 2 + ["---:"] * (len(header) - 2), *rows]
    text = ["| " + " | ".join(cells) + " |" for cells in lines]
    return "\n".join([*text, "", *(f"- {note}" for note in _below(audit) if note)])


FORMATS: Mapping[str, Callable[[StoryAudit], str]] = {"table": table, "markdown": markdown}


def pictures(audit: StoryAudit) -> dict[str, Callable[[str], bytes]]:
    """By name, what draws each picture in a given format (png or svg)."""
    return {
        "share": lambda format: to_image(_share(audit), format),
        "attacks": lambda format: to_image(_attacks(audit), format),
    }


def _rows(audit: StoryAudit) -> tuple[list[str], list[list[str]]]:
    """A row for each setting; of each metric the value and, of SODA and localisation, precision and recall."""
    columns = [(metric, part) for metric in audit.metrics for part in (None, *_shown_parts(audit, metric))]
    header = ["attack", "setting", "captions/refs", "made"]
    header += [metric if part is None else part[0].upper() for metric, part in columns]
    rows = []
    for outcome in audit.outcomes:
        values = [f"{shown(_value(outcome, metric, part), audit.units[metric]):.2f}" for metric, part in columns]
        made = f"{outcome.made:.0%}" if outcome.made else ""
        rows.append([outcome.attack, outcome.setting, f"{outcome.ratio:.2f}", made, *values])
    return header, rows


def _shown_parts(audit: StoryAudit, metric: str) -> list[str]:
    parts = audit.submitted.scores[metric].parts
    return list(_PARTS) if set(_PARTS) <= set(parts) and metric.startswith(("soda", "localisation")) else []


def _value(outcome: StoryAttack, metric: str, part: str | None) -> float:
    score = outcome.scores[metric]
    return score.value if part is None else score.parts[part]


def _below(audit: StoryAudit) -> list[str]:
    size = f"{audit.videos:,} videos, {audit.captions:,} captions; {audit.draws} draws, seed {audit.seed}"
    verdicts = [audit.verdict(metric) for metric in audit.metrics]
    return [f"{size}; scores x 100", *audit.notes, "", *verdicts, "", *audit.signatures.values()]


def _share(audit: StoryAudit) -> Any:
    """Every metric against the number of captions, and what precision and recall do meanwhile."""
    shares = sorted(audit.of("share"), key=lambda outcome: outcome.ratio)
    ratios = [outcome.ratio for outcome in shares]
    figure = new_figure(11, 3.8)
    together, *each = (figure.add_subplot(1, 3, column) for column in (1, 2, 3))
    for metric, colour in zip(audit.metrics, _colours(audit), strict=True):
        values = [outcome.scores[metric].value for outcome in shares]
        top = max(values) or 1.0
        together.plot(ratios, [value / top for value in values], marker="o", color=colour, label=metric)
    together.set(title="Share of its own highest value", ylim=(0, 1.05))
    for axes, metric in zip(each, [m for m in audit.metrics if _shown_parts(audit, m)], strict=False):
        for part, colour in zip((None, *_PARTS), ("#444444", "#d1495b", "#30638e"), strict=True):
            values = [shown(_value(outcome, metric, part), audit.units[metric]) for outcome in shares]
            axes.plot(ratios, values, marker="o", color=colour, label=part or "F1")
        axes.set(title=metric, ylim=(0, None))
    for axes in figure.axes:
        if not axes.lines:
            axes.set_axis_off()
            continue
        axes.set_xscale("log")
        axes.set_xlabel("captions for each reference caption")
        axes.grid(alpha=0.25)
        axes.legend(fontsize=8)
    return figure


def _attacks(audit: StoryAudit) -> Any:
    """For every other attack a group of bars: what it makes of each metric, relative to no attack."""
    attacked = [outcome for outcome in audit.outcomes if outcome.attack != "share" and outcome is not audit.correct]
    heights = {
        metric: [shown(audit.change(outcome, metric) or 0.0, "fraction") for outcome in attacked]
        for metric in audit.metrics
    }
    return grouped_bars(
        [f"{outcome.attack}\n{outcome.setting}" for outcome in attacked], heights, "change of the score, %"
    )


def _colours(audit: StoryAudit) -> list[str]:
    return [PALETTE[index % len(PALETTE)] for index in range(len(audit.metrics))]
