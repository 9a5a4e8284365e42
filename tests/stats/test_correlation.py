"""Correlations equal scipy's, plainly and under weights; tests keep the level they claim."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from kataribe.stats.bootstrap import resample_weights
from kataribe.stats.choices import STATISTICS, TIES, Ties
from kataribe.stats.correlation import (
    Rows,
    kendall,
    pairwise_accuracy,
    pearson,
    permutation_between,
    spearman,
    williams,
)

few_values = st.integers(-2, 3).map(float)
many_values = st.floats(-100, 100).map(lambda value: round(value, 3))


@st.composite
def two_columns(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    size = draw(st.integers(2, 40))
    column = st.one_of(
        st.lists(few_values, min_size=size, max_size=size), st.lists(many_values, min_size=size, max_size=size)
    )
    x, y = np.array(draw(column)), np.array(draw(column))
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    return x, y


@settings(max_examples=300, deadline=None)
@given(columns=two_columns())
def test_correlations_equal_scipys(columns: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = columns
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)
    assert kendall(x, y, "c") == pytest.approx(stats.kendalltau(x, y, variant="c").statistic, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(columns=two_columns(), seed=st.integers(0, 99))
@example(
    columns=(np.array([0.0] * 6 + [1.0]), np.array([0.0] * 4 + [5.0, 0.0, 0.0])), seed=44
)  # a draw of equal values
def test_a_weight_counts_a_unit_that_often(columns: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    x, y = columns
    rng = np.random.default_rng(seed)
    units = rng.integers(0, max(2, len(x) // 3), len(x))
    units[0] = max(2, len(x) // 3) - 1
    rows = Rows(x, y, units)
    weights = rng.integers(0, 4, (3, rows.unit_count)).astype(float)
    weighed = rows.weighed(weights)
    for replicate, weight in enumerate(weights):
        copies = np.repeat(np.arange(len(x)), weight[units].astype(int))
        if len(copies) < 2 or np.ptp(x[copies]) == 0 or np.ptp(y[copies]) == 0:
            assert np.isnan([weighed[name][replicate] for name in STATISTICS]).all()
            continue
        spelled = Rows(x[copies], y[copies]).values()
        for name in STATISTICS:
            assert weighed[name][replicate] == pytest.approx(spelled[name], abs=1e-9)
            assert rows.statistic(name)(weights)[replicate] == weighed[name][replicate]


def brute_accuracy(x: np.ndarray, y: np.ndarray, ties: Ties) -> float:
    right, asked = 0.0, 0
    for i, j in combinations(range(len(x)), 2):
        if ties == "exact":
            asked += 1
            right += np.sign(x[i] - x[j]) == np.sign(y[i] - y[j])
            continue
        if y[i] == y[j] or (x[i] == x[j] and ties == "drop"):
            continue
        asked += 1
        if x[i] == x[j]:
            right += 0.5 if ties == "half" else 0.0
        else:
            right += (x[i] > x[j]) == (y[i] > y[j])
    return right / asked if asked else np.nan


@pytest.mark.parametrize("ties", TIES)
@settings(max_examples=100, deadline=None)
@given(columns=two_columns())
def test_accuracy_treats_ties_as_stated(ties: Ties, columns: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = columns
    expected = brute_accuracy(x, y, ties)
    once = np.ones((1, len(x)))
    np.testing.assert_allclose(Rows(x, y).accuracy(ties)(once)[0], expected, atol=1e-12)
    first, second = np.triu_indices(len(x), 1)
    pairs = pairwise_accuracy(x[first] - x[second], y[first] - y[second], ties=ties)
    np.testing.assert_allclose(pairs.value, expected, atol=1e-12)


def test_preferences_are_drawn_with_their_unit() -> None:
    pairs = pairwise_accuracy(np.array([1.0, -1.0, 1.0]), np.array([1.0, 1.0, 1.0]), np.array([0, 0, 1]), 2)
    weights = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    np.testing.assert_allclose(pairs(weights), [2 / 3, 0.5, 1.0, np.nan])


def test_the_native_core_refuses_what_does_not_fit_together() -> None:
    from kataribe._native import rank_statistics

    x, units, weights = np.zeros(2, np.int32), np.arange(2), np.ones((1, 2))
    with pytest.raises(ValueError, match="differ in length"):
        rank_statistics(x, x[:1], units, 1, 1, weights)
    with pytest.raises(ValueError, match="out of range"):
        rank_statistics(x + 1, x, units, 1, 1, weights)
    with pytest.raises(ValueError, match="out of range"):
        rank_statistics(x, x, units + 1, 1, 1, weights)


def test_williams_gives_the_worked_example() -> None:
    """Steiger (1980), after Williams: the formula written out for n = 103, r12 = .4, r13 = .5, r23 = .1."""
    rng = np.random.default_rng(0)
    correlations = np.array([[1, 0.1, 0.4], [0.1, 1, 0.5], [0.4, 0.5, 1]])
    raw = rng.normal(size=(103, 3))
    raw -= raw.mean(axis=0)
    white = raw @ np.linalg.inv(np.linalg.cholesky(np.cov(raw.T, bias=True))).T
    one, other, people = (white @ np.linalg.cholesky(correlations).T).T
    test = williams(one, other, people)
    determinant = 1 - 0.16 - 0.25 - 0.01 + 2 * 0.4 * 0.5 * 0.1
    expected = -0.1 * np.sqrt(102 * 1.1 / (2 * 102 / 100 * determinant + 0.45**2 * 0.9**3))
    assert test.t == pytest.approx(expected, rel=1e-6)
    assert test.freedom == 100
    assert test.p == pytest.approx(2 * stats.t.sf(abs(expected), 100), rel=1e-6)


def test_williams_of_a_number_with_itself_finds_nothing() -> None:
    x = np.array([1.0, 3.0, 2.0, 5.0, 4.0])
    assert williams(x, 2 * x + 1, np.arange(5.0)).p == 1.0
    assert np.isnan(williams(x[:3], x[:3], np.arange(3.0)).p)


@pytest.mark.parametrize("test", ["williams", "pearson", "tau_b"])
def test_equal_metrics_are_told_apart_no_more_often_than_the_level_says(test: str) -> None:
    rng = np.random.default_rng(5)
    rejected = 0
    trials = 300
    for _ in range(trials):
        people = rng.normal(size=30)
        one, other = people + rng.normal(size=(2, 30))
        if test == "williams":
            p = williams(one, other, people).p
        else:
            p = permutation_between(Rows(one, people), Rows(10 * other, people), test, 99, rng).p  # type: ignore[arg-type]
        rejected += p <= 0.05
    assert 0.015 <= rejected / trials <= 0.09  # a 99% range around 0.05 is 0.018 to 0.082


def test_a_better_metric_is_found() -> None:
    rng = np.random.default_rng(6)
    people = np.repeat(rng.integers(1, 5, 150), 3).astype(float)
    units = np.repeat(np.arange(150), 3)
    good, bad = people + rng.normal(size=450), people + 4 * rng.normal(size=450)
    for name in STATISTICS:
        assert permutation_between(Rows(good, people, units), Rows(bad, people, units), name, 199, rng).p <= 0.005


def test_thousands_of_replicates_of_real_size_agree_with_their_median() -> None:
    """As many rows as Flickr8k-Expert has, drawn by picture."""
    rng = np.random.default_rng(7)
    units = np.repeat(np.arange(1000), 17)
    people = rng.integers(1, 5, len(units)).astype(float)
    rows = Rows(people + rng.normal(scale=2, size=len(units)), people, units)
    drawn = np.concatenate([rows.statistic("tau_c")(w) for w in resample_weights(1000, 1000, rng)])
    assert np.median(drawn) == pytest.approx(rows.values()["tau_c"], abs=0.005)
