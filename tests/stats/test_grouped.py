"""Correlations within groups are those of each group by itself."""

from __future__ import annotations

import numpy as np
import pytest

from kataribe.stats.choices import STATISTICS
from kataribe.stats.correlation import Rows
from kataribe.stats.grouped import grouped_correlations


@pytest.mark.parametrize("seed", range(5))
def test_each_group_is_correlated_by_itself(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [*rng.integers(0, 9, 40).tolist(), 250]  # one group is too large to spell its pairs
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    x, y = rng.integers(0, 5, len(groups)).astype(float), rng.normal(size=len(groups)).round(1)
    found = grouped_correlations(x, y, groups, len(sizes))
    for group in range(len(sizes)):
        chosen = groups == group
        if chosen.sum() < 2:
            assert all(np.isnan(found[name][group]) for name in STATISTICS)
            continue
        alone = Rows(x[chosen], y[chosen]).values()
        for name in STATISTICS:
            np.testing.assert_allclose(found[name][group], alone[name], atol=1e-9)
