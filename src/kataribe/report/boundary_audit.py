"""An audit of boundary metrics as text and as pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kataribe.audit.result import BoundaryAudit
from kataribe.report.pictures import new_figure, to_image

COLUMNS = (
    "f1_max",
    "precision_max",
    "recall_max",
    "f1_confident",
    "frame_ap",
    "boundary_ap",
    "boundary_kappa",
    "bias",
    "informedness",
    "markedness",
    "pk",
    "window_diff",
    "chance_f1",
)
_COLOURS = {"human": "#444444", "uniform": "#d1495b", "random": "#30638e"}
_SYSTEM_COLOURS = ("#edae49", "#00798c", "#8f5fbf", "#5a9e4b")


def table(audit: BoundaryAudit) -> str:
    """One line for each player and number of boundaries; fractions."""
    header = ["player", "M", *COLUMNS]
    rows = [
        [player.name, str(player.count or ""), *(f"{player.measures[name]:.3f}" for name in COLUMNS)]
        for player in audit.players
    ]
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in [header, *rows])
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    trials = audit.trials
    draws = f"{trials.counts} draws of random (average precision {trials.rankings}, chance_f1 {trials.chance})"
    note = (
        f"{audit.videos:,} videos, protocol {audit.protocol}, tolerance {audit.tolerance}, {draws}, seed {audit.seed}"
    )
    return "\n".join([*lines, "", note])


def pictures(audit: BoundaryAudit) -> dict[str, Callable[[str], bytes]]:
    """By name, what draws each picture in a given format (png or svg)."""
    return {
        "f1_by_count": lambda format: _render(_f1_by_count, audit, format),
        "pr_curves": lambda format: _render(_pr_curves, audit, format),
        "chance_by_count": lambda format: _render(_chance_by_count, audit, format),
        "prevalence_bias": lambda format: _render(_prevalence_and_bias, audit, format),
    }


def _render(draw: Callable[[BoundaryAudit], Any], audit: BoundaryAudit, format: str) -> bytes:
    return to_image(draw(audit), format)


def _by_count(axes: Any, audit: BoundaryAudit, measure: str) -> None:
    """A measure of the blind players against M, with level lines for people and systems."""
    for name, marker in (("uniform", "o"), ("random", "s")):
        players = audit.of(name)
        counts = [player.count for player in players]
        values = [player.measures[measure] for player in players]
        axes.plot(counts, values, marker=marker, markersize=3.5, color=_COLOURS[name], label=name.capitalize())
    for name, colour in _level_players(audit):
        axes.axhline(audit.of(name)[0].measures[measure], color=colour, linestyle="--", linewidth=1.2, label=name)
    axes.set_xticks(range(1, max(player.count or 0 for player in audit.players) + 1, 2))
    axes.set_xlabel("boundaries per video, M")
    axes.grid(alpha=0.25)


def _level_players(audit: BoundaryAudit) -> list[tuple[str, str]]:
    systems = [(name, _SYSTEM_COLOURS[index % len(_SYSTEM_COLOURS)]) for index, name in enumerate(audit.systems)]
    return [("human", _COLOURS["human"]), *systems]


def _f1_by_count(audit: BoundaryAudit) -> Any:
    figure = new_figure(11, 6)
    for row, annotator in enumerate(("max", "confident")):
        for column, (name, title) in enumerate((("recall", "Recall"), ("precision", "Precision"), ("f1", "F1"))):
            axes = figure.add_subplot(2, 3, row * 3 + column + 1)
            _by_count(axes, audit, f"{name}_{annotator}")
            axes.set_title(f"{title} ({annotator})")
            axes.set_ylim(0, 1)
    figure.axes[0].legend(fontsize=8)
    return figure


def _chance_by_count(audit: BoundaryAudit) -> Any:
    figure = new_figure(11, 3.6)
    for column, (measure, title) in enumerate(
        (("f1_max", "F1 (max)"), ("frame_ap", "Frame AP"), ("chance_f1", "Chance-corrected F1")), start=1
    ):
        axes = figure.add_subplot(1, 3, column)
        _by_count(axes, audit, measure)
        axes.set_title(title)
        axes.set_ylim(-0.15 if measure == "chance_f1" else 0, 1.05)
    figure.axes[0].legend(fontsize=8)
    return figure


def _pr_curves(audit: BoundaryAudit) -> Any:
    figure = new_figure(11, 3.6)
    everyone, uniform, random = (figure.add_subplot(1, 3, column) for column in (1, 2, 3))
    colours = dict(_level_players(audit))
    for curve in audit.curves:
        if curve.count is None:
            everyone.plot(curve.recall, curve.precision, color=colours[curve.player], label=curve.player)
        else:
            axes = uniform if curve.player == "uniform" else random
            axes.plot(curve.recall, curve.precision, label=f"M = {curve.count}", linewidth=1.2)
            if curve.count == 9:
                everyone.plot(
                    curve.recall, curve.precision, color=_COLOURS[curve.player], label=f"{curve.player.capitalize()} 9"
                )
    for axes, title in ((everyone, "Everyone"), (uniform, "Uniform"), (random, "Random")):
        axes.set(title=title, xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
        axes.grid(alpha=0.25)
        axes.legend(fontsize=8)
    return figure


def _prevalence_and_bias(audit: BoundaryAudit) -> Any:
    """The paper's figure 5: how much of each video true boundaries cover, and how much each player's."""
    figure = new_figure(11, 3.6)
    truth, players = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    truth.stairs(
        audit.histogram(audit.prevalence), audit.edges, fill=True, color="#d8a7ad", edgecolor=_COLOURS["uniform"]
    )
    truth.set(title="Prevalence of true boundaries", xlabel="share of frames near a true boundary", ylabel="videos")
    colours = {**dict(_level_players(audit)), **_COLOURS}
    for name, shares in audit.bias.items():
        colour = colours.get(name) or colours[name.partition(" ")[0]]
        players.stairs(audit.histogram(shares), audit.edges, color=colour, linewidth=1.6, label=name)
    players.set(title="Bias of each player", xlabel="share of frames near a predicted boundary", ylabel="videos")
    players.legend(fontsize=8)
    for axes in (truth, players):
        axes.set_xlim(0, 1)
        axes.grid(alpha=0.25)
    return figure
