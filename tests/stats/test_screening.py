"""Raters who do not look are found, raters who do are not accused."""

from __future__ import annotations

import numpy as np

from kataribe.stats.screening import screen


def careful(rng: np.random.Generator, truth: np.ndarray, raters: int, noise: float = 0.7) -> np.ndarray:
    return np.clip(np.round(truth + rng.normal(scale=noise, size=(raters, len(truth)))), 1, 5)


def test_random_reversed_and_straight_raters_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(1, 5, 120)
    table = np.vstack(
        [
            careful(rng, truth, 6),
            rng.integers(1, 6, 120).astype(float),
            6 - careful(rng, truth, 1),
            np.full(120, 3.0),
        ]
    )
    verdicts = [found.verdict for found in screen(table, rng=rng, draws=2000)]
    assert verdicts == ["agrees"] * 6 + ["random", "reversed", "straight"]


def test_few_answers_give_no_verdict() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(1, 5, 60)
    table = np.vstack([careful(rng, truth, 4), careful(rng, truth, 2)])
    table[4, 3:] = np.nan
    table[5] = np.nan
    table[5, :6] = rng.permutation([1.0, 2.0, 3.0, 3.0, 4.0, 5.0])
    found = screen(table, rng=rng, draws=2000)
    assert [rater.verdict for rater in found[:4]] == ["agrees"] * 4
    assert [rater.verdict for rater in found[4:]] == ["unclear", "unclear"]
    assert found[4].units == 3


def test_a_rater_without_company_is_unclear() -> None:
    assert [found.verdict for found in screen(np.arange(9.0)[None], rng=np.random.default_rng(0))] == ["unclear"]


def test_everyone_who_says_the_same_is_not_a_straight_liner() -> None:
    """On items that are all bad, the one who always says bad is right."""
    table = np.ones((4, 40))
    table[0, :2] = 2
    assert "straight" not in {found.verdict for found in screen(table, rng=np.random.default_rng(0), draws=1000)}


def test_raters_who_do_not_look_pass_no_more_often_than_the_level_says() -> None:
    """Rankings of four texts for each of 15 items: eight careful raters, one who ranks blindly."""
    rng = np.random.default_rng(3)
    trials, passed = 200, 0
    for _ in range(trials):
        truth = rng.normal(size=(15, 4))
        looks = [rank(truth + rng.normal(size=truth.shape)) for _ in range(8)]
        table = np.vstack([*looks, rank(rng.normal(size=truth.shape))])
        found = screen(table, groups=np.repeat(np.arange(15), 4), rng=rng, draws=400)
        passed += found[-1].verdict == "agrees"
    assert passed <= 21  # one in twenty is 10; more than 21 are seen once in a thousand times


def rank(scores: np.ndarray) -> np.ndarray:
    return scores.argsort(axis=1).argsort(axis=1).ravel().astype(float)
