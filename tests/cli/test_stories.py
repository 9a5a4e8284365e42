"""`kataribe score stories` as a stranger meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TOLD = {
    "v": {"duration": 10, "timestamps": [[0, 5], [5, 10]], "sentences": ["A man runs.", "He falls."]},
    "w": {"duration": 10, "timestamps": [[0, 10]], "sentences": ["A dog sleeps."]},
}
TOLD_AGAIN = {
    "v": {"duration": 10, "timestamps": [[0, 10]], "sentences": ["A man runs and falls."]},
    "w": {"duration": 10, "timestamps": [[0, 9]], "sentences": ["The dog sleeps."]},
}
SUBMITTED = {"results": {"v": [{"sentence": "A man falls.", "timestamp": [1, 6]}], "gone": []}}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The submission and the two references, as the command line wants them."""
    for name, content in (("pred", SUBMITTED), ("one", TOLD), ("two", TOLD_AGAIN)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return [str(tmp_path / "pred.json"), "-r", str(tmp_path / "one.json"), "-r", str(tmp_path / "two.json")]


@pytest.fixture
def call(call):
    return lambda *arguments: call("score", "stories", *arguments)


def test_the_default_set_follows_the_contract(call, files):
    code, out, err = call(*files, "--format", "json")
    answer = json.loads(out)
    assert code == 0
    assert list(answer["metrics"]) == ["soda(c)", "activitynet(2018)", "localisation"]
    parts = answer["metrics"]["activitynet(2018)"]["parts"]
    for name in ("METEOR", "BLEU-1", "BLEU-4", "ROUGE-L", "CIDEr", "precision", "recall", "METEOR@0.5", "recall@0.9"):
        assert name in parts
    assert answer["metrics"]["activitynet(2018)"]["value"] == parts["METEOR"]
    assert answer["coverage"] == {"references": 2, "predicted": 2, "scored": 2, "missing": 1, "extra": 1, "empty": 0}
    assert "1 of 2 videos have no prediction" in err


def test_scored_counts_the_videos_that_are_in_some_score(call, files):
    _, out, _ = call(*files, "-m", "soda(d)", "--format", "json")
    assert json.loads(out)["coverage"]["scored"] == 1


def test_protocols_and_policies_reach_the_signature(call, files):
    _, out, _ = call(
        *files, "-m", "soda(c)", "--protocol", "paper", "--refs", "mean", "--missing", "drop", "-f", "json"
    )
    ((name, metric),) = json.loads(out)["metrics"].items()
    assert name == "soda(c)"
    for field in ("|roles:proper|", "|refs:mean|", "|missing:drop(1)|data:1/2|"):
        assert field in metric["signature"]


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "csv"])
def test_anchors_and_thresholds_are_in_every_table(call, files, format):
    code, out, _ = call(*files, "-m", "localisation", "--anchors", "--format", format)
    assert code == 0
    assert "0.3" in out
    if format != "csv":
        assert "normalised" in out


def test_the_result_file_holds_alignments_and_what_was_scored(call, files, tmp_path):
    target = tmp_path / "result.json"
    code, _, _ = call(*files, "-m", "soda(c)", "-o", str(target))
    written = json.loads(target.read_text())
    assert code == 0
    (reading,) = written["metrics"]["soda(c)"]["details"]["v"]
    assert reading["pairs"][0]["prediction"] == 0
    assert written["content"]["v"]["predictions"][0]["text"] == "A man falls."
    assert len(written["content"]["v"]["references"]) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        ["--missing", "some"],
        ["--refs", "some"],
        ["--segments", "some"],
        ["--missing", "error"],
        ["-m", "activitynet"],
        ["-m", "meteor"],
        ["-m", "soda(c, text=nothing)"],
    ],
)
def test_a_mistake_in_the_call_is_one_line_and_code_2(call, files, wrong):
    code, out, err = call(*files, *wrong)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1


def test_a_submission_without_results_is_one_line_and_code_2(call, files, tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"version": "VERSION 1.0", "external_data": {}}')
    code, _, err = call(str(path), *files[1:])
    assert code == 2
    assert "without `results`" in err
