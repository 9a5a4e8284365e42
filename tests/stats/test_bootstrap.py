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
    covered = 0
    for _ in range(300):
        sample = rng.exponential(1.0, 200)
        weights = next(bootstrap.resample_weights(200, 200, rng))
        low, high = bootstrap.percentile_interval(weights @ sample / 200)
        covered += low <= 1.0 <= high
    assert 0.89 <= covered / 300 <= 0.985
