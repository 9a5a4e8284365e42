"""Ragged arrays do what lists of lists do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.ragged import Ragged, pick

NUMBERS = st.integers(-9, 9).map(float)
LISTS = st.lists(st.lists(NUMBERS, max_size=5), max_size=8)
FULL = st.lists(st.lists(NUMBERS, min_size=1, max_size=5), min_size=1, max_size=8)


def plain(ragged: Ragged) -> list[list[float]]:
    return [values.tolist() for values in ragged]


@given(LISTS, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([None, 1, 2, -1]))
def test_slices_are_those_of_the_lists(lists: list[list[float]], start: int, stop: int, step: int | None) -> None:
    rows = slice(start, stop, step)
    assert plain(Ragged.of(lists)[rows]) == lists[rows]


@given(LISTS, st.data())
def test_any_lists_may_be_taken_in_any_order(lists: list[list[float]], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=9)) if lists else []
    assert plain(Ragged.of(lists)[np.array(rows, dtype=np.int64)]) == list(pick(lists, np.array(rows, dtype=np.int64)))


@given(LISTS)
def test_owners_and_positions_lead_back_to_every_value(lists: list[list[float]]) -> None:
    ragged = Ragged.of(lists)
    indices = np.arange(len(ragged.values))
    found = [lists[owner][within] for owner, within in zip(ragged.owners, ragged.within(indices), strict=True)]
    assert found == ragged.values.tolist()
    assert ragged.sum().tolist() == [sum(values) for values in lists]


@given(FULL)
def test_reductions_are_those_of_each_list(lists: list[list[float]]) -> None:
    ragged = Ragged.of(lists)
    assert ragged.max().tolist() == [max(values) for values in lists]
    assert ragged.mean() == pytest.approx([sum(values) / len(values) for values in lists])
    best = ragged.first_best()
    assert ragged.within(best).tolist() == [values.index(max(values)) for values in lists]


@given(LISTS)
def test_values_dealt_out_by_owner_are_grouped_again(lists: list[list[float]]) -> None:
    ragged = Ragged.of(lists)
    order = np.random.default_rng(0).permutation(len(ragged.values))
    grouped = Ragged.grouped(ragged.values[order], ragged.owners[order], len(lists))
    assert [sorted(values) for values in plain(grouped)] == [sorted(values) for values in lists]
