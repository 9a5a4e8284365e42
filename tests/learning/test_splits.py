"""Nothing that is held out was seen in training."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.learning.splits import components, shared, split

KEYS = st.lists(st.lists(st.integers(0, 12), max_size=3), max_size=25)
GROUPS = st.lists(st.integers(0, 9), min_size=1, max_size=60)
SHARES = st.lists(st.floats(0.01, 5), min_size=1, max_size=4).map(lambda all: {f"p{n}": s for n, s in enumerate(all)})


@given(KEYS)
def test_who_shares_a_key_is_of_one_component_and_nobody_else(keys: list[list[int]]) -> None:
    found = components(keys)
    # Spread numbers along shared keys until nothing changes.
    expected = list(range(len(keys)))
    for _ in keys:
        for one, mine in enumerate(keys):
            for other, theirs in enumerate(keys):
                if set(mine) & set(theirs):
                    expected[one] = expected[other] = min(expected[one], expected[other])
    assert len(found) == len(keys)
    for one in range(len(keys)):
        for other in range(len(keys)):
            assert (found[one] == found[other]) == (expected[one] == expected[other])


@given(GROUPS, SHARES, st.integers(0, 5))
def test_parts_hold_whole_groups_and_every_row_once(groups: list[int], shares: dict[str, float], seed: int) -> None:
    rows = np.array(groups)
    if len(set(groups)) < len(shares):
        with pytest.raises(UsageError, match="too few for"):
            split(rows, shares, seed)
        return
    parts = split(rows, shares, seed)
    assert list(parts) == list(shares)
    assert sorted(row for part in parts.values() for row in part.tolist()) == list(range(len(groups)))
    assert all(len(part) for part in parts.values())
    held = [set(rows[part].tolist()) for part in parts.values()]
    assert sum(map(len, held)) == len(set.union(*held))
    again = split(rows, shares, seed)
    assert all(np.array_equal(again[name], parts[name]) for name in parts)


@given(st.floats(0.1, 0.9), st.integers(0, 20))
def test_shares_are_met_where_groups_are_small(share: float, seed: int) -> None:
    groups = np.random.default_rng(seed).integers(0, 300, 1000)
    parts = split(groups, {"train": share, "held": 1 - share}, seed)
    assert len(parts["train"]) / 1000 == pytest.approx(share, abs=0.01)


def test_another_seed_deals_otherwise() -> None:
    groups = np.arange(40)
    one, other = (split(groups, {"train": 0.5, "held": 0.5}, seed)["train"].tolist() for seed in (0, 1))
    assert one != other


def test_a_small_share_still_has_a_group() -> None:
    parts = split(np.array([0] * 50 + [1] * 50), {"train": 0.98, "test": 0.02}, seed=0)
    assert {name: len(rows) for name, rows in parts.items()} == {"train": 50, "test": 50}


@pytest.mark.parametrize("shares", [{}, {"train": 1.0, "test": 0.0}, {"train": float("nan")}])
def test_parts_without_a_share_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="shares above 0"):
        split(np.arange(5), shares, seed=0)


def test_one_component_cannot_be_split() -> None:
    with pytest.raises(UsageError, match="all examples are linked"):
        split(components([["a"], ["a", "b"], ["b"]]), {"train": 0.5, "test": 0.5}, seed=0)


def test_what_two_parts_share_is_counted_once_for_each_thing() -> None:
    found = shared({"pictures": ["p", "p", "q"], "texts": ["a"]}, {"pictures": ["p"], "texts": ["b"]})
    assert found
    assert found.counts == {"pictures": (1, 2), "texts": (0, 1)}
    assert str(found) == "1 of 2 pictures, 0 of 1 texts"
    assert not shared({"pictures": ["p"]}, {"pictures": []})
