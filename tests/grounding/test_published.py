"""On public data: the published scorer's own figures, floors that papers report, and what people reach."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kataribe
from kataribe.grounding.files import read_queries

pytestmark = pytest.mark.data

LEVELS = {"Fair": "fair", "Good": "good", "VeryGood": "very_good"}


@pytest.mark.parametrize("system", ["moment_detr", "qd_detr"])
def test_qvhighlights_gives_what_the_benchmark_printed(system: str, data_folder: Path) -> None:
    folder = data_folder / "qvhighlights"
    printed = json.loads((folder / f"{system}_val_metrics.json").read_text())
    ious = "+".join(f"{0.5 + 0.05 * step:.2f}".rstrip("0") for step in range(10))
    lengths = ("all", "short", "middle", "long")
    names = [f"moment_map(length={length}, iou={ious})" for length in lengths]
    names += [f"moment_recall(length={length}, iou={ious}, trials=1)" for length in lengths]
    names += [f"highlight_{measure}({level})" for level in LEVELS.values() for measure in ("map", "hit")]
    result = kataribe.evaluate(
        "grounding", folder / f"{system}_val_preds.jsonl.gz", folder / "gt_val.jsonl.gz", names, protocol="qvhighlights"
    )
    for length in lengths:
        expected = printed["full" if length == "all" else length]
        average = result[f"moment_map(length={length})"]
        assert round(100 * average.value, 2) == expected["MR-mAP"].pop("average")
        recall = result[f"moment_recall(length={length}, iou={ious}, trials=1)"]
        for metric, kind in ((average, "MR-mAP"), (recall, "MR-R1")):
            shown = {
                at: round(100 * metric.parts[f"@{float(at):g}"], 2)
                for at in expected[kind]
                if f"@{float(at):g}" in metric.parts
            }
            assert shown == {at: expected[kind][at] for at in shown}
            assert len(shown) == (2 if kind == "MR-mAP" else 10)
    for name, level in LEVELS.items():
        expected = printed[f"HL-min-{name}"]
        assert round(100 * result[f"highlight_map({level})"].value, 2) == expected["HL-mAP"]
        assert round(100 * result[f"highlight_hit({level})"].value, 2) == expected["HL-Hit1"]


def test_the_whole_video_of_activitynet_reaches_what_papers_report(data_folder: Path) -> None:
    """The published figures are of val_2, by 2D-TAN's scorer: R@1, IoU .3 of the whole video is 48."""
    truth = data_folder / "activitynet-captions" / "val_2.json"
    nothing = {"v_uqiMw7tQ1Cc_0": [[0, 1]]}
    result = kataribe.evaluate(
        "grounding",
        nothing,
        truth,
        ["moment_recall(1)"],
        protocol="2dtan",
        train=data_folder / "activitynet-captions" / "val_1.json",
    )
    parts = result["moment_recall(1)"].parts
    assert parts["whole@0.3"] == pytest.approx(0.48, abs=0.01)
    # What fits the training queries best at an IoU fits these at least about as well as the whole video.
    assert parts["fixed@0.7"] > parts["whole@0.7"]


@pytest.mark.parametrize(
    ("name", "queries", "recall", "mean"),
    [
        ("charades_sta", 1000, {"@0.1": 0.9124, "@0.3": 0.7812, "@0.5": 0.5704, "@0.7": 0.2980}, 0.5213),
        ("activitynet", 1288, {"@0.1": 0.7647, "@0.3": 0.5767, "@0.5": 0.4438, "@0.7": 0.2993}, 0.4419),
    ],
)
def test_people_against_each_other(
    name: str, queries: int, recall: dict[str, float], mean: float, data_folder: Path
) -> None:
    path = data_folder / "moment-reannotation" / f"{name}_reannotated.csv.gz"
    marked = read_queries(path)
    first = {id: [(span.start, span.end) for span in query.people[0]] for id, query in marked.items()}
    result = kataribe.evaluate("grounding", first, path, ["moment_recall(1)", "moment_iou"])
    assert result.coverage.references == queries
    found = result["moment_recall(1)"].parts
    assert {at: round(found[f"human{at}"], 4) for at in recall} == recall
    assert round(result["moment_iou"].parts["human"], 4) == mean
    # One of the five as a system: against the five, itself among them, and so a little better than people.
    assert result["moment_iou"].parts["system"] > mean


def test_movie101_is_read_whole(data_folder: Path) -> None:
    assert len(read_queries(data_folder / "movie101" / "G" / "val.json")) == 2768
    shots = read_queries(data_folder / "movie101" / "GSR" / "val.json")
    assert len(shots) == 2190
    ranked = {id: {"shots": list(query.shots)} for id, query in shots.items()}
    result = kataribe.evaluate("grounding", ranked, data_folder / "movie101" / "GSR" / "val.json")
    assert {metric.metric: metric.value for metric in result} == {
        f"shot_recall({k})": pytest.approx(1) for k in (1, 5, 10)
    }
    assert result["shot_recall(10)"].parts["random"] == pytest.approx(0.048, abs=0.001)
