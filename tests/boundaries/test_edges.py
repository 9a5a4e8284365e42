"""Corpora at the edge of sense: every metric answers, or says in one line why it cannot."""

from __future__ import annotations

import warnings

import pytest

import kataribe
from kataribe.core.result import Result

NAMES = ("boundary_f1", "boundary_ap", "frame_ap", "informedness", "pk", "window_diff", "boundary_deviation")
METRICS = [
    *(f"{name}({annotator})" for name in NAMES for annotator in ("max", "confident", "mean", "majority")),
    "boundary_f1(mean, mean)",
    "boundary_f1(average=macro)",
    "frame_ap(average=video)",
]
CHANCE = ["chance_f1", "chance_f1(null=uniform)", "chance_f1(null=random)"]


def truth_of(first: list[list[float]], second: list[list[float]]) -> dict:
    return {
        "a": {"duration": 10, "fps": 10, "annotators": first},
        "b": {"duration": 5, "fps": 10, "annotators": second},
    }


@pytest.mark.parametrize(
    "predictions",
    [{"a": [1.0, 5.1], "b": []}, {"a": [], "b": []}, {"a": [[1.0, 0.5], [9.9, 0.4]], "b": [[0.0, 0.1]]}],
    ids=["one empty", "all empty", "with scores"],
)
@pytest.mark.parametrize(
    ("truth", "metrics"),
    [
        (truth_of([[1.0, 5.0]], [[]]), METRICS),
        (truth_of([[1.0, 5.0], [1.2]], [[], []]), [*METRICS, *CHANCE]),
        (truth_of([[], []], [[], []]), [*METRICS, *CHANCE]),
    ],
    ids=["one annotator", "two annotators", "nothing to find"],
)
def test_every_metric_survives(truth, predictions, metrics) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = kataribe.evaluate("boundaries", predictions, truth, metrics, bootstrap=5)
    assert "nan" not in result.table()
    assert Result.from_json(result.to_json()).table() == result.table()
