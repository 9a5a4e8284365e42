"""Batches side by side: the answers of a plain loop, in its order, and torch left as it was found."""

from __future__ import annotations

import threading

import pytest

from kataribe.encoders.parallel import side_by_side

torch = pytest.importorskip("torch", reason="needs kataribe[models]")


@pytest.fixture
def four_cores():
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(("batches", "threads_each"), [(0, None), (1, 4), (2, 2), (9, 1)])
def test_cores_are_shared_among_batches(four_cores: None, batches: int, threads_each: int | None) -> None:
    answers = list(side_by_side(lambda batch: (batch, torch.get_num_threads()), range(batches)))
    assert answers == [(batch, threads_each) for batch in range(batches)]
    assert torch.get_num_threads() == 4


def test_two_batches_are_in_hand_at_a_time(four_cores: None) -> None:
    meeting = threading.Barrier(2, timeout=60)
    assert sorted(side_by_side(lambda _: meeting.wait(), "ab")) == [0, 1]


def test_no_more_are_made_than_are_fetched_soon(four_cores: None) -> None:
    begun: list[int] = []
    answers = side_by_side(begun.append, range(1000))
    next(answers)
    answers.close()
    assert len(begun) < 20
    assert torch.get_num_threads() == 4


def test_a_failure_is_the_callers(four_cores: None) -> None:
    def fail(batch: int) -> None:
        raise MemoryError(f"batch {batch}")

    with pytest.raises(MemoryError, match="batch 0"):
        list(side_by_side(fail, range(5)))
    assert torch.get_num_threads() == 4
