"""Greedy matching against the formula written out, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe import _native
from kataribe.captions.greedy import Weighted, match, unit


def naive(one: Weighted, other: Weighted) -> tuple[float, float]:
    if not len(one.weights) or not len(other.weights):
        return 0.0, 0.0
    products = unit(one.vectors).astype(float) @ unit(other.vectors).astype(float).T
    means = []
    for best, weights in ((products.max(axis=1), one.weights), (products.max(axis=0), other.weights)):
        means.append(float(best @ weights / weights.sum()) if weights.sum() > 0 else 0.0)
    return means[0], means[1]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=8), st.integers(1, 21), st.integers(0, 2**32 - 1))
def test_pairs_score_as_the_formula_says(lengths: list[int], width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [
        Weighted(rng.normal(size=(length, width)).astype(np.float32), rng.integers(0, 3, length).astype(float))
        for length in lengths
    ]
    others = texts[::-1]
    matched = match(texts, others)
    expected = np.array([naive(one, other) for one, other in zip(texts, others, strict=True)])
    np.testing.assert_allclose(np.column_stack(matched), expected, atol=1e-6)


def test_no_pairs_give_no_scores() -> None:
    assert [len(side) for side in match([], [])] == [0, 0]


@pytest.mark.parametrize(
    ("starts", "ones", "others"),
    [([0, 3], [0], [0]), ([0, 1, 2], [0], [2]), ([0, 1, 2], [-1], [0]), ([0, 2, 1], [0], [0]), ([0, 2], [0], [])],
)
def test_the_core_refuses_places_that_are_not_there(starts: list[int], ones: list[int], others: list[int]) -> None:
    vectors = np.eye(2, dtype=np.float32)
    with pytest.raises((ValueError, IndexError)):
        _native.greedy_match(vectors, np.ones(2), *(np.array(each, dtype=np.int64) for each in (starts, ones, others)))
