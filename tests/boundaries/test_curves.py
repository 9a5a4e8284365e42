"""The curves that a result carries for the report page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kataribe
from kataribe.cli.main import main
from kataribe.core.result import Result

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


@pytest.mark.parametrize("fps", [25.0, None])
def test_one_annotator_in_each_video_is_enough_for_a_result_with_curves(tmp_path: Path, fps: float | None) -> None:
    """There are no people to draw then, and nothing fails."""
    alone = {name: {"duration": 10.0, "fps": fps, "annotators": [[2.0, 5.0]]} for name in ("one", "two")}
    (tmp_path / "truth.json").write_text(json.dumps(alone))
    (tmp_path / "pred.json").write_text(json.dumps({"one": SURE, "two": SURE}))
    call = ["score", "boundaries", str(tmp_path / "pred.json"), "-r", str(tmp_path / "truth.json"), "-q"]
    with pytest.raises(SystemExit) as left:
        main([*call, "-o", str(tmp_path / "result.json")])
    assert not left.value.code
    curves = {
        curve.title.partition(" ")[0]: curve
        for curve in Result.from_json((tmp_path / "result.json").read_text()).curves
    }
    assert set(curves) == ({"precision", "F1"} if fps else {"F1"})
    assert all("human" not in curve.lines for curve in curves.values())


def test_the_papers_curves_are_drawn_its_way_and_say_so() -> None:
    edge = {name: [2.5, 5.5, 8.5] for name in TRUTH}
    truth = dict.fromkeys(TRUTH, VIDEO | {"annotators": [[2.0, 5.0, 8.0]]})
    titles, highest = [], []
    for protocol in ("official", "paper"):
        result = kataribe.evaluate("boundaries", edge, truth, ["boundary_f1"], details=True, protocol=protocol)
        by_count = next(curve for curve in result.curves if curve.title.startswith("F1"))
        titles.append(by_count.title)
        highest.append(by_count.lines["system"][0][1])
    assert [title.partition("random: ")[2] for title in titles] == ["5 draws)", "100 draws)"]
    assert highest == [1.0, 0.0], "exactly the tolerance away is too far"
