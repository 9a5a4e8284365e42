"""Fitted weights of a mixture as text: the weights with their intervals, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterator

from kataribe.core import grid
from kataribe.core.unit import shown
from kataribe.people.result import Accuracy, FittedWeights, MixtureFit
from kataribe.report.comparison import UNDEFINED, interval_text, number

WEIGHT_HEADER = ["part", "published", "weight", "95% interval", "accuracy alone"]
ACCURACY_HEADER = ["weights", "accuracy", "95% interval"]


def weight_rows(fit: MixtureFit, dimension: FittedWeights) -> grid.Rows:
    total = sum(fit.published.values())
    return [
        [
            part,
            number(fit.published[part] / total, ".3f"),
            number(weight, ".3f"),
            interval_text(*dimension.intervals[part], ".3f") if part in dimension.intervals else UNDEFINED,
            number(shown(dimension.parts[part].value, "fraction"), ".2f"),
        ]
        for part, weight in dimension.weights.items()
    ]


def accuracy_rows(dimension: FittedWeights) -> grid.Rows:
    rows = {"fitted, held out": dimension.held_out, "published": dimension.published}
    found = [[name, _percent(accuracy, ".2f"), _interval(accuracy, ".2f")] for name, accuracy in rows.items()]
    return [*found, ["difference", _percent(dimension.difference, "+.2f"), _interval(dimension.difference, "+.2f")]]


def said(fit: MixtureFit, dimension: FittedWeights) -> str:
    data = f"{dimension.pairs:,} preferences on {dimension.items:,} items, held out in {dimension.folds} folds"
    return f"weights of {fit.mixture}, {dimension.dimension}: {data}"


def fit_lines(fit: MixtureFit) -> list[str]:
    """For the table."""
    lines: list[str] = []
    for dimension in fit.dimensions.values():
        lines += [said(fit, dimension), "", *grid.aligned(WEIGHT_HEADER, weight_rows(fit, dimension)), ""]
        lines += [*grid.aligned(ACCURACY_HEADER, accuracy_rows(dimension)), ""]
        lines += [f'-m "{dimension.spec}"', ""] if dimension.spec else []
    return lines


def fit_markdown(fit: MixtureFit) -> list[str]:
    lines: list[str] = []
    for dimension in fit.dimensions.values():
        lines += [f"{said(fit, dimension)}:", "", *grid.markdown(WEIGHT_HEADER, weight_rows(fit, dimension)), ""]
        lines += [*grid.markdown(ACCURACY_HEADER, accuracy_rows(dimension)), ""]
        lines += [f"`{dimension.spec}`", ""] if dimension.spec else []
    return lines


def fit_latex(fit: MixtureFit) -> list[str]:
    lines: list[str] = []
    for dimension in fit.dimensions.values():
        lines.append(rf"\par {grid.latex_text(said(fit, dimension))}\par")
        for header, rows in ((WEIGHT_HEADER, weight_rows(fit, dimension)), (ACCURACY_HEADER, accuracy_rows(dimension))):
            escaped = [[grid.latex_text(cell) for cell in row] for row in rows]
            lines += grid.latex([grid.latex_text(cell) for cell in header], escaped)
    return lines


def fit_values(fit: MixtureFit) -> Iterator[tuple[str, str, str, float, tuple[float, float] | None]]:
    """For programs: dimension, what the number is of, weight or accuracy, the number, its interval."""
    for name, dimension in fit.dimensions.items():
        for part, weight in dimension.weights.items():
            yield name, part, "weight", weight, dimension.intervals.get(part)
        rows = {"held out": dimension.held_out, "published": dimension.published, **dimension.parts}
        for what, accuracy in rows.items():
            yield name, what, "accuracy", accuracy.value, accuracy.interval


def _percent(accuracy: Accuracy, form: str) -> str:
    return number(shown(accuracy.value, "fraction"), form)


def _interval(accuracy: Accuracy, form: str) -> str:
    if accuracy.interval is None:
        return UNDEFINED
    low, high = accuracy.interval
    return interval_text(shown(low, "fraction"), shown(high, "fraction"), form)
