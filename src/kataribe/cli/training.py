"""What the commands that train have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kataribe.cli.build import parameter
from kataribe.cli.interrupted import kept_on_interrupt

if TYPE_CHECKING:
    from kataribe.learning.folder import Model
    from kataribe.learning.result import History, Trial


def state_parameter() -> Parameter:
    info = typer.Option("--state", metavar="FOLDER", help="Keep each epoch here; the same command goes on from there.")
    return parameter("state", Path | None, info, None)


@contextmanager
def resumable(state: Path | None) -> Iterator[None]:
    """Ctrl-C while there is a state folder: say how to go on."""
    with kept_on_interrupt(lambda: f"the same command goes on from {state}" if state is not None else None):
        yield


def curves_of(courses: Mapping[int, History]) -> dict[str, bytes]:
    """The learning curves by seed as a file beside the model, where matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return {}
    from kataribe.report.learning import draw_curves

    return {"curves.png": draw_curves({f"seed {seed}": course for seed, course in courses.items()}, "png")}


def trained_lines(
    output: Path, model: Model, learned: str, seed: int, courses: Mapping[int, History], trials: Sequence[Trial]
) -> list[str]:
    """The first lines of an answer: what was trained on what and, of several seeds, how each did."""
    from kataribe.learning.result import summarise
    from kataribe.report.learning import SummaryTable, render_summaries

    kept = f", seed {seed} kept" if len(courses) > 1 else ""
    lines = [f"{output}: {model.card.title}, {model.signature}, trained on {learned}{kept}"]
    return [*lines, "", render_summaries(SummaryTable(summarise(trials)))] if len(courses) > 1 else lines


def percent(value: float, interval: tuple[float, float] | None = None) -> str:
    """
    >>> percent(0.465, (0.391, 0.532)), percent(0.053)
    ('46.5 [39.1, 53.2]', '5.3')
    """
    reach = f" [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]" if interval else ""
    return f"{100 * value:.1f}{reach}"
