"""Films side by side, a process for each; whatever the number of processes, the outcome is the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from kataribe.core.errors import ResourceError

T = TypeVar("T")


def film_by_film(
    function: Callable[..., T], calls: Sequence[tuple[Any, ...]], processes: int | None = None
) -> Iterator[T]:
    """What `function` gives for each call, as they get ready. On Ctrl-C or an error the other calls are given up."""
    processes = min(processes or os.cpu_count() or 1, len(calls))
    if processes <= 1:
        for call in calls:
            yield function(*call)
        return
    before = set(multiprocessing.active_children())
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer=_start) as pool:
        try:
            for done in as_completed([pool.submit(function, *call) for call in calls]):
                yield done.result()
        except BrokenProcessPool:
            raise ResourceError(
                "a process that worked on a film was killed",
                hint="is there enough memory? <processes 1> needs least",
                options=["processes"],
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
            raise


def _start() -> None:
    """Ctrl-C reaches every process of a terminal; the first one decides. One thread each: the films share the cores."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = "1"
