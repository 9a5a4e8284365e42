"""Recall of shots: ranks, means over films, chance and intervals, against versions written out naively."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.grounding.retrieval.recall import MRR, FilmRanks, means, ranks_by_film, ranks_of, recalled


@given(st.integers(1, 12), st.integers(0, 1000))
def test_ranks_are_those_of_sorting(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shots, texts = rng.integers(-3, 4, size=(count, 4)), rng.integers(-3, 4, size=(count, 4))
    own = rng.permutation(count)
    scores = texts @ shots.T
    naive = [count - sorted(scores[n]).index(scores[n, own[n]]) for n in range(count)]
    assert ranks_of(shots, texts, own).tolist() == naive


def test_equal_scores_count_against_the_text() -> None:
    same = np.ones((4, 2))
    assert ranks_of(same, same, np.arange(4)).tolist() == [4, 4, 4, 4]


def test_mean_is_over_films_not_over_texts() -> None:
    """A long film counts as much as a short one."""
    ranks = {"short": FilmRanks(np.array([1]), 1), "long": FilmRanks(np.array([2, 3, 4]), 4)}
    assert means(ranks) == pytest.approx(
        {"R@1": 0.5, "R@5": 1.0, "R@10": 1.0, MRR: (1 + (1 / 2 + 1 / 3 + 1 / 4) / 3) / 2}
    )
    assert recalled(ranks).chance["R@1"] == pytest.approx((1 + 1 / 4) / 2)


def test_random_vectors_find_what_chance_says() -> None:
    rng = np.random.default_rng(0)
    films = [f"f{n}" for n in range(40) for _ in range(25)]
    found = recalled(ranks_by_film(films, rng.normal(size=(1000, 8)), rng.normal(size=(1000, 8))))
    for name, value in found.chance.items():
        low, high = found.intervals[name]
        assert low <= found.values[name] <= high
        assert value == pytest.approx(found.values[name], abs=0.06)


def test_interval_shrinks_with_the_number_of_texts() -> None:
    def width(count: int) -> float:
        ranks = np.where(np.arange(count) % 2, 1, 7)
        low, high = recalled({"f": FilmRanks(ranks, 10)}).intervals["R@1"]
        return high - low

    assert width(400) < width(40) / 2
