"""The curves that a result carries for the report page."""

from __future__ import annotations

import pytest

import kataribe

VIDEO = {"duration": 10.0, "fps": 25.0, "annotators": [[2.0, 5.0, 8.0], [2.2, 8.1]]}
TRUTH = dict.fromkeys(("one", "two", "three"), VIDEO)
SURE = [[2.0, 0.9], [3.5, 0.2], [5.1, 0.8], [8.0, 0.7]]


def curves_of(predictions, truth=TRUTH, **options) -> dict[str, dict[str, list]]:
    result = kataribe.evaluate("boundaries", predictions, truth, metrics=["boundary_f1"], **options)
    return {curve.title.partition(" ")[0]: dict(curve.lines) for curve in result.curves}


def test_a_result_with_details_shows_the_system_beside_people_and_guessing() -> None:
    curves = curves_of(dict.fromkeys(TRUTH, SURE), details=True)
    assert set(curves["precision"]) == {"system", "human", "uniform", "random"}
    assert set(curves["F1"]) == {"system, most confident", "human", "uniform", "random"}
    assert [count for count, _ in curves["F1"]["uniform"]] == list(range(1, 16))
    assert curves_of(dict.fromkeys(TRUTH, SURE)) == {}


def test_the_most_confident_boundaries_are_kept_first() -> None:
    by_count = dict(curves_of(dict.fromkeys(TRUTH, SURE), details=True)["F1"]["system, most confident"])
    assert by_count[3.0] == pytest.approx(1.0), "the three sure ones are the first annotator's"
    everything = kataribe.evaluate("boundaries", dict.fromkeys(TRUTH, SURE), TRUTH, metrics=["boundary_f1"])
    assert by_count[4.0] == by_count[15.0] == pytest.approx(everything["boundary_f1"].value)


def test_without_confidence_the_system_is_a_level_line_and_without_fps_there_are_no_frames() -> None:
    bare = {name: {"duration": 10.0, "annotators": video["annotators"]} for name, video in TRUTH.items()}
    curves = curves_of({name: [2.0, 5.0] for name in TRUTH}, bare, details=True)
    assert set(curves) == {"F1"}
    assert len({value for _, value in curves["F1"]["system"]}) == 1
