"""Batches through a network on all cores: each core has batches of its own.

Torch would split every step of one batch over the cores and wait for the slowest at its end. Threads with a batch each
wait for nobody, which pays most where other programs use the cores too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from typing import TypeVar

Batch = TypeVar("Batch")
Made = TypeVar("Made")


def side_by_side(forward: Callable[[Batch], Made], batches: Sequence[Batch]) -> Iterator[Made]:
    """`map(forward, batches)` on as many cores as torch uses. Ctrl-C waits for the batches in hand."""
    torch = import_module("torch")
    cores = torch.get_num_threads()
    workers = min(cores, len(batches))
    if workers <= 1:
        yield from map(forward, batches)
        return
    pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(cores // workers,))
    coming: deque[Future[Made]] = deque()
    try:
        for batch in batches:
            coming.append(pool.submit(forward, batch))
            if len(coming) > 2 * workers:  # no more than these are in memory, however slowly they are fetched
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(cores)  # the setting of one thread is what threads to come begin with
