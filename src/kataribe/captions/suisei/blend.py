"""Blend: other metrics' scores of a caption made one, fitted to ratings. No network, no encoder of its own.

    x          the chosen metrics' values and parts of the caption; of ridge and monotone, standardised
    ridge      y = w . x + b, minimising |y - rating|^2 + strength |w|^2
    monotone   the same with w >= 0: no metric may count against a caption
    boosting   y = a sum of small trees (`trees.py`), in which no metric may count against a caption, either
    score      y, limited to 0 ... 1

`strength` is chosen by cross-validation over groups of captions that share nothing. Three hundred ratings are enough
for ridge and monotone. Captions weigh what training gives them: see `drawn.py`.

Hoerl, A. E., Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems. Technometrics 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from kataribe.captions.suisei.options import Linear
from kataribe.core import registry
from kataribe.core.types import Floats, Int64s
from kataribe.learning.splits import split

DEFAULT_METRICS = (
    "sentence_cosine",
    "sentence_cosine(refs=mean)",
    "sentence_cosine(e5)",
    "sentence_cosine(e5, refs=mean)",
    "bertscore",
    "bertscore(idf=true)",
)
# What a blend is made of where the user does not say: two encoders that read English.
_ENGLISH = "minilm"
STRENGTHS = tuple(10.0**power for power in range(-2, 5))
_FOLDS = 5


def default_metrics(encoder: str) -> tuple[str, ...]:
    """What a blend is made of with this text encoder; beside another than the English one it stands alone.

    >>> default_metrics("e5")
    ('sentence_cosine(e5)', 'sentence_cosine(e5, refs=mean)', 'bertscore(e5)', 'bertscore(e5, idf=true)')
    """
    if encoder == _ENGLISH:
        return DEFAULT_METRICS
    metrics: list[Any] = [registry.parse(spec) for spec in DEFAULT_METRICS]
    return tuple(dict.fromkeys(str(replace(metric, model=encoder)) for metric in metrics))


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


def fit_blend(
    columns: Floats, ratings: Floats, groups: Int64s, kind: Linear, seed: int, weights: Floats | None = None
) -> tuple[Blended, float]:
    """The best weighted sum and its strength, chosen on folds of whole groups.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 2))
    >>> blended, strength = fit_blend(x, 0.5 + 0.1 * x[:, 0], np.arange(200), "ridge", seed=0)
    >>> blended.weights.round(2).tolist()
    [0.1, 0.0]
    """
    rated = _Rated(columns, ratings, np.ones(len(ratings)) if weights is None else weights)
    folds = _folds(groups, seed)
    errors = [sum(_error(rated, fold, kind, strength) for fold in folds) for strength in STRENGTHS]
    best = STRENGTHS[int(np.argmin(errors))]
    return _fit(rated, kind, best), best


class _Rated(NamedTuple):
    columns: Floats
    ratings: Floats
    weights: Floats

    def at(self, rows: np.ndarray) -> _Rated:
        return _Rated(self.columns[rows], self.ratings[rows], self.weights[rows])


def _folds(groups: Int64s, seed: int) -> list[Int64s]:
    count = min(_FOLDS, len(np.unique(groups)))
    parts: Sequence[Int64s] = tuple(split(groups, {str(fold): 1.0 for fold in range(count)}, seed).values())
    return [part for part in parts if 0 < len(part) < len(groups)]


def _error(rated: _Rated, fold: Int64s, kind: Linear, strength: float) -> float:
    inside = np.ones(len(rated.ratings), dtype=bool)
    inside[fold] = False
    left_out = rated.at(fold)
    scores = _fit(rated.at(inside), kind, strength)(left_out.columns)
    return float((left_out.weights * (scores - left_out.ratings) ** 2).sum())


def _fit(rated: _Rated, kind: Linear, strength: float) -> Blended:
    columns, ratings, weights = rated
    means = np.average(columns, axis=0, weights=weights)
    deviations = np.sqrt(np.average((columns - means) ** 2, axis=0, weights=weights))
    # What never changes may differ from its mean in the last digit.
    deviations = np.where(deviations > 1e-12 * np.maximum(1.0, np.abs(means)), deviations, 1.0)
    intercept = float(np.average(ratings, weights=weights))
    by = np.sqrt(weights)
    x, y = (columns - means) / deviations * by[:, np.newaxis], (ratings - intercept) * by
    # Ridge as plain least squares: a row sqrt(strength) e_k with target 0 for each weight k.
    padded = np.vstack([x, np.sqrt(strength) * np.eye(x.shape[1])])
    targets = np.concatenate([y, np.zeros(x.shape[1])])
    solve = (lambda a, b: nnls(a, b)[0]) if kind == "monotone" else (lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0])
    return Blended(means, deviations, np.asarray(solve(padded, targets), dtype=np.float64), intercept)
