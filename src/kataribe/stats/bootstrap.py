"""The bootstrap: draw items with replacement, reduce their statistics again, look at the spread.

Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7(1).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

# Replicates per chunk are chosen so that a chunk of weights stays near this many cells (32 MB).
CELLS_PER_CHUNK = 1 << 22


def resample_weights(items: int, replicates: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.float64]]:
    """Chunks of a (replicates x items) table: how often each item was drawn. Each row sums to `items`.

    >>> next(resample_weights(3, 2, np.random.default_rng(0))).sum(axis=1)
    array([3., 3.])
    """
    rows = max(1, CELLS_PER_CHUNK // max(1, items))
    for start in range(0, replicates, rows):
        count = min(rows, replicates - start)
        weights = np.empty((count, items))
        for row in weights:
            row[:] = np.bincount(rng.integers(0, items, items), minlength=items)
        yield weights


def percentile_interval(replicates: npt.NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """The central interval that holds `level` of the replicates.

    >>> percentile_interval(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    tail = (1 - level) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    return float(low), float(high)
