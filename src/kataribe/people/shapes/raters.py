"""Simulated raters: each has their own rule, strictness and unsteadiness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kataribe.people.shapes.description import BARE, HIGHEST, LOWEST, SEVERITY, Truth

RATERS = 5
NOISE = 0.9
LAPSES = 0.02


@dataclass(frozen=True)
class Rater:
    """`strictness` is taken off every rating; `severity` and `bare` are the rater's own numbers in the rule."""

    strictness: float
    severity: float
    bare: float

    def rate(self, truth: Truth, rng: np.random.Generator) -> int:
        """A whole number on the scale; now and then any, as of somebody who did not look."""
        noise, lapse, anything = rng.normal(0, NOISE), rng.random(), rng.uniform(LOWEST, HIGHEST)
        value = anything if lapse < LAPSES else truth.rating(self.severity, self.bare) - self.strictness + noise
        return int(np.clip(np.rint(value), LOWEST, HIGHEST))


def random_raters(rng: np.random.Generator) -> list[Rater]:
    return [
        Rater(float(rng.normal(0, 0.3)), float(SEVERITY * rng.uniform(0.5, 1.6)), float(BARE + rng.uniform(-0.2, 0.2)))
        for _ in range(RATERS)
    ]
