"""Small networks on one thread: on tiny batches torch's threads wait for each other longer than they compute."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kataribe.core.need import need


class _Own(threading.local):
    is_inside = False


_own = _Own()
_lock = threading.Lock()
# How many threads are inside, and the number that the first of them found.
_inside, _before = 0, 0


@contextmanager
def one_thread(wanted: bool = True) -> Iterator[None]:
    """Torch computes on the calling thread alone; the old number of threads is back in the end.

    Several threads may be inside at the same time, each more than once. Unless it is `wanted`, nothing changes.

    >>> import torch
    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    global _inside, _before
    if not wanted or _own.is_inside:
        yield
        return
    torch = need("torch", extra="models", purpose="networks")
    with _lock:
        # Asked in any case: a thread that torch does not know yet would take over the others' number later.
        found = torch.get_num_threads()
        if not _inside:
            _before = found
        _inside += 1
        torch.set_num_threads(1)
    _own.is_inside = True
    try:
        yield
    finally:
        _own.is_inside = False
        with _lock:
            _inside -= 1
            torch.set_num_threads(_before)
