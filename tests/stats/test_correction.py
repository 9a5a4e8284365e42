from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from kataribe.stats.correction import CORRECTIONS, benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


@given(p_values)
def test_benjamini_hochberg_agrees_with_scipy(p: np.ndarray) -> None:
    np.testing.assert_allclose(benjamini_hochberg(p), false_discovery_control(p, method="bh"))


@given(p_values)
def test_holm_lies_between_the_raw_p_and_bonferroni_and_keeps_the_order(p: np.ndarray) -> None:
    corrected = holm(p)
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(1, p * len(p)) + 1e-15).all()
    assert (np.diff(corrected[np.argsort(p)]) >= 0).all()


@pytest.mark.parametrize("name", CORRECTIONS)
def test_one_test_needs_no_correction(name: str) -> None:
    assert CORRECTIONS[name](np.array([0.03])).tolist() == [0.03]


def test_holm_keeps_the_chance_of_any_false_discovery() -> None:
    rng = np.random.default_rng(0)
    families = rng.uniform(size=(2000, 10))
    assert np.mean([holm(family).min() <= 0.05 for family in families]) <= 0.065


@pytest.mark.parametrize("name", ["holm", "bh", "none"])
def test_undefined_test_stays_undefined_and_costs_the_others_nothing(name: str) -> None:
    correct = CORRECTIONS[name]
    p = np.array([0.01, np.nan, 0.04, 0.03])
    corrected = correct(p)
    assert np.isnan(corrected[1])
    np.testing.assert_allclose(np.delete(corrected, 1), correct(np.delete(p, 1)))
    assert np.isnan(correct(np.array([np.nan]))).all()
