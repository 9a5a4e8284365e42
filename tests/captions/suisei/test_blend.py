"""The blend: ridge in closed form, weights that are never negative, and no torch anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.captions.suisei.blend import STRENGTHS, Blended, fit_blend
from kataribe.captions.suisei.metric import SuiSei
from kataribe.captions.suisei.model import open_model
from kataribe.captions.suisei.train_blend import drawn_groups
from kataribe.core.registry import parse
from tests.captions.suisei.made import rated


def random_columns(seed: int, rows: int = 40, columns: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)) * [1.0, 10.0, 0.1][:columns] + 5
    return x, (0.5 + 0.02 * (x - 5) @ rng.normal(size=columns) + 0.1 * rng.normal(size=rows)).clip(0, 1)


@given(st.integers(0, 1000))
def test_ridge_is_its_closed_form(seed: int) -> None:
    x, y = random_columns(seed)
    blended, strength = fit_blend(x, y, np.arange(len(y)), "ridge", seed)
    assert strength in STRENGTHS
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    weights = np.linalg.solve(standard.T @ standard + strength * np.eye(3), standard.T @ (y - y.mean()))
    np.testing.assert_allclose(blended.weights, weights, atol=1e-10)
    np.testing.assert_allclose(blended(x), (standard @ weights + y.mean()).clip(0, 1), atol=1e-10)


@given(st.integers(0, 1000))
def test_monotone_weights_are_the_best_that_are_not_negative(seed: int) -> None:
    x, y = random_columns(seed)
    blended, strength = fit_blend(x, y, np.arange(len(y)), "monotone", seed)
    assert (blended.weights >= 0).all()
    standard = (x - x.mean(axis=0)) / x.std(axis=0)

    def loss(weights: Any) -> float:
        return float(((standard @ weights + y.mean() - y) ** 2).sum() + strength * (weights**2).sum())

    rng = np.random.default_rng(seed)
    for _ in range(20):
        assert loss(blended.weights) <= loss((blended.weights + 0.05 * rng.normal(size=3)).clip(0)) + 1e-9


def test_strength_is_chosen_on_whole_groups() -> None:
    """Each group has one rating and a column of its own that tells the group: nothing that helps with other groups."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 10)
    ratings = rng.uniform(size=20)[groups]
    columns = np.eye(20)[groups]
    by_group = fit_blend(columns, ratings, groups, "ridge", 0)[1]
    by_row = fit_blend(columns, ratings, np.arange(200), "ridge", 0)[1]
    assert by_group > by_row


def test_a_column_that_never_changes_weighs_nothing() -> None:
    x, y = random_columns(1, columns=2)
    blended, _ = fit_blend(np.column_stack([x, np.full(len(x), 7.0)]), y, np.arange(len(y)), "ridge", 0)
    assert blended.weights[2] == pytest.approx(0)
    assert np.isfinite(blended(np.full((1, 3), 9.0))).all()


def test_scores_stay_on_the_scale_and_tensors_hold_all() -> None:
    blended = Blended(np.zeros(1), np.ones(1), np.ones(1), 0.5)
    assert blended(np.array([[-9.0], [0.1], [9.0]])).tolist() == [0.0, 0.6, 1.0]
    again = Blended.from_tensors(blended.to_tensors())
    assert again(np.array([[0.2]])) == blended(np.array([[0.2]]))


def test_groups_are_drawn_whole() -> None:
    groups = np.array([0, 0, 1, 2, 2, 2])
    drawn = drawn_groups(np.array([0, 1, 3, 4, 5]), groups, np.random.default_rng(1))
    assert 2 not in drawn
    times = np.bincount(drawn, minlength=6)
    assert times[0] == times[1]
    assert times[3] == times[4] == times[5]
    assert times[0] + times[3] == 2


def test_a_blend_is_the_weighted_sum_of_its_metrics(model_of: Callable[[str], str]) -> None:
    items = rated(15, seed=3).captions()
    measured = [metric.per_item(metric.rows(items)) for metric in map(parse, ("rouge_l", "cider"))]
    columns = np.column_stack([column for each in measured for column in (each.value, *each.parts.values())])
    model = open_model(model_of("blend"))
    expected = np.mean([blended(columns) for blended in model.members], axis=0)  # type: ignore[attr-defined]
    np.testing.assert_allclose(SuiSei(model_of("blend")).rows(items)[:, 1], expected, atol=1e-12)


_WITHOUT_TORCH = """
import sys
class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "transformers", "accelerate"):
            raise ImportError(f"{name} is not here")
sys.meta_path.insert(0, Refusing())
import kataribe
result = kataribe.evaluate("captions", {"1": "a dog runs"}, {"1": ["the dog runs"]}, metrics=[sys.argv[1]])
print(result[sys.argv[1]].value)
"""


def test_a_blend_scores_where_there_is_no_torch(model_of: Callable[[str], str]) -> None:
    spec = f"suisei({model_of('blend')})"
    command = [sys.executable, "-c", _WITHOUT_TORCH, spec]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    from kataribe import evaluate

    here = evaluate("captions", {"1": "a dog runs"}, {"1": ["the dog runs"]}, metrics=[spec])
    assert float(done.stdout) == pytest.approx(here[spec].value, abs=1e-12)
