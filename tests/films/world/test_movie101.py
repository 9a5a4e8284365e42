"""The numbers of Movie101 that the world is made after."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.films.world import movie101


@given(st.lists(st.floats(0, 1000), min_size=2, max_size=12).map(sorted), st.integers(0, 99))
def test_a_drawn_value_lies_between_the_shortest_and_the_longest(deciles: list[float], seed: int) -> None:
    value = movie101.from_deciles(deciles, np.random.default_rng(seed))
    assert deciles[0] <= value <= deciles[-1] * (1 + 1e-9)


def test_half_of_what_is_drawn_lies_below_the_median() -> None:
    rng = np.random.default_rng(0)
    drawn = [movie101.from_deciles(movie101.G_SECONDS, rng) for _ in range(4000)]
    assert np.mean(np.array(drawn) < movie101.G_SECONDS[5]) == pytest.approx(0.5, abs=0.03)


def test_what_was_never_counted_is_never_drawn() -> None:
    rng = np.random.default_rng(0)
    assert {movie101.from_counts({"a": 3, "b": 0}, rng) for _ in range(100)} == {"a"}


@pytest.mark.data
def test_the_numbers_are_those_of_the_public_files(data_folder: Path) -> None:
    folder = data_folder / "movie101"
    cast = json.loads((folder / "cast.json").read_text(encoding="utf-8"))
    for name, deciles in (("G", movie101.G_SECONDS), ("N", movie101.N_SECONDS)):
        clips = json.loads((folder / name / "val.json").read_text(encoding="utf-8"))
        assert _deciles([clip["end_time"] - clip["start_time"] for clip in clips]) == list(deciles)
    assert _deciles([len(roles) for roles in cast.values()]) == list(movie101.CAST_SIZES)
    names = Counter(len(role["rolename"]) for roles in cast.values() for role in roles.values())
    assert names == movie101.NAME_LENGTHS


def _deciles(values: list[float]) -> list[float]:
    return [round(float(value), 1) for value in np.quantile(values, np.linspace(0, 1, 11))]
