"""Weights of a sum that predict which of two things people prefer.

    p(first) = 1 / (1 + exp(-b . (x(first) - x(second)))),  b >= 0

fitted by maximum likelihood; a tie counts as half a preference for either. Differences are brought to the same spread
first, and a little is taken off large b (ridge), so that preferences without any contradiction have a finite answer.

Bradley, R. A., Terry, M. E. (1952). Rank analysis of incomplete block designs: I. The method of paired comparisons.
Biometrika 39.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kataribe.stats.arrays import Floats

_RIDGE = 1e-3
_STEPS = 100
_FLAT = 1e-9


def fit_preferences(differences: Floats, preferred: Floats, counts: Floats) -> Floats:
    """Weights of the columns of `differences` (pairs x parts), none negative; all 0 where nothing predicts anything.

    `preferred` is above 0 where the first is preferred, below 0 the second; each pair counts `counts` times.

    >>> rng = np.random.default_rng(0)
    >>> differences = rng.normal(size=(2000, 3))
    >>> utility = differences @ [1.0, 2.0, 0.0] + rng.logistic(size=2000)
    >>> fit_preferences(differences, np.sign(utility), np.ones(2000)).round(1) + 0.0
    array([1. , 1.9, 0. ])
    """
    total = counts.sum()
    spread = np.sqrt((counts @ differences**2) / max(total, 1.0))
    usable = spread > 0
    weights = np.zeros(differences.shape[1])
    if usable.any():
        said = counts > 0
        x = differences[np.ix_(said, usable)] / spread[usable]
        weights[usable] = _minimise(_Loss(x, (np.sign(preferred[said]) + 1) / 2, counts[said] / total)) / spread[usable]
    return weights


class _Loss(NamedTuple):
    """The mean negative logarithm of the likelihood of what people prefer, and a little for large weights."""

    x: Floats
    first: Floats
    share: Floats

    def value(self, b: Floats) -> float:
        margins = self.x @ b
        return float(self.share @ (np.logaddexp(0.0, margins) - self.first * margins) + _RIDGE / 2 * b @ b)

    def slopes(self, b: Floats) -> tuple[Floats, Floats]:
        """The gradient and the matrix of second derivatives."""
        chance = 1 / (1 + np.exp(-np.clip(self.x @ b, -500, 500)))
        gradient = self.x.T @ (self.share * (chance - self.first)) + _RIDGE * b
        curvature = (self.x.T * (self.share * chance * (1 - chance))) @ self.x
        return gradient, curvature + _RIDGE * np.eye(len(b))


def _minimise(loss: _Loss) -> Floats:
    """Newton's method on the weights that are free to move; the others stay at 0. The loss is convex."""
    b = np.ones(loss.x.shape[1])
    for _ in range(_STEPS):
        gradient, curvature = loss.slopes(b)
        free = (b > 0) | (gradient < 0)
        if not free.any() or np.abs(gradient[free]).max() < _FLAT:
            break
        step = np.zeros_like(b)
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        now, length = loss.value(b), 1.0
        while loss.value(moved := np.maximum(b - length * step, 0)) > now - 1e-4 * gradient @ (b - moved):
            length /= 2
            if length < _FLAT:
                return b
        b = moved
    return b
