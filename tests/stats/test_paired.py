from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from kataribe.stats import bootstrap, paired


def ratio(rows: np.ndarray) -> paired.Valued:
    """A score like BLEU's precisions: a ratio of sums, not a mean of items."""

    def value(weights: np.ndarray) -> np.ndarray:
        totals = weights @ rows
        return totals[:, 1] / totals[:, 0]

    return value


def permutation_p(one: np.ndarray, other: np.ndarray, replicates: int, rng: np.random.Generator) -> float:
    both = ratio(np.vstack([one, other]))
    return paired.paired_permutation(both, both, len(one), replicates, rng).p


def bootstrap_test(
    one: np.ndarray, other: np.ndarray, replicates: int, rng: np.random.Generator
) -> paired.BootstrapTest:
    whole = np.ones((1, len(one)))
    observed = float((ratio(one)(whole) - ratio(other)(whole))[0])
    drawn = paired.bootstrap_values([ratio(one), ratio(other)], len(one), replicates, rng)
    return paired.paired_bootstrap(observed, *drawn, len(one))


def bootstrap_p(one: np.ndarray, other: np.ndarray, replicates: int, rng: np.random.Generator) -> float:
    return bootstrap_test(one, other, replicates, rng).p


def made_up_rows(rng: np.random.Generator, items: int, gain: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Two systems that share the difficulty of each item; `gain` is the first one's advantage."""
    lengths = rng.integers(5, 20, items).astype(float)
    difficulty = rng.uniform(0.2, 0.6, items)
    one, other = (lengths * np.clip(difficulty + shift + rng.normal(0, 0.1, items), 0, 1) for shift in (gain, 0.0))
    return np.column_stack([lengths, one]), np.column_stack([lengths, other])


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_the_level_is_held_when_nothing_differs(test: str) -> None:
    rng = np.random.default_rng(11)
    rejected = 0
    for _ in range(500):
        one, other = made_up_rows(rng, 60)
        p = permutation_p if test == "permutation" else bootstrap_p
        rejected += p(one, other, 199, rng) <= 0.05
    assert 0.02 <= rejected / 500 <= 0.08


def test_a_planted_difference_is_found() -> None:
    rng = np.random.default_rng(3)
    one, other = made_up_rows(rng, 300, gain=0.03)
    tested = bootstrap_test(one, other, 999, rng)
    assert permutation_p(one, other, 999, rng) < 0.01
    assert tested.p < 0.01
    assert tested.interval[0] > 0


def test_intervals_of_a_difference_cover_it_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(300):
        other = rng.exponential(1.0, (150, 1))
        one = other + 0.2 + rng.normal(0, 0.5, (150, 1))
        ones = np.ones((150, 1))
        low, high = bootstrap_test(np.hstack([ones, one]), np.hstack([ones, other]), 200, rng).interval
        covered += low <= 0.2 <= high
    assert 0.90 <= covered / 300 <= 0.985


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8))
def test_few_items_agree_with_scipy_exactly(scores: list[tuple[int, int]]) -> None:
    one, other = np.array(scores, dtype=float).T
    theirs = permutation_test(
        (one, other),
        lambda a, b: np.mean(a) - np.mean(b),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="two-sided",
    )
    ones = np.ones(len(one))
    ours = permutation_p(
        np.column_stack([ones, one]), np.column_stack([ones, other]), 2 ** len(one), np.random.default_rng(0)
    )
    assert ours == pytest.approx(theirs.pvalue)


def test_many_items_agree_with_scipy_about() -> None:
    rng = np.random.default_rng(2)
    one, other = made_up_rows(rng, 40, gain=0.03)
    lengths = one[:, 0]

    def difference(a: np.ndarray, b: np.ndarray) -> float:
        return (a.sum() - b.sum()) / lengths.sum()

    theirs = permutation_test(
        (one[:, 1], other[:, 1]), difference, permutation_type="samples", n_resamples=5000, vectorized=False, rng=rng
    )
    assert permutation_p(one, other, 5000, rng) == pytest.approx(theirs.pvalue, abs=0.02)


