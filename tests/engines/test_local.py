"""Threads: the answers of a plain loop, in its order, with the caller's listeners, and libraries left as found."""

from __future__ import annotations

import threading
from contextvars import ContextVar

import pytest

from kataribe.core.errors import UsageError
from kataribe.engines.local import LocalEngine, parse_engine


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


def test_threads_see_the_callers_context() -> None:
    listener: ContextVar[str] = ContextVar("listener")
    listener.set("the caller's")
    assert list(LocalEngine(2).map(lambda _: listener.get("nobody's"), range(8))) == ["the caller's"] * 8


def test_an_engine_inside_a_worker_starts_no_threads() -> None:
    def names(_: int) -> set[str]:
        return set(LocalEngine(4).map(lambda _: threading.current_thread().name, range(8)))

    assert all(len(found) == 1 for found in LocalEngine(2).map(names, range(4)))


def test_no_more_are_computed_than_are_fetched_soon() -> None:
    begun: list[int] = []
    answers = LocalEngine(4).map(begun.append, range(1000))
    next(answers)
    answers.close()
    assert len(begun) < 20


@pytest.mark.parametrize(("shards", "threads_each"), [(0, None), (1, 4), (2, 2), (9, 1)])
def test_cores_are_shared_among_threads_that_use_torch(shards: int, threads_each: int | None) -> None:
    torch = pytest.importorskip("torch", reason="needs kataribe[models]")
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        answers = list(LocalEngine(4).map(lambda shard: (shard, torch.get_num_threads()), range(shards)))
        assert answers == [(shard, threads_each) for shard in range(shards)]
        assert torch.get_num_threads() == 4
    finally:
        torch.set_num_threads(before)


def test_unknown_engines_are_refused() -> None:
    with pytest.raises(UsageError, match="this version has: local"):
        parse_engine("spark")
    with pytest.raises(UsageError, match="negative"):
        parse_engine("local", threads=-1)
