"""Batches through a network on all cores: each core has batches of its own.

Torch and numpy would split every step of one batch over the cores and wait for the slowest at its end. Threads with a
batch each wait for nobody, which pays most where other programs use the cores too.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from kataribe.core.engine import available_cores
from kataribe.encoders import loading

Batch = TypeVar("Batch")
Made = TypeVar("Made")


def side_by_side(forward: Callable[[Batch], Made], batches: Sequence[Batch]) -> Iterator[Made]:
    """`map(forward, batches)` on as many cores as torch would use. Ctrl-C waits for the batches in hand."""
    torch = sys.modules.get("torch")  # whoever uses it has imported it
    cores = torch.get_num_threads() if torch else _cores()
    workers = min(cores, len(batches))
    if workers <= 1:
        yield from map(forward, batches)
        return
    each = cores // workers
    threadpoolctl = loading.need("threadpoolctl", "encoding on several cores")
    pool = ThreadPoolExecutor(workers, initializer=partial(torch.set_num_threads, each) if torch else None)
    coming: deque[Future[Made]] = deque()
    with threadpoolctl.threadpool_limits(each, user_api="blas"):
        try:
            for batch in batches:
                coming.append(pool.submit(forward, batch))
                if len(coming) > 2 * workers:  # no more than these are in memory, however slowly they are fetched
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
            if torch:
                torch.set_num_threads(cores)  # the setting of one thread is what threads to come begin with


def _cores() -> int:
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdecimal() and int(asked) > 0 else available_cores()