def test_chunks_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = made_up_rows(np.random.default_rng(4), 50, gain=0.01)
    whole = permutation_p(one, other, 500, np.random.default_rng(1))
    monkeypatch.setattr(bootstrap, "CELLS_PER_CHUNK", 1000)
    assert permutation_p(one, other, 500, np.random.default_rng(1)) == whole


def test_equal_systems_are_not_different() -> None:
    rows, _ = made_up_rows(np.random.default_rng(4), 50)
    assert permutation_p(rows, rows, 200, np.random.default_rng(1)) == 1.0
    assert bootstrap_p(rows, rows, 200, np.random.default_rng(1)) == 1.0
    assert paired.effect_size(0.0, 0.0, 50) == 0.0
    assert paired.outcomes(rows[:, 1], rows[:, 1]) == (0, 50, 0)


def test_the_effect_of_a_constant_gain_has_no_bound() -> None:
    assert paired.effect_size(1.0, 0.0, 2) == np.inf
    assert np.isnan(paired.effect_size(1.0, np.nan, 1))


def test_effect_of_a_mean_is_cohens_d_of_paired_items() -> None:
    differences = np.random.default_rng(1).normal(0.3, 1.0, 60)

    def mean(weights: np.ndarray) -> np.ndarray:
        return weights @ differences / weights.sum(axis=1)

    effect = paired.effect_size(differences.mean(), paired.jackknife_error(mean, 60), 60)
    assert effect == pytest.approx(differences.mean() / differences.std(ddof=1))


def test_effect_of_a_corpus_score_has_the_sign_of_its_difference() -> None:
    """One long item decides the ratio of sums, many short ones the mean of items."""
    one = np.array([[100.0, 80.0], *[[5.0, 2.0]] * 9])
    other = np.array([[100.0, 40.0], *[[5.0, 3.0]] * 9])
    assert (one[:, 1] / one[:, 0]).mean() < (other[:, 1] / other[:, 0]).mean()

    def difference(weights: np.ndarray) -> np.ndarray:
        return ratio(one)(weights) - ratio(other)(weights)

    observed = float(difference(np.ones((1, 10)))[0])
    assert observed > 0
    assert paired.effect_size(observed, paired.jackknife_error(difference, 10), 10) > 0


def test_jackknife_of_many_items_leaves_out_groups() -> None:
    values = np.random.default_rng(2).normal(size=5000)

    def mean(weights: np.ndarray) -> np.ndarray:
        assert len(weights) <= 1000
        return weights @ values / weights.sum(axis=1)

    assert paired.jackknife_error(mean, 5000) == pytest.approx(values.std(ddof=1) / np.sqrt(5000), rel=0.1)


@pytest.mark.parametrize("items", [1, 3])
def test_one_or_three_items_prove_nothing(items: int) -> None:
    one, other = made_up_rows(np.random.default_rng(4), items, gain=0.3)
    tested = bootstrap_test(one, other, 999, np.random.default_rng(1))
    assert np.isnan(tested.p)
    assert np.isnan(tested.interval).all()
    assert permutation_p(one, other, 999, np.random.default_rng(1)) >= 2 ** (1 - items)


def test_undefined_difference_is_not_tested() -> None:
    rows, _ = made_up_rows(np.random.default_rng(4), 20)
    nothing = rows * np.nan
    assert np.isnan(permutation_p(rows, nothing, 200, np.random.default_rng(1)))
    assert np.isnan(bootstrap_p(rows, nothing, 200, np.random.default_rng(1)))


def test_bootstrap_p_and_interval_say_the_same() -> None:
    rng = np.random.default_rng(6)
    for gain in np.linspace(0, 0.06, 20):
        one, other = made_up_rows(rng, 40, gain=float(gain))
        tested = bootstrap_test(one, other, 500, rng)
        assert (tested.p <= 0.05) == (not tested.interval[0] <= 0 <= tested.interval[1])
