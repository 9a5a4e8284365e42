"""Ctrl-C: what was lost or kept is said in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERRUPTED = 130  # as shells have it: 128 and the number of the signal


@contextmanager
def kept_on_interrupt(told: Callable[[], str | None]) -> Iterator[None]:
    """Leave the command with what `told` says is kept; where nothing is, Ctrl-C goes on as everywhere."""
    try:
        yield
    except KeyboardInterrupt:
        if (kept := told()) is None:
            raise
        print(f"kataribe: interrupted; {kept}", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
