"""Agreement between raters equals the textbook's examples and an independent implementation."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kataribe.stats.correlation import pearson
from kataribe.stats.raters import LEVELS, Level, alpha, ceilings, consensus_of_others, habits, kappa, pairwise_kappa

NAN = np.nan

# Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability, section C: four observers, twelve units.
TEXTBOOK = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_textbook_table_gives_the_published_alpha(level: Level, published: float) -> None:
    assert alpha(TEXTBOOK, level) == pytest.approx(published, abs=0.0005)


@st.composite
def tables(draw: st.DrawFn, values: st.SearchStrategy[float]) -> np.ndarray:
    raters, units = draw(st.integers(2, 5)), draw(st.integers(2, 12))
    cells = st.one_of(st.just(NAN), values, values)
    return np.array(draw(st.lists(cells, min_size=raters * units, max_size=raters * units))).reshape(raters, units)


@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=150, deadline=None)
@given(table=tables(st.sampled_from([-3.0, 0.0, 1.0, 2.0, 5.5, 1000.0])))
def test_alpha_equals_the_other_implementation(level: Level, table: np.ndarray) -> None:
    pairable = table[:, np.isfinite(table).sum(axis=0) > 1]
    assume(len(np.unique(pairable[np.isfinite(pairable)])) > 1)
    assert alpha(table, level) == pytest.approx(krippendorff.alpha(table, level_of_measurement=level), abs=1e-9)


def test_alpha_is_undefined_without_two_answers_or_two_values() -> None:
    assert np.isnan(alpha(np.array([[1.0, NAN], [NAN, 2.0]])))
    assert np.isnan(alpha(np.array([[1.0, 1.0], [1.0, NAN]])))


def test_alpha_of_a_million_answers_needs_no_table_of_pairs() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=50_000)
    table = truth + rng.normal(size=(20, 50_000))
    assert alpha(table) == pytest.approx(0.5, abs=0.02)
    assert alpha(table, "nominal") == pytest.approx(0.0, abs=1e-9)


def brute_kappa(one: np.ndarray, other: np.ndarray, power: int) -> float:
    def distance(a: float, b: float) -> float:
        return float(a != b) if power == 0 else abs(a - b) ** power

    observed = np.mean([distance(a, b) for a, b in zip(one, other, strict=True)])
    expected = np.mean([distance(a, b) for a in one for b in other])
    return float(1 - observed / expected)


@settings(max_examples=100, deadline=None)
@given(answers=st.lists(st.tuples(*[st.sampled_from([1.0, 2.0, 4.0, 5.0])] * 2), min_size=2, max_size=15))
def test_kappa_is_one_minus_observed_over_expected_disagreement(answers: list[tuple[float, float]]) -> None:
    one, other = np.array(answers).T
    assume(len(np.unique(np.concatenate([one, other]))) > 1)
    for power, weighting in enumerate(("none", "linear", "quadratic")):
        assert kappa(one, other, weighting) == pytest.approx(brute_kappa(one, other, power), abs=1e-9)  # type: ignore[arg-type]


def test_kappa_looks_at_shared_units_only() -> None:
    one, other = np.array([1.0, 2.0, NAN, 1.0]), np.array([1.0, 2.0, 2.0, NAN])
    assert kappa(one, other) == 1.0
    assert np.isnan(kappa(np.array([1.0, NAN]), np.array([NAN, 1.0])))
    assert np.isnan(kappa(np.array([1.0, 1.0]), np.array([1.0, 1.0])))


def test_pairwise_kappa_is_symmetric() -> None:
    kappas = pairwise_kappa(TEXTBOOK, "quadratic")
    np.testing.assert_array_equal(kappas, kappas.T)
    assert np.isnan(np.diag(kappas)).all()
    assert kappas[0, 1] == kappa(TEXTBOOK[0], TEXTBOOK[1], "quadratic")


@settings(max_examples=50, deadline=None)
@given(table=tables(st.sampled_from([1.0, 2.0, 3.0])))
def test_the_others_mean_leaves_the_rater_out(table: np.ndarray) -> None:
    others = consensus_of_others(table)
    for row in range(len(table)):
        rest = np.delete(table, row, axis=0)
        for unit in range(table.shape[1]):
            values = rest[np.isfinite(rest[:, unit]), unit]
            expected = values.mean() if len(values) else NAN
            np.testing.assert_allclose(others[row, unit], expected, rtol=1e-12)


def test_ceiling_correlates_each_rater_with_the_others_mean() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=30) + rng.normal(size=(4, 30))
    expected = [np.corrcoef(table[row], np.delete(table, row, axis=0).mean(axis=0))[0, 1] for row in range(len(table))]
    np.testing.assert_allclose(ceilings(table, pearson), expected, rtol=1e-9)


def test_habits_tell_the_mild_from_the_timid() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(1, 6, 200).astype(float)
    mild, timid = truth + 1, np.where(truth > 3, 3.0, 2.0)
    found = habits(np.vstack([truth, truth, mild, timid]))
    assert found[2].offset == pytest.approx((2 * truth + timid).mean() * -1 / 3 + mild.mean())
    assert found[2].offset > 0.9
    assert found[2].spread == pytest.approx(1.2, abs=0.2)
    assert found[3].spread < 0.5
    assert (found[3].lowest, found[3].highest, found[3].answers, found[3].shared) == (2.0, 3.0, 200, 200)


def test_habits_of_a_rater_without_company_are_unknown() -> None:
    (alone,) = habits(np.array([[1.0, 2.0, NAN]]))
    assert (alone.answers, alone.shared) == (2, 0)
    assert np.isnan([alone.offset, alone.error, alone.spread]).all()
