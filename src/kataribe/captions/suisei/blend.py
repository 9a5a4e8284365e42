"""Blend: a weighted sum of other metrics' scores of a caption, fitted to ratings. No network, no encoder of its own.

    x      = the chosen metrics' values and parts of the caption, standardised by the training captions
    ridge  y = w . x + b, minimising |y - rating|^2 + strength |w|^2
    monotone   the same with w >= 0: no metric may count against a caption
    score  = y, limited to 0 ... 1

`strength` is chosen by cross-validation over groups of captions that share nothing. Three hundred ratings are enough.

Hoerl, A. E., Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems. Technometrics 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from kataribe.captions.suisei.options import Blend
from kataribe.core.types import Floats, Int64s
from kataribe.learning.splits import split

DEFAULT_METRICS = ("sentence_cosine", "sentence_cosine(refs=mean)", "bertscore", "meteor", "rouge_l", "cider")
STRENGTHS = tuple(10.0**power for power in range(-2, 5))
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Blended:
    """What was fitted: `weights` of the standardised columns, and the intercept."""

    means: Floats
    deviations: Floats
    weights: Floats
    intercept: float

    def __call__(self, columns: Floats) -> Floats:
        """The score of each row of columns."""
        scores: Floats = ((columns - self.means) / self.deviations) @ self.weights + self.intercept
        return scores.clip(0.0, 1.0)

    def to_tensors(self) -> dict[str, np.ndarray]:
        return {
            "means": self.means,
            "deviations": self.deviations,
            "weights": self.weights,
            "intercept": np.array([self.intercept]),
        }

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, np.ndarray]) -> Blended:
        return cls(tensors["means"], tensors["deviations"], tensors["weights"], float(tensors["intercept"][0]))


def fit_blend(columns: Floats, ratings: Floats, groups: Int64s, kind: Blend, seed: int) -> tuple[Blended, float]:
    """The best blend and its strength, chosen on folds of whole groups.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 2))
    >>> blended, strength = fit_blend(x, 0.5 + 0.1 * x[:, 0], np.arange(200), "ridge", seed=0)
    >>> blended.weights.round(2).tolist()
    [0.1, 0.0]
    """
    folds = _folds(groups, seed)
    errors = [sum(_error(columns, ratings, fold, kind, strength) for fold in folds) for strength in STRENGTHS]
    best = STRENGTHS[int(np.argmin(errors))]
    return _fit(columns, ratings, kind, best), best


def _folds(groups: Int64s, seed: int) -> list[Int64s]:
    count = min(_FOLDS, len(np.unique(groups)))
    parts: Sequence[Int64s] = tuple(split(groups, {str(fold): 1.0 for fold in range(count)}, seed).values())
    return [part for part in parts if 0 < len(part) < len(groups)]


def _error(columns: Floats, ratings: Floats, fold: Int64s, kind: Blend, strength: float) -> float:
    inside = np.ones(len(ratings), dtype=bool)
    inside[fold] = False
    scores = _fit(columns[inside], ratings[inside], kind, strength)(columns[fold])
    return float(((scores - ratings[fold]) ** 2).sum())


def _fit(columns: Floats, ratings: Floats, kind: Blend, strength: float) -> Blended:
    means, deviations = columns.mean(axis=0), columns.std(axis=0)
    deviations = np.where(deviations > 0, deviations, 1.0)
    x, intercept = (columns - means) / deviations, float(ratings.mean())
    # Ridge as plain least squares: a row sqrt(strength) e_k with target 0 for each weight k.
    padded = np.vstack([x, np.sqrt(strength) * np.eye(x.shape[1])])
    targets = np.concatenate([ratings - intercept, np.zeros(x.shape[1])])
    solve = (lambda a, b: nnls(a, b)[0]) if kind == "monotone" else (lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0])
    return Blended(means, deviations, np.asarray(solve(padded, targets), dtype=np.float64), intercept)
