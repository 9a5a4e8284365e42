"""What several seeds say together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kataribe.learning.result import Epoch, History, Trial, seed_interval, summarise


@given(st.lists(st.integers(-100_000, 100_000).map(lambda number: number / 1000), min_size=2, max_size=12))
def test_intervals_are_those_of_student(values: list[float]) -> None:
    found = seed_interval(np.array(values))
    if np.ptp(values) == 0:
        assert found is None
        return
    low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    assert found is not None
    assert found.low == pytest.approx(low, abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)


def test_one_value_equal_values_and_undefined_ones_have_no_interval() -> None:
    for values in ([0.5], [0.5, 0.5, 0.5], [0.5, math.nan]):
        assert seed_interval(np.array(values)) is None


def test_variants_stand_in_the_order_of_their_first_trial() -> None:
    trials = [
        Trial("b", 0, {"x": 1.0, "y": 2.0}),
        Trial("a", 0, {"x": 4.0}),
        Trial("b", 1, {"x": 3.0}),
    ]
    found = summarise(trials)
    assert [(s.variant, s.seeds) for s in found] == [("b", 2), ("a", 1)]
    assert found[0].means == {"x": 2.0, "y": 2.0}
    assert list(found[0].intervals) == ["x"]
    assert found[1].intervals == {}
    assert found[0].to_dict()["intervals"]["x"] == list(found[0].intervals["x"])


def test_a_course_knows_its_best_epoch() -> None:
    course = History((Epoch(1, 0.5, {"f1": 0.2}), Epoch(2, 0.4, {"f1": 0.6})), best=2, stop_by="f1")
    assert course.best_scores == {"f1": 0.6}
    assert course.to_dict()["epochs"][0] == {"epoch": 1, "loss": 0.5, "f1": 0.2}
