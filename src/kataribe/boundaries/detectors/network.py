"""A classifier of one hidden layer in numpy: small enough to train on a laptop from cached features.

    p(x) = sigmoid(w2 . relu(W1 (x - mean) / deviation + b1) + b2), fitted with binary cross entropy and Adam

Kingma, D. P., Ba, J. (2015). Adam: a method for stochastic optimization. ICLR.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from kataribe.core.progress import report
from kataribe.core.types import Floats

Parameters = dict[str, Floats]
_FIRST_MOMENT, _SECOND_MOMENT, _TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class FitOptions:
    """How to fit. `positive_weight` 0 balances the classes."""

    hidden: int = 32
    epochs: int = 30
    batch: int = 256
    rate: float = 2e-3
    decay: float = 1e-3
    positive_weight: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Network:
    parameters: Parameters

    def __call__(self, inputs: Floats) -> Floats:
        """The probability of each row."""
        probabilities: Floats = expit(_forward(self.parameters, self._standardised(inputs))[1])
        return probabilities

    def _standardised(self, inputs: Floats) -> Floats:
        return (inputs - self.parameters["mean"]) / self.parameters["deviation"]


def fit(inputs: Floats, targets: Floats, options: FitOptions) -> Network:
    """Targets may be shares between 0 and 1; the same seed gives the same network."""
    rng = np.random.default_rng(options.seed)
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    rows = (inputs - mean) / deviation
    width = rows.shape[1]
    weights: Parameters = {
        "first": rng.normal(0, np.sqrt(2 / width), (width, options.hidden)),
        "first_bias": np.zeros(options.hidden),
        "second": rng.normal(0, np.sqrt(1 / options.hidden), options.hidden),
        "second_bias": np.zeros(1),
    }
    share = float(targets.mean())
    positive_weight = options.positive_weight or (1 - share) / max(share, 1e-6)
    moments = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in weights.items()}
    step = 0
    for epoch in range(options.epochs):
        report("training", epoch, options.epochs)
        for chosen in np.array_split(rng.permutation(len(rows)), max(1, len(rows) // options.batch)):
            step += 1
            gradients = _gradients(weights, rows[chosen], targets[chosen], positive_weight, options.decay)
            for name, gradient in gradients.items():
                first, second = moments[name]
                first += (1 - _FIRST_MOMENT) * (gradient - first)
                second += (1 - _SECOND_MOMENT) * (gradient**2 - second)
                unbiased = first / (1 - _FIRST_MOMENT**step)
                weights[name] -= options.rate * unbiased / (np.sqrt(second / (1 - _SECOND_MOMENT**step)) + _TINY)
    report("training", options.epochs, options.epochs)
    return Network({**weights, "mean": mean, "deviation": deviation})


def _forward(weights: Parameters, rows: Floats) -> tuple[Floats, Floats]:
    hidden = np.maximum(rows @ weights["first"] + weights["first_bias"], 0)
    return hidden, hidden @ weights["second"] + weights["second_bias"][0]


def _gradients(weights: Parameters, rows: Floats, targets: Floats, positive_weight: float, decay: float) -> Parameters:
    hidden, logits = _forward(weights, rows)
    probability = expit(logits)
    # d/dlogit of -(w y log p + (1 - y) log(1 - p)), averaged over the batch
    error = ((1 - targets) * probability - positive_weight * targets * (1 - probability)) / len(rows)
    behind = np.outer(error, weights["second"]) * (hidden > 0)
    return {
        "first": rows.T @ behind + decay * weights["first"],
        "first_bias": behind.sum(axis=0),
        "second": hidden.T @ error + decay * weights["second"],
        "second_bias": np.array([error.sum()]),
    }
