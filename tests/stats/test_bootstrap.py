from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kataribe.stats import bootstrap


@given(st.integers(1, 50), st.integers(1, 20), st.integers(0, 5))
def test_every_replicate_draws_as_many_items_as_there_are(items: int, replicates: int, seed: int) -> None:
    drawn = np.concatenate(list(bootstrap.resample_weights(items, replicates, np.random.default_rng(seed))))
    assert drawn.shape == (replicates, items)
    assert (drawn.sum(axis=1) == items).all()


def test_chunks_do_not_change_the_draw(monkeypatch) -> None:
    whole = np.concatenate(list(bootstrap.resample_weights(30, 10, np.random.default_rng(1))))
    monkeypatch.setattr(bootstrap, "CELLS_PER_CHUNK", 60)
    chunks = list(bootstrap.resample_weights(30, 10, np.random.default_rng(1)))
    assert len(chunks) == 5
    np.testing.assert_array_equal(np.concatenate(chunks), whole)


def test_intervals_of_a_mean_cover_it_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    for items in (10, 200):
        covered = 0
        for _ in range(300):
            sample = rng.exponential(1.0, items)
            weights = next(bootstrap.resample_weights(items, 200, rng))
            interval = bootstrap.studentised_interval(
                sample.mean(), weights @ sample / items, items, bounds=(0.0, np.inf)
            )
            assert interval is not None
            covered += interval[0] <= 1.0 <= interval[1]
        assert 0.91 <= covered / 300 <= 0.985


@given(
    st.integers(5, 40), st.integers(0, 50), st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.0, np.inf), (-np.inf, np.inf)])
)
def test_interval_holds_its_value_and_stays_within_bounds(items: int, seed: int, bounds: tuple[float, float]) -> None:
    """Even where replicates are biased away from the value, as those of tau and BLEU are."""
    rng = np.random.default_rng(seed)
    value = rng.uniform(0, 1)
    replicates = np.clip(rng.normal(0.5 * value, 0.1, 200), 0, 1)
    interval = bootstrap.studentised_interval(value, replicates, items, bounds)
    assert interval is not None
    assert bounds[0] <= interval[0] <= value <= interval[1] <= bounds[1]


def test_value_at_its_bound_has_an_interval_that_ends_there() -> None:
    replicates = np.linspace(0.8, 1.0, 100)
    low, high = bootstrap.studentised_interval(1.0, replicates, 20, (-1.0, 1.0)) or (0, 0)
    assert high == 1.0
    assert 0.8 < low < 0.95


def test_metric_that_leaves_its_bounds_is_not_held_to_them() -> None:
    low, high = bootstrap.studentised_interval(9.0, np.linspace(8, 10, 100), 20, (0.0, 1.0)) or (0, 0)
    assert 1 < low < 9 < high


def test_a_few_draws_without_any_match_do_not_blow_up_the_interval() -> None:
    """BLEU of a draw without a four-gram match is near 0, endlessly far away on the scale of logarithms."""
    usual = np.linspace(0.05, 0.15, 95)
    _, high = bootstrap.studentised_interval(0.1, usual, 30, (0.0, 1.0)) or (0, 0)
    _, with_misses = bootstrap.studentised_interval(0.1, np.append(usual, [1e-9] * 5), 30, (0.0, 1.0)) or (0, 0)
    assert with_misses < 1.5 * high


def test_replicates_that_are_mostly_equal_still_have_a_spread() -> None:
    replicates = np.array([-1 / 3] * 90 + [1 / 3] * 10)
    low, high = bootstrap.studentised_interval(-1 / 3, replicates, 12, (-1.0, 1.0)) or (0, 0)
    assert -1 < low < -1 / 3 < high < 1


def test_there_is_no_interval_where_it_cannot_be_told() -> None:
    replicates = np.linspace(0.4, 0.6, 100)
    assert bootstrap.studentised_interval(0.5, replicates, bootstrap.FEWEST_ITEMS) is not None
    assert bootstrap.studentised_interval(0.5, replicates, bootstrap.FEWEST_ITEMS - 1) is None
    assert bootstrap.studentised_interval(0.5, np.full(100, 0.5), 50) is None
    assert bootstrap.studentised_interval(0.5, np.append(replicates, np.nan), 50) is None
    assert bootstrap.studentised_interval(np.nan, replicates, 50) is None
