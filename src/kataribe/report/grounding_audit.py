"""An audit of grounding metrics as text and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kataribe.audit.result import BLIND, GroundingAudit
from kataribe.core import grid
from kataribe.core.unit import shown_text
from kataribe.report.pictures import PALETTE, new_figure, to_image


def _rows(audit: GroundingAudit) -> tuple[list[str], grid.Rows]:
    header = ["player", "guesses", *audit.measures]
    rows: grid.Rows = [
        [player.name, str(player.guesses or ""), *(shown_text(value, "fraction") for value in player.measures.values())]
        for player in audit.players
    ]
    return header, rows


def _said(audit: GroundingAudit) -> list[str]:
    counted = f"{audit.queries:,} queries of {audit.videos:,} videos, {audit.train_spans:,} training spans"
    spans = ", ".join(
        f"{start:g} to {end:g} at IoU {at}" for at, found in audit.best_guesses.items() for start, end in found[:1]
    )
    return [
        f"{counted}; protocol {audit.protocol}, {audit.trials} draws, seed {audit.seed}",
        f"best first guess, as shares of the video: {spans}",
        *map(audit.verdict, audit.systems),
    ]


def table(audit: GroundingAudit) -> str:
    return "\n".join([*grid.aligned(*_rows(audit)), "", *_said(audit)])


def markdown(audit: GroundingAudit) -> str:
    return "\n".join([*grid.markdown(*_rows(audit)), "", *(f"{line}  " for line in _said(audit))])


FORMATS: Mapping[str, Callable[[GroundingAudit], str]] = {"table": table, "markdown": markdown}


def pictures(audit: GroundingAudit) -> dict[str, Callable[[str], bytes]]:
    """By name, what draws each picture in a given format (png or svg)."""
    return {"recall_by_guesses": lambda format: to_image(_recall_by_guesses(audit), format)}


def _recall_by_guesses(audit: GroundingAudit) -> Any:
    """Recall against the number of guesses at each IoU; people, who mark one span, are level lines."""
    measures = [measure for measure in audit.measures if measure.startswith("IoU")]
    figure = new_figure(12, 3.4)
    names = list(dict.fromkeys(player.name for player in audit.players))
    colours = {name: PALETTE[index % len(PALETTE)] for index, name in enumerate(names)}
    for column, measure in enumerate(measures, start=1):
        axes = figure.add_subplot(1, len(measures), column)
        for name in names:
            players = audit.of(name)
            if len(players) == 1:
                axes.axhline(players[0].measures[measure], color=colours[name], linestyle="--", label=name)
            else:
                style = ":" if name in BLIND else "-"
                points = [player.guesses for player in players], [player.measures[measure] for player in players]
                axes.plot(*points, style, marker="o", markersize=4, color=colours[name], label=name)
        axes.set(title=f"R@n, {measure}", xlabel="guesses, n", ylim=(0, 1.02))
        axes.grid(alpha=0.25)
    figure.axes[0].legend(fontsize=8)
    return figure
