"""Weights fitted to preferences: the likelihood's own maximum, and what does not move it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from kataribe.stats.preferences import _Loss, fit_preferences


def drawn(truth: list[float], pairs: int, seed: int, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    differences = rng.normal(size=(pairs, len(truth))) * rng.uniform(0.01, 3, len(truth))
    return differences, np.sign(differences @ truth + noise * rng.logistic(size=pairs))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([[1.0, 4.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 2.0, 0.5], [0.0, 0.0, 0.0]]))
def test_the_fit_is_where_the_likelihood_is_highest(seed: int, truth: list[float]) -> None:
    """Found by another method: the limited-memory quasi-Newton method of scipy."""
    differences, preferred = drawn(truth, 80, seed)
    spread = np.sqrt((differences**2).mean(axis=0))
    loss = _Loss(differences / spread, (preferred + 1) / 2, np.full(80, 1 / 80))
    slope = lambda b: loss.slopes(b)[0]  # noqa: E731
    other = minimize(loss.value, np.ones(3), jac=slope, method="L-BFGS-B", bounds=[(0, None)] * 3)
    found = fit_preferences(differences, preferred, np.ones(80)) * spread
    assert loss.value(found) <= other.fun + 1e-9
    assert (found >= 0).all()


def test_known_weights_come_back() -> None:
    differences, preferred = drawn([1.0, 4.0, 1.0], 20_000, 0)
    found = fit_preferences(differences, preferred, np.ones(20_000))
    assert found / found.sum() == pytest.approx([1 / 6, 4 / 6, 1 / 6], abs=0.02)


def test_what_speaks_against_people_weighs_nothing() -> None:
    differences, preferred = drawn([-2.0, 1.0], 2_000, 1)
    found = fit_preferences(differences, preferred, np.ones(2_000))
    assert found[0] == 0.0
    assert found[1] > 0


def test_counting_a_pair_twice_is_repeating_it() -> None:
    differences, preferred = drawn([1.0, 2.0], 50, 2)
    counts = np.random.default_rng(3).integers(0, 4, 50).astype(float)
    rows = np.repeat(np.arange(50), counts.astype(int))
    repeated = fit_preferences(differences[rows], preferred[rows], np.ones(len(rows)))
    assert fit_preferences(differences, preferred, counts) == pytest.approx(repeated, rel=1e-6)


def test_the_scale_of_a_part_is_taken_out_of_its_weight() -> None:
    differences, preferred = drawn([1.0, 2.0], 200, 4)
    plain = fit_preferences(differences, preferred, np.ones(200))
    stretched = fit_preferences(differences * [100.0, 1.0], preferred, np.ones(200))
    assert stretched * [100.0, 1.0] == pytest.approx(plain, rel=1e-6)


def test_preferences_without_contradiction_have_a_finite_answer() -> None:
    differences, preferred = drawn([1.0, 1.0], 100, 5, noise=0.0)
    found = fit_preferences(differences, preferred, np.ones(100))
    assert np.isfinite(found).all()
    assert (np.sign(differences @ found) == preferred).mean() > 0.95


def test_nothing_to_go_by_is_no_weight() -> None:
    assert fit_preferences(np.zeros((3, 2)), np.ones(3), np.ones(3)).tolist() == [0.0, 0.0]
    assert fit_preferences(np.zeros((0, 2)), np.zeros(0), np.zeros(0)).tolist() == [0.0, 0.0]
    assert fit_preferences(np.ones((2, 1)), np.array([1.0, -1.0]), np.ones(2)).tolist() == pytest.approx(
        [0.0], abs=1e-6
    )
