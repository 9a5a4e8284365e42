"""Where statistics are computed. An engine decides where, never what: the rows are the same on any of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from kataribe import _native
from kataribe.core.errors import UsageError, shorten

Shard = TypeVar("Shard")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class LocalEngine:
    """Threads of this process. The native core releases the GIL, so they truly run side by side."""

    threads: int = 0

    @property
    def workers(self) -> int:
        return self.threads or available_cores()

    def map(self, function: Callable[[Shard], Answer], shards: Sequence[Shard]) -> Iterator[Answer]:
        """The answers in the order of the shards. Ctrl-C ends native work on the shards in hand and drops the rest."""
        if self.workers == 1 or len(shards) <= 1:
            yield from map(function, shards)
            return
        pool = ThreadPoolExecutor(self.workers)
        stop = _native.Stop()

        def work(shard: Shard) -> Answer:
            with stop:
                return function(shard)

        try:
            yield from pool.map(work, shards)
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
    # Containers often pin a process to fewer cores than the machine has.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
