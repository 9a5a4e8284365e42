"""Where shards are computed. An engine decides where, never what: the rows are the same on any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

Shard = TypeVar("Shard")
Answer = TypeVar("Answer")


class Engine(Protocol):
    """Anything that applies a function to shards and gives the answers back in the order of the shards.

    `workers` is how many shards it computes at a time, so that a run can make enough of them.
    """

    @property
    def workers(self) -> int: ...
    def map(self, function: Callable[[Shard], Answer], shards: Sequence[Shard]) -> Iterator[Answer]: ...


class InlineEngine:
    """Computes the shards one after the other in the calling thread.

    >>> list(InlineEngine().map(len, ["ab", "c"]))
    [2, 1]
    """

    workers = 1

    def map(self, function: Callable[[Shard], Answer], shards: Sequence[Shard]) -> Iterator[Answer]:
        yield from map(function, shards)
