"""Approximate search with faiss, for libraries in which exact search takes too long: past a million shots.

Vectors are dealt into lists round centres (k-means), in half precision; a query looks into the lists of the nearest
centres only. What it finds is scored exactly, on the vectors themselves. `python -m bench retrieval` measures how many
of the truly best shots are found.

Jégou, H., Douze, M., Schmid, C. (2011). Product quantization for nearest neighbor search. IEEE TPAMI 33(1): the
inverted file. Douze, M. et al. (2024). The Faiss library. arXiv:2401.08281.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.errors import InputError, shorten
from kataribe.core.need import need
from kataribe.core.progress import report
from kataribe.core.types import Array, Float32s
from kataribe.grounding.retrieval.nearest import BLOCK, Nearest

# For each list k-means wants so many vectors to learn from; more only cost time.
_PER_LIST = 39
# Lists that a query looks into: texts are far from all shots, and 32 would lose a sixth of the ten best of a million.
PROBES = 256
# Candidates for each answer, of which the exact scores choose.
_SPARE = 4


def _faiss() -> Any:
    return need("faiss", extra="faiss", purpose="approximate search")


def lists_for(rows: int) -> int:
    """
    >>> lists_for(100), lists_for(10_000), lists_for(4_000_000)
    (2, 256, 8000)
    """
    return max(1, min(round(4 * math.sqrt(rows)), rows // _PER_LIST))


def build_index(vectors: Array, seed: int = 0) -> Any:
    """An index of these vectors, as faiss has it."""
    faiss = _faiss()
    count, width = vectors.shape
    lists = lists_for(count)
    centres = faiss.IndexFlatIP(width)
    index = faiss.IndexIVFScalarQuantizer(
        centres, width, lists, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.seed, index.cp.spherical, index.cp.min_points_per_centroid = seed, True, 1
    rows = np.random.default_rng(seed).permutation(count)[: lists * _PER_LIST]
    index.train(np.asarray(vectors[np.sort(rows)], dtype=np.float32))
    for start in range(0, count, BLOCK):
        index.add(np.asarray(vectors[start : start + BLOCK], dtype=np.float32))
        report("sorting into lists", min(count, start + BLOCK), count)
    return index


def write_index(index: Any, path: Path) -> None:
    _faiss().write_index(index, str(path))


def read_index(path: Path) -> Any:
    """Memory-mapped: only the lists that a query looks into are read."""
    faiss = _faiss()
    try:
        return faiss.read_index(str(path), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)
    except RuntimeError as error:
        problem = f"is no index of faiss, or is damaged ({shorten(' '.join(str(error).split()), 80)})"
        raise InputError(problem, file=path, hint="remove it, and have it made again with --approximate") from None


def nearly_nearest(index: Any, vectors: Array, queries: Float32s, top: int, probes: int = PROBES) -> Nearest:
    """The best rows that are found, with their exact scores; fewer than `top` where the lists hold fewer."""
    faiss = _faiss()
    _, rows = index.search(queries, _SPARE * top, params=faiss.SearchParametersIVF(nprobe=probes))
    found = [row[row >= 0] for row in rows]
    least = min((len(row) for row in found), default=0)
    count = min(top, least)
    best = np.zeros((len(queries), count), np.int64), np.zeros((len(queries), count), np.float32)
    for query, row in enumerate(found):
        row = np.sort(row)
        scores = np.asarray(vectors[row], dtype=np.float32) @ queries[query]
        order = np.argsort(-scores, kind="stable")[:count]
        best[0][query], best[1][query] = row[order], scores[order]
    return Nearest(*best)
