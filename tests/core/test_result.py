from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import kataribe
from kataribe.captions.result import ScoredCaption
from kataribe.core.comparison import compare
from kataribe.core.errors import InputError, UsageError
from kataribe.core.result import Result
from kataribe.core.types import Curve

PREDICTIONS = {"1": "a dog runs", "2": "the cat sat on the mat"}
REFERENCES = {"1": ["a dog runs fast"], "2": ["a cat sat on a mat", "the cat lies"]}


@pytest.fixture(scope="module")
def result() -> kataribe.Result:
    return kataribe.evaluate("captions", PREDICTIONS, REFERENCES, metrics=["rouge_l", "bleu(2)"])


def test_metrics_are_found_under_any_spelling(result: kataribe.Result) -> None:
    assert result["bleu( n=2 )"] is result["bleu(2)"]
    with pytest.raises(UsageError, match="this result has no 'cider'"):
        result["cider"]


def test_items_are_found_by_id(result: kataribe.Result) -> None:
    assert set(result["rouge_l"].items) == {"1", "2"}
    assert result["rouge_l"].items["1"].parts["recall"] == 0.75


def test_to_pandas_has_a_row_for_each_item(result: kataribe.Result) -> None:
    frame = result.to_pandas()
    assert list(frame.index) == ["1", "2"]
    assert frame.loc["1", "rouge_l.recall"] == 0.75


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"task": "captions"}', '{"kataribe": 1, "metrics": {"a": {}}}', "null"]
)
def test_a_file_that_is_no_result_is_named(text: str) -> None:
    with pytest.raises(InputError, match=r"old\.json: is not"):
        kataribe.Result.from_json(text, file="old.json")


def test_what_was_scored_and_curves_survive_the_round_trip() -> None:
    scored = kataribe.evaluate("captions", PREDICTIONS, REFERENCES, metrics=["rouge_l"], details=True)
    curve = Curve("duplicated captions", "copies", {"rouge_l": [[1, 0.5], [2, 0.25]]})
    again = kataribe.Result.from_json(replace(scored, curves=(curve,)).to_json())
    assert again.scored(ScoredCaption)["1"] == ScoredCaption(candidate="a dog runs", references=["a dog runs fast"])
    assert again.curves == (curve,)


def test_a_metric_keeps_the_name_it_was_asked_for_by_under_any_protocol() -> None:
    paper = kataribe.evaluate("captions", PREDICTIONS, REFERENCES, ["bleu"], protocol="paper", tok="none")
    assert list(paper.metrics) == ["bleu"]
    assert paper["bleu"].spec == "bleu(tok=none, smooth=none)"
    assert "|smooth:none|tok:none|" in paper["bleu"].signature


OLD_RESULTS = Path(__file__).parent / "results_0_1"


@pytest.mark.parametrize("name", ["captions", "captions_short", "narration", "stories"])
def test_result_file_of_the_first_version_still_loads(name: str) -> None:
    path = OLD_RESULTS / f"{name}.json"
    result = Result.from_json(path.read_bytes(), file=path)
    assert result.version == "0.1.0"
    again = Result.from_json(result.to_json())
    assert again.summary() == result.summary()


def test_result_files_of_the_first_version_can_be_compared_with_each_other() -> None:
    names = ("captions", "captions_short")
    one, other = (Result.from_json((OLD_RESULTS / f"{name}.json").read_bytes()) for name in names)
    assert [warning.id for warning in other.warnings] == ["older-version"]
    comparison = compare({"whole": one, "short": other}, ["rouge_l"], replicates=100, force=True)
    (test,) = comparison.tests
    assert test.difference == pytest.approx(one["rouge_l"].value - other["rouge_l"].value)
