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


def test_nothing_is_similar_to_a_vector_of_zeros() -> None:
    zeros = Weighted(np.zeros((1, 3), dtype=np.float32), np.ones(1))
    other = Weighted(np.ones((1, 3), dtype=np.float32), np.ones(1))
    for side in match([zeros, other], [other, other]):
        assert side.tolist() == [0.0, pytest.approx(1.0)]


@pytest.mark.parametrize(
    ("widths", "weights", "ones", "others"),
    [
        ([2, 2], [2, 2], [0], [2]),
        ([2, 2], [2, 2], [-1], [0]),
        ([2, 2], [2, 2], [0], []),
        ([2, 3], [2, 2], [0], [1]),
        ([2, 2], [2, 1], [0], [1]),
        ([2, 2], [2], [0], [0]),
    ],
)
def test_the_core_refuses_what_does_not_fit(
    widths: list[int], weights: list[int], ones: list[int], others: list[int]
) -> None:
    matrices = [np.ones((2, width), dtype=np.float32) for width in widths]
    pairs = [np.array(side, dtype=np.int64) for side in (ones, others)]
    with pytest.raises((ValueError, IndexError)):
        _native.greedy_match(matrices, [np.ones(count) for count in weights], *pairs)
