"""Exact search: the vectors with the largest products, among as many as the disk holds.

Vectors are looked at in blocks, so that memory stays bounded whatever their number: a block is read from the memory
map, turned into single precision and multiplied; of its scores the best stay. Among equal scores the first row comes
first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kataribe.core.types import Array, Float32s, Int64s

# Rows looked at together: 64 MB of vectors of 256 numbers.
BLOCK = 1 << 16


class Nearest(NamedTuple):
    """For each query rows and their scores, best first: (queries, found)."""

    rows: Int64s
    scores: Float32s


def nearest(vectors: Array, queries: Float32s, top: int, block: int = BLOCK, first: int = 0) -> Nearest:
    """The `top` best rows for each query, counted from `first`; fewer where there are fewer.

    >>> found = nearest(np.eye(3, dtype=np.float16), np.array([[0.1, 0.9, 0.5]], np.float32), 2)
    >>> found.rows.tolist()
    [[1, 2]]
    """
    best = Nearest(np.zeros((len(queries), 0), np.int64), np.zeros((len(queries), 0), np.float32))
    for start in range(0, len(vectors), block):
        rows = vectors[start : start + block]
        scores = queries @ np.asarray(rows, dtype=np.float32).T
        best = merged(best, _best_of(scores, top, first + start), top)
    return best


def merged(one: Nearest, other: Nearest, top: int) -> Nearest:
    """The best of two searches in different rows."""
    rows, scores = np.hstack([one.rows, other.rows]), np.hstack([one.scores, other.scores])
    order = np.lexsort((rows, -scores), axis=-1)[:, :top]
    return Nearest(np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1))


def _best_of(scores: Float32s, top: int, first: int) -> Nearest:
    """In no order. Of equal scores at the edge the first rows are taken, as a full sort would."""
    count = scores.shape[1]
    if count <= top:
        rows = np.broadcast_to(np.arange(count, dtype=np.int64), scores.shape)
        return Nearest(rows + first, scores)
    edge = -np.partition(-scores, top - 1, axis=1)[:, top - 1 : top]
    chosen = np.empty((len(scores), top), dtype=np.int64)
    for query, (row, least) in enumerate(zip(scores, edge, strict=True)):
        above, equal = np.flatnonzero(row > least), np.flatnonzero(row == least)
        chosen[query] = np.concatenate([above, equal[: top - len(above)]])
    return Nearest(chosen + first, np.take_along_axis(scores, chosen, axis=1))
