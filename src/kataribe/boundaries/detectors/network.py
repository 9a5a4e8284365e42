"""The classifier of pairs as it is used: one hidden layer, in numpy, because whoever detects needs no torch.

    p(x) = sigmoid(w2 . relu(W1 (x - mean) / deviation + b1) + b2)

`pair_network` is the same network as it is trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from kataribe.core.types import Floats

Parameters = Mapping[str, Floats]


@dataclass(frozen=True)
class Network:
    """`first` is (width, hidden), `second` (hidden,), `second_bias` (1,); the others go with them."""

    parameters: Parameters

    def __post_init__(self) -> None:
        """Refuse what does not fit together, as a ValueError."""
        width, hidden = self.parameters["first"].shape
        shapes = {"mean": (width,), "deviation": (width,), "first_bias": (hidden,), "second": (hidden,)}
        for name, shape in {**shapes, "second_bias": (1,)}.items():
            if self.parameters[name].shape != shape:
                raise ValueError(f"{name} has the shape {self.parameters[name].shape}, not {shape}")

    def __call__(self, inputs: Floats) -> Floats:
        """The probability of each row."""
        weights = self.parameters
        rows = (inputs - weights["mean"]) / weights["deviation"]
        hidden = np.maximum(rows @ weights["first"] + weights["first_bias"], 0)
        probabilities: Floats = expit(hidden @ weights["second"] + weights["second_bias"][0])
        return probabilities
