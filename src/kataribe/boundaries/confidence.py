"""Confidences below 0 made positive, in the same order: a bell of negative weight would turn a boundary into a dip.

    exp         none is above 0: log-probabilities, e^x
    logistic    some are below and some above 0: logits, 1 / (1 + e^-x)
    ranks       where either of these would make 0 or equal what is not: the rank among all confidences, in (0, 1]

Measures that only rank are the same after each of them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import expit

from kataribe.core.caution import Caution
from kataribe.core.types import Floats

Rule = Literal["given", "exp", "logistic", "ranks"]

_MEANINGS: dict[Rule, str] = {
    "exp": "read as log-probabilities (e^x)",
    "logistic": "read as logits (1 / (1 + e^-x))",
    "ranks": "replaced by their ranks among all of them",
}


def positive(confidences: Floats) -> tuple[Floats, Rule]:
    """The confidences of a whole corpus, and by which rule they were made positive.

    >>> positive(np.log([0.5, 1.0]))
    (array([0.5, 1. ]), 'exp')
    >>> positive(np.array([-900.0, -800.0, -900.0]))
    (array([0.5, 1. , 0.5]), 'ranks')
    >>> positive(np.array([0.2, 7.0]))
    (array([0.2, 7. ]), 'given')
    """
    rule = rule_for(confidences)
    if rule == "given":
        return confidences, rule
    mapped = apply(rule, confidences)
    levels, level = np.unique(confidences, return_inverse=True)
    if mapped.min() > 0 and len(np.unique(mapped)) == len(levels):
        return mapped, rule
    return (level + 1) / len(levels), "ranks"


def rule_for(values: Floats) -> Rule:
    """What the values probably are."""
    if not len(values) or values.min() >= 0:
        return "given"
    return "exp" if values.max() <= 0 else "logistic"


def apply(rule: Rule, values: Floats) -> Floats:
    if rule == "exp":
        return np.exp(values)
    return np.asarray(expit(values), dtype=np.float64) if rule == "logistic" else values


def caution(rule: Rule, what: str) -> list[Caution]:
    """What is said about confidences, or about probabilities of frames, that were below 0."""
    if rule == "given":
        return []
    return [Caution("negative-confidences", f"some {what} are negative: {_MEANINGS[rule]}, their order is kept")]
