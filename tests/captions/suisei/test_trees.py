"""Boosted trees as plain arrays: equal to scikit-learn's, monotone, and refused where they are no trees."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingRegressor

from kataribe.captions.suisei.train_blend import some_groups
from kataribe.captions.suisei.trees import TREES, Trees, fit_trees, trees_of


def columns_and_ratings(seed: int, rows: int = 300, missing: float = 0.0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3)) * [1.0, 100.0, 1e-3] + [0.0, 50.0, 1.0]
    y = 1 / (1 + np.exp(-x[:, 0] - (x[:, 1] - 50) / 100)) + 0.05 * rng.normal(size=rows)
    x[rng.random(x.shape) < missing] = np.nan
    return x, y.clip(0, 1), rng.uniform(0.1, 2.0, rows)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_arrays_predict_what_scikit_learn_does(missing: float) -> None:
    x, y, weights = columns_and_ratings(0, missing=missing)
    booster = HistGradientBoostingRegressor(max_iter=40, min_samples_leaf=5, max_features=0.5, random_state=1)
    trees = trees_of(booster.fit(x, y, sample_weight=weights))
    new = columns_and_ratings(1, 20_000, missing)[0]
    on_thresholds = np.tile(np.unique(trees.threshold)[:, np.newaxis], 3)
    for table in (x, new, on_thresholds):
        np.testing.assert_allclose(trees.raw(table), booster.predict(table), rtol=0, atol=1e-12)
    assert trees.raw(new[:0]).shape == (0,)


@given(seed=st.integers(0, 1000), column=st.integers(0, 2), step=st.floats(0, 1000))
@settings(max_examples=30, deadline=None)
def test_a_better_score_of_a_metric_never_counts_against_a_caption(seed: int, column: int, step: float) -> None:
    table = columns_and_ratings(seed, 100)[0]
    better = table.copy()
    better[:, column] += step
    assert (FITTED.raw(better) >= FITTED.raw(table)).all()


FITTED = fit_trees(*columns_and_ratings(3), seed=0)


def test_all_trees_are_kept_and_scores_stay_on_the_scale() -> None:
    assert len(FITTED.roots) == TREES
    scores = FITTED(columns_and_ratings(4)[0] * 10)
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("rows", [5, 12])
def test_few_captions_are_enough_to_fit(rows: int) -> None:
    x, y, weights = columns_and_ratings(5, rows)
    assert np.isfinite(fit_trees(x, y, weights, 0)(x)).all()


def test_the_seed_decides_the_trees_and_weights_move_them() -> None:
    x, y, weights = columns_and_ratings(3)
    again = fit_trees(x, y, weights, 0)
    assert all(np.array_equal(getattr(again, f.name), getattr(FITTED, f.name)) for f in fields(FITTED))
    assert not np.array_equal(fit_trees(x, y, weights, 1)(x), FITTED(x))
    assert not np.array_equal(fit_trees(x, y, np.ones(len(y)), 0)(x), FITTED(x))


def test_tensors_hold_all() -> None:
    x = columns_and_ratings(6)[0]
    tensors = FITTED.to_tensors()
    assert all(isinstance(tensor, np.ndarray) and tensor.dtype != object for tensor in tensors.values())
    np.testing.assert_array_equal(Trees.from_tensors(tensors)(x), FITTED(x))


@pytest.mark.parametrize("change", [lambda left: left * 0, lambda left: left + 10**6, lambda left: left - 10**6])
def test_nodes_that_lead_nowhere_or_round_in_circles_are_refused(change: Any) -> None:
    with pytest.raises(ValueError, match="no trees"):
        replace(FITTED, left=change(FITTED.left))


def test_a_member_sees_70_of_100_groups_whole() -> None:
    groups = np.repeat(np.arange(100), 3)
    rows = some_groups(np.arange(300), groups, 0.7, np.random.default_rng(0))
    assert len(rows) == 210
    assert len(np.unique(groups[rows])) == 70
