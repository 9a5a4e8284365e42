"""Items in shards and back: nothing is lost, doubled or out of order, and groups stay whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.ragged import Rows, pick
from kataribe.core.shards import MIN_SHARD, SHARDS_PER_WORKER, shards_at, split


@dataclass(frozen=True)
class Lines:
    films: list[str]
    numbers: list[int]

    @property
    def ids(self) -> list[str]:
        return [str(number) for number in self.numbers]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: Rows) -> Lines:
        return Lines(list(pick(self.films, rows)), list(pick(self.numbers, rows)))


def lines(count: int, films: int = 3) -> Lines:
    return Lines([f"film {number % films}" for number in range(count)], list(range(count)))


@given(st.integers(0, 5000), st.integers(1, 8), st.sampled_from([None, "films"]), st.integers(1, 40))
def test_every_item_is_in_one_shard_and_comes_back_in_its_place(
    count: int, workers: int, group_by: str | None, films: int
) -> None:
    items = lines(count, films)
    sharding = split(items, workers, group_by)
    numbers = [np.array([[number] for number in shard.numbers], dtype=np.int64) for shard in sharding.shards]
    assert sharding.in_order_list([shard.numbers for shard in sharding.shards]) == items.numbers
    if count:
        assert sharding.in_order(numbers)[:, 0].tolist() == items.numbers


@pytest.mark.parametrize(("count", "workers", "sizes"), [(256, 2, [256]), (300, 2, [150, 150]), (0, 2, [])])
def test_shards_are_of_one_size(count: int, workers: int, sizes: list[int]) -> None:
    assert [len(shard) for shard in split(lines(count), workers).shards] == sizes


def test_large_corpora_have_a_few_shards_for_each_worker() -> None:
    sharding = split(lines(100 * MIN_SHARD), workers=2)
    assert len(sharding.shards) == 2 * SHARDS_PER_WORKER
    assert {len(shard) for shard in sharding.shards} == {100 * MIN_SHARD // (2 * SHARDS_PER_WORKER)}


@given(st.integers(1, 3000), st.integers(1, 50))
def test_a_group_is_in_one_shard_in_the_order_of_the_corpus(count: int, films: int) -> None:
    shards = split(lines(count, films), 2, "films").shards
    homes = [film for shard in shards for film in set(shard.films)]
    assert len(homes) == len(set(homes))
    assert all(shard.numbers == sorted(shard.numbers) for shard in shards)


def test_shards_may_be_any_rows() -> None:
    items = lines(6)
    sharding = shards_at(items, [np.array([4, 0]), slice(1, 4), np.array([5])])
    assert [shard.numbers for shard in sharding.shards] == [[4, 0], [1, 2, 3], [5]]
    assert sharding.in_order_list([shard.numbers for shard in sharding.shards]) == items.numbers
