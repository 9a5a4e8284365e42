"""Measuring in a fresh process: nothing is warm, and the memory counted is only what the work itself needed."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def in_child(function: Callable[..., T], *arguments: Any) -> T:
    """`function(*arguments)` in a process of its own; a failure there is a failure here."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_answer, args=(theirs, function, arguments))
    child.start()
    theirs.close()
    try:
        answer, error = ours.recv()
    except EOFError:
        answer, error = None, f"{function.__name__} died in its process"
    child.join()
    if error:
        raise SystemExit(f"bench: {error}")
    return answer


def _answer(pipe: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        pipe.send((function(*arguments), None))
    except Exception as error:
        pipe.send((None, f"{function.__name__}: {type(error).__name__}: {error}"))


def peak_memory(pid: int | None = None) -> int | None:
    """The most memory a process has had resident, in bytes."""
    status = Path(f"/proc/{pid or os.getpid()}/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    if pid is None:
        import resource
        import sys

        # Kilobytes, but bytes on macOS.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return None


def best_of(repeats: int, work: Callable[[], T]) -> tuple[float, T]:
    """The shortest of several times: the one that other work on the machine disturbed least."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        answer = work()
        times.append(time.perf_counter() - start)
    return min(times), answer
