"""The task as users meet it: coverage, floors, people, films, intervals, comparison, result files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kataribe
from kataribe.cli.main import main
from kataribe.core.comparison import compare
from kataribe.core.errors import UsageError
from kataribe.core.result import Result
from kataribe.grounding.result import GroundedQuery


def corpus(queries: int = 30, videos: int = 6, people: int = 1) -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    found = []
    for n in range(queries):
        start = float(rng.uniform(0, 80))
        spans = [[[start + shift, start + 15 + shift]] for shift in range(people)]
        found.append({"id": str(n), "video": f"v{n % videos}", "query": f"q{n}", "duration": 100, "people": spans})
    return found


def off_by(references: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    return {
        entry["id"]: [[entry["people"][0][0][0] + seconds, entry["people"][0][0][1] + seconds - 1, 0.5]]
        for entry in references
    }


def test_missing_extra_and_empty_predictions_are_counted() -> None:
    references = corpus(5)
    predictions = off_by(references, 1) | {"x": [[1, 2]], "1": []}
    del predictions["0"]
    result = kataribe.evaluate("grounding", predictions, references, ["moment_iou"])
    assert (result.coverage.missing, result.coverage.extra, result.coverage.empty) == (1, 1, 1)
    assert {warning.id for warning in result.warnings} >= {"missing", "extra", "empty"}
    assert result["moment_iou"].items["0"].value == 0
    assert "missing:zero(1)" in result["moment_iou"].signature
    dropped = kataribe.evaluate("grounding", predictions, references, ["moment_iou"], missing="drop")
    assert dropped.coverage.scored == 4


def test_floors_stand_beside_every_score_and_people_where_there_are_several() -> None:
    references = corpus(people=3)
    result = kataribe.evaluate("grounding", off_by(references, 1), references, train=corpus(50))
    for metric in result:
        assert {"random", "whole", "fixed", "system", "human"} <= set(metric.parts), metric.metric
    alone = kataribe.evaluate("grounding", off_by(corpus(), 1), corpus(), ["moment_iou"])
    assert set(alone["moment_iou"].parts) == {"random", "whole"}


def test_the_best_fixed_span_is_found_in_training_queries() -> None:
    train = [
        {"id": str(n), "video": str(n), "query": "q", "duration": 200, "windows": [[50, 100 + n % 3]]} for n in range(9)
    ]
    references = [{"id": "a", "video": "a", "query": "q", "duration": 40, "windows": [[10, 20]]}]
    result = kataribe.evaluate(
        "grounding", {"a": [[0, 1]]}, references, ["moment_recall(1)", "moment_iou"], train=train
    )
    assert result["moment_recall(1)"].parts["fixed@0.7"] == 1
    assert result["moment_iou"].parts["fixed"] == pytest.approx(1.0)


def test_draws_depend_on_the_seed_and_the_query_alone() -> None:
    references = corpus()
    some = kataribe.evaluate("grounding", off_by(references, 1), references[:9], ["moment_iou"], seed=4)
    every = kataribe.evaluate("grounding", off_by(references, 1), references, ["moment_iou"], seed=4)
    other = kataribe.evaluate("grounding", off_by(references, 1), references, ["moment_iou"], seed=5)
    for id in some["moment_iou"].ids:
        assert some["moment_iou"].items[id].parts["random"] == every["moment_iou"].items[id].parts["random"]
    assert other["moment_iou"].parts["random"] != every["moment_iou"].parts["random"]


def test_every_film_is_scored_on_its_own_and_overall() -> None:
    references = corpus(12, videos=3)
    predictions = {id: windows for id, windows in off_by(references, 0).items() if int(id) % 3}
    result = kataribe.evaluate("grounding", predictions, references, ["moment_recall(1)"])
    films = result.by_group()
    assert films["v0"]["moment_recall(1)"] == 0
    assert films["v1"]["moment_recall(1)"] == 1
    table = result.table()
    assert [line.split() for line in table.splitlines() if line.startswith("v0")] == [["v0", "4", "0.00"]]
    read = Result.from_json(result.to_json())
    assert read.by_group() == films


def test_intervals_draw_whole_videos() -> None:
    """Queries of one video stand or fall together here: drawing single queries would halve the interval."""
    references = corpus(80, videos=8)
    predictions = {id: windows for id, windows in off_by(references, 0).items() if int(id) % 2}
    result = kataribe.evaluate("grounding", predictions, references, ["moment_iou"], bootstrap=300)
    metric = result["moment_iou"]
    assert "|drawn:video|" in metric.signature
    low, high = metric.interval or (0, 0)
    assert high - low > 0.5
    few = kataribe.evaluate("grounding", off_by(corpus(20, 2), 2), corpus(20, 2), ["moment_iou"], bootstrap=50)
    assert "|drawn:item|" in few["moment_iou"].signature
    assert "few-groups" in {warning.id for warning in few.warnings}


def test_systems_are_compared_by_video_whatever_training_file_the_floors_had() -> None:
    references = corpus(40, videos=8)
    near = kataribe.evaluate("grounding", off_by(references, 0.5), references, ["moment_iou"], train=corpus(30))
    far = kataribe.evaluate("grounding", off_by(references, 4), references, ["moment_iou"])
    (test,) = compare({"near": near, "far": far}, replicates=500).tests
    assert test.difference > 0
    assert test.outcomes.wins == 40
    # Eight videos have 2 ** 8 swaps, which are all made.
    assert test.is_exact
    assert test.permutation == pytest.approx(2 / 2**8)


def test_a_result_file_keeps_what_was_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    references = corpus(6)
    predictions = off_by(references, 1)
    predictions["0"] = {"windows": predictions["0"], "anchor": [0, 20], "curve": {"times": [0, 50], "scores": [0, 1]}}
    (tmp_path / "refs.json").write_text(json.dumps(references))
    (tmp_path / "pred.json").write_text(json.dumps(predictions))
    command = ["score", "grounding", str(tmp_path / "pred.json"), "-r", str(tmp_path / "refs.json"), "-q"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "-o", str(tmp_path / "result.json"), "-m", "moment_iou"])
    assert not ended.value.code
    capsys.readouterr()
    read = Result.from_json((tmp_path / "result.json").read_text())
    first = read.scored(GroundedQuery)["0"]
    assert (first.video, first.text, first.anchor, first.curve) == ("v0", "q0", (0.0, 20.0), ([0.0, 50.0], [0.0, 1.0]))
    assert first.scores == [0.5]


def test_references_as_predictions_are_told() -> None:
    references = corpus()
    copies = {entry["id"]: entry["people"][0] for entry in references}
    result = kataribe.evaluate("grounding", copies, references, ["moment_iou"])
    assert "references-as-predictions" in {warning.id for warning in result.warnings}


def test_a_metric_of_another_task_is_refused_for_what_it_is() -> None:
    with pytest.raises(UsageError, match=r"soda.* does not score grounding but stories"):
        kataribe.evaluate("grounding", {"0": [[1, 2]]}, corpus(), ["soda(c)"])


def test_metrics_say_what_the_references_lack() -> None:
    for metric, said in (("highlight_map", "needs clips that people rated"), ("shot_recall", "needs the shots")):
        with pytest.raises(UsageError, match=said):
            kataribe.evaluate("grounding", {"0": [[1, 2]]}, corpus(), [metric])
