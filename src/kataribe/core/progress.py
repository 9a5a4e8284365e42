"""How long work tells that it is alive, without every function on the way passing a callback on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[str, int, int], None]


def silent(stage: str, done: int, total: int) -> None:
    """The reporter of programs that did not ask for one."""


_reporter: ContextVar[Progress] = ContextVar("kataribe_progress", default=silent)


@contextmanager
def reporting(progress: Progress) -> Iterator[None]:
    """What runs inside reports to `progress`."""
    token = _reporter.set(progress)
    try:
        yield
    finally:
        _reporter.reset(token)


def report(stage: str, done: int, total: int) -> None:
    """Report to the listener, if there is one, that `done` of `total` parts of a stage are finished.

    >>> with reporting(print):
    ...     report("reading", 1, 2)
    reading 1 2
    """
    _reporter.get()(stage, done, total)
