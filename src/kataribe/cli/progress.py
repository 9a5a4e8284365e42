"""Progress on standard error: a bar for a person at a terminal, a line now and then for a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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


def warn(message: str, quiet: bool = False) -> None:
    if not quiet:
        print(f"kataribe: warning: {message}", file=sys.stderr)
