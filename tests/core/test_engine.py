from __future__ import annotations

import threading

import pytest

from kataribe.core.engine import LocalEngine, parse_engine
from kataribe.core.errors import UsageError


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_answers_come_in_the_order_of_the_shards(threads: int) -> None:
    assert list(LocalEngine(threads).map(lambda n: n * n, range(50))) == [n * n for n in range(50)]


def test_shards_run_side_by_side() -> None:
    together = threading.Barrier(2, timeout=30)
    # Each waits for the other: one thread alone would never get past the barrier.
    assert len(list(LocalEngine(2).map(lambda _: together.wait(), [0, 1]))) == 2


def test_a_failing_shard_is_heard() -> None:
    with pytest.raises(ZeroDivisionError):
        list(LocalEngine(2).map(lambda n: 1 // n, [1, 0, 2]))


def test_unknown_engines_are_refused() -> None:
    with pytest.raises(UsageError, match="this version has: local"):
        parse_engine("spark")
    with pytest.raises(UsageError, match="negative"):
        parse_engine("local", threads=-1)
