"""Small networks on one thread, whoever else is inside, and the old number of threads afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from kataribe.learning.threads import one_thread

torch = pytest.importorskip("torch", reason="needs kataribe[models]")


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_one_thread_inside_and_the_old_number_outside() -> None:
    with one_thread():
        assert torch.get_num_threads() == 1
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1, "the outer one is still inside"
    assert torch.get_num_threads() == 2


def test_nothing_changes_unless_it_is_wanted() -> None:
    with one_thread(False):
        assert torch.get_num_threads() == 2


def test_the_old_number_is_back_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert torch.get_num_threads() == 2


def test_threads_that_overlap_leave_the_old_number() -> None:
    second_is_inside, first_is_outside = threading.Event(), threading.Event()
    seen = []

    def first() -> None:
        with one_thread():
            second_is_inside.wait(10)
        seen.append(torch.get_num_threads())
        first_is_outside.set()

    def second() -> None:
        with one_thread():
            second_is_inside.set()
            first_is_outside.wait(10)
            seen.append(torch.get_num_threads())
        seen.append(torch.get_num_threads())

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(first), pool.submit(second)]:
            done.result()
    assert seen == [2, 1, 2]
    assert torch.get_num_threads() == 2
