"""Progress on standard error: a bar for a person at a terminal, a line now and then for a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from kataribe.cli.flags import flag
from kataribe.core.caution import Caution
from kataribe.core.progress import Progress


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Progress | None]:
    """A callback (stage, done, total) that draws a bar while the block runs."""
    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        yield _occasional_lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield report


def _occasional_lines(every: float = 10.0) -> Progress:
    """A line after each `every` seconds of work; short work leaves none."""
    spoke = time.monotonic()

    def report(stage: str, done: int, total: int) -> None:
        nonlocal spoke
        if time.monotonic() - spoke > every:
            spoke = time.monotonic()
            print(f"kataribe: {stage}: {done:,} of {total:,}", file=sys.stderr)

    return report


Silence = Annotated[
    list[str] | None,
    typer.Option("--silence", metavar="ID", help="Do not print the warning with this id; repeatable."),
]


def warn(message: str, quiet: bool = False) -> None:
    if not quiet:
        print(f"kataribe: warning: {message}", file=sys.stderr)


def warn_of(cautions: Iterable[Caution], silence: Collection[str] | None = None, quiet: bool = False) -> None:
    """Each warning with its id, which silences it. Silenced ones stay in the JSON."""
    for caution in cautions:
        if caution.id not in (silence or ()):
            warn(f"{caution.line(flag)} [{caution.id}]", quiet)
