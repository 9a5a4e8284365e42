"""Threads of this process. The native core releases the GIL, so that they truly run side by side."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from kataribe import _native
from kataribe.core.engine import Answer, Shard
from kataribe.core.errors import UsageError, shorten

# A thread of an engine works on what it was given; it starts no threads of its own.
_is_worker: ContextVar[bool] = ContextVar("kataribe_is_worker", default=False)


@dataclass(frozen=True)
class LocalEngine:
    threads: int = 0

    @property
    def workers(self) -> int:
        return self.threads or available_cores()

    def map(self, function: Callable[[Shard], Answer], shards: Sequence[Shard]) -> Iterator[Answer]:
        """The answers in the order of the shards. Ctrl-C ends native work on the shards in hand and drops the rest.

        Threads see the context variables of the caller (who listens to progress, say). Answers wait to be fetched
        only up to twice the number of threads, so that memory stays bounded however slowly they are used.
        """
        workers = min(self.workers, len(shards))
        if workers <= 1 or _is_worker.get():
            yield from map(function, shards)
            return
        pool = ThreadPoolExecutor(workers, initializer=_limit_torch(self.workers // workers))
        stop = _native.Stop()

        def work(shard: Shard) -> Answer:
            _is_worker.set(True)
            with stop:
                return function(shard)

        coming: deque[Future[Answer]] = deque()
        with _limited_libraries(self.workers // workers):
            try:
                for shard in shards:
                    # Each its own copy: a context cannot be entered by two threads at once.
                    coming.append(pool.submit(copy_context().run, work, shard))
                    if len(coming) > 2 * workers:
                        yield coming.popleft().result()
                while coming:
                    yield coming.popleft().result()
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)


def parse_engine(text: str, threads: int = 0) -> LocalEngine:
    """
    >>> parse_engine("local")
    LocalEngine(threads=0)
    """
    if threads < 0:
        raise UsageError(f"<threads {threads}>: cannot be negative", hint="0 uses every core", options=["threads"])
    if text == "local":
        return LocalEngine(threads)
    problem = f"<engine>: no engine is called {shorten(text)!r}"
    raise UsageError(problem, hint="this version has: local", options=["engine"])


def available_cores() -> int:
    """As many as this process may use, which `OMP_NUM_THREADS` may lower, as it does for other numerical programs."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    # Containers often pin a process to fewer cores than the machine has.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _limited_libraries(threads: int) -> ExitStack:
    """Numpy and torch would split every step of every shard over all cores, and wait for the slowest at its end."""
    limits = ExitStack()
    if "kataribe.encoders.protocol" in sys.modules and find_spec("threadpoolctl") is not None:
        import threadpoolctl

        limits.enter_context(threadpoolctl.threadpool_limits(threads, user_api="blas"))
    if torch := sys.modules.get("torch"):
        # What one thread sets is what threads to come begin with.
        limits.callback(torch.set_num_threads, torch.get_num_threads())
    return limits


def _limit_torch(threads: int) -> Callable[[], None] | None:
    """Torch counts its threads for each thread that calls it; whoever uses it has imported it."""
    torch = sys.modules.get("torch")
    return partial(torch.set_num_threads, threads) if torch else None
