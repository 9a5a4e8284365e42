"""Monotone gradient boosting: a sum of small regression trees over metrics' scores, in each of which a better score of
any metric never makes the caption worse.

    y_0 = the mean rating;  y_t = y_(t-1) + rate * tree_t(x), tree_t fitted to what y_(t-1) leaves of the ratings
    120 trees of at most 8 leaves, rate 0.08; at least 40 captions a leaf (of few captions: a tenth of them); half of
    the columns, drawn anew, are tried at each node; leaves shrink by l2 = 1. All trees are kept: nothing stops early.

scikit-learn fits the trees. They are kept as plain arrays and read by numpy alone.

Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics 29.
Ke, G., et al. (2017). LightGBM: a highly efficient gradient boosting decision tree. NeurIPS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from kataribe.core.errors import KataribeError
from kataribe.core.need import need
from kataribe.core.types import Floats, Int64s

TREES, RATE, LEAVES, LEAF_SIZE, L2, COLUMNS_TRIED = 120, 0.08, 8, 40, 1.0, 0.5
_ROWS_AT_ONCE = 8192
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Trees:
    """All nodes of all trees, one behind the other; a leaf has itself as both children.

    At a node a caption goes `left` if its `column` is at most `threshold`, or if it is missing and `missing_left`.
    """

    base: Floats
    roots: Int64s
    column: Int64s
    threshold: Floats
    left: Int64s
    right: Int64s
    missing_left: np.ndarray
    value: Floats

    def __post_init__(self) -> None:
        nodes = np.arange(len(self.column))
        is_leaf = (self.left == nodes) & (self.right == nodes)
        is_inner = (self.left > nodes) & (self.right > nodes) & (np.maximum(self.left, self.right) < len(nodes))
        # Children stand behind their node, so that every way down ends.
        if not (is_leaf | is_inner).all() or not ((self.roots >= 0) & (self.roots < len(nodes))).all():
            raise ValueError("the nodes are no trees")

    def __call__(self, columns: Floats) -> Floats:
        """The score of each row of columns, limited to 0 ... 1."""
        return self.raw(columns).clip(0.0, 1.0)

    def raw(self, columns: Floats) -> Floats:
        portions = [columns[start : start + _ROWS_AT_ONCE] for start in range(0, len(columns), _ROWS_AT_ONCE)]
        return np.concatenate([self._sum(portion) for portion in portions]) if portions else np.zeros(0)

    def _sum(self, columns: Floats) -> Floats:
        rows = np.arange(len(columns))[:, np.newaxis]
        at = np.broadcast_to(self.roots, (len(columns), len(self.roots)))
        while True:
            x = columns[rows, self.column[at]]
            goes_left = np.where(np.isnan(x), self.missing_left[at], x <= self.threshold[at])
            below = np.where(goes_left, self.left[at], self.right[at])
            if np.array_equal(below, at):
                break
            at = below
        sums: Floats = self.base[0] + self.value[at].sum(axis=1)
        return sums

    def to_tensors(self) -> dict[str, np.ndarray]:
        return {f"trees.{each.name}": getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, np.ndarray]) -> Trees:
        return cls(**{each.name: tensors[f"trees.{each.name}"] for each in fields(cls)})


def fit_trees(columns: Floats, ratings: Floats, weights: Floats, seed: int) -> Trees:
    """
    >>> x = np.linspace(0, 1, 400)[:, np.newaxis]
    >>> trees = fit_trees(x, x[:, 0] ** 2, np.ones(400), seed=0)
    >>> bool((np.diff(trees(np.array([[0.1], [0.3], [0.5], [0.7], [0.9]]))) > 0.05).all())
    True
    """
    ensemble = need("sklearn.ensemble", extra="models", purpose="boosting")
    threads = need("threadpoolctl", extra="models", purpose="boosting")
    booster = ensemble.HistGradientBoostingRegressor(
        learning_rate=RATE,
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=max(1, min(LEAF_SIZE, len(ratings) // 10)),
        l2_regularization=L2,
        max_features=COLUMNS_TRIED,
        monotonic_cst=[1] * columns.shape[1],
        early_stopping=False,
        random_state=seed,
    )
    with threads.threadpool_limits(1):  # the order of sums, and with it the last digits, depends on threads
        booster.fit(columns, ratings, sample_weight=weights)
        expected = booster.predict(columns)
    trees = trees_of(booster)
    if np.abs(trees.raw(columns) - expected).max() > _SAME:
        raise KataribeError("this version of scikit-learn keeps its trees in a way that is not known here")
    return trees


def trees_of(booster: Any) -> Trees:
    """The trees of a booster of scikit-learn."""
    found = [tree.nodes for (tree,) in booster._predictors]
    sizes = np.array([len(nodes) for nodes in found])
    nodes, first = np.concatenate(found), np.repeat(np.cumsum(sizes) - sizes, sizes)
    is_leaf = nodes["is_leaf"].astype(bool)
    own = np.arange(len(nodes))
    return Trees(
        base=np.array([float(np.ravel(booster._baseline_prediction)[0])]),
        roots=(np.cumsum(sizes) - sizes).astype(np.int64),
        column=np.where(is_leaf, 0, nodes["feature_idx"]).astype(np.int64),
        threshold=np.where(is_leaf, 0.0, nodes["num_threshold"]),
        left=np.where(is_leaf, own, first + nodes["left"]).astype(np.int64),
        right=np.where(is_leaf, own, first + nodes["right"]).astype(np.int64),
        missing_left=nodes["missing_go_to_left"].astype(bool),
        value=np.where(is_leaf, nodes["value"], 0.0),
    )
