"""What the commands that train have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kataribe.cli.build import parameter
from kataribe.cli.interrupted import kept_on_interrupt

if TYPE_CHECKING:
    from kataribe.learning.result import History


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
