from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

import kataribe
from kataribe.captions.result import SceneTuples, ScoredCaption, WordAlignment
from kataribe.core.comparison import compare
from kataribe.core.errors import InputError, UsageError
from kataribe.core.result import Result
from kataribe.core.types import Curve
from kataribe.narration.result import NamedRoles, ScoredNarration
from kataribe.stories.result import ScoredStory, StoryAlignment

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


def test_to_csv_has_a_row_for_each_item_that_reads_back(result: kataribe.Result) -> None:
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert [row["item"] for row in rows] == ["1", "2"]
    assert float(rows[0]["rouge_l"]) == result["rouge_l"].items["1"].value
    assert rows[0]["rouge_l.recall"] == "0.75"


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


def test_direction_and_unit_are_in_the_result_and_in_its_file(result: kataribe.Result) -> None:
    perplexity = kataribe.evaluate("captions", PREDICTIONS, REFERENCES, metrics=["ppl"])
    again = Result.from_json(perplexity.to_json())
    assert (again["ppl"].direction, again["ppl"].unit) == ("lower", "number")
    assert (result["rouge_l"].direction, result["rouge_l"].unit) == ("higher", "fraction")
    assert again.summary()["metrics"]["ppl"] | {"direction": "lower", "unit": "number"} == again["ppl"].summary()


def without_direction(result: Result, name: str, spec: str) -> Result:
    """As version 0.2 would have written it, under another metric's name."""
    written = json.loads(result.to_json())
    (metric,) = written["metrics"].values()
    del metric["direction"], metric["unit"]
    return Result.from_json(json.dumps(written | {"metrics": {name: metric | {"spec": spec}}}))


def test_older_file_gets_direction_and_unit_from_the_installed_metric() -> None:
    perplexity = kataribe.evaluate("captions", PREDICTIONS, REFERENCES, metrics=["ppl"])
    old = without_direction(perplexity, "ppl", "ppl")
    assert (old["ppl"].direction, old["ppl"].unit) == ("lower", "number")
    assert old.warnings == perplexity.warnings


def test_older_file_of_a_metric_that_is_not_installed_says_that_nobody_knows() -> None:
    perplexity = kataribe.evaluate("captions", PREDICTIONS, REFERENCES, metrics=["ppl"])
    old = without_direction(perplexity, "theirs", "theirs(3)")
    (caution,) = [warning for warning in old.warnings if warning.id == "unknown-direction"]
    assert caution.startswith("theirs is not installed")
    assert old["theirs"].direction == "higher"


def test_metric_that_is_not_installed_keeps_the_direction_and_unit_of_its_file() -> None:
    perplexity = kataribe.evaluate("captions", PREDICTIONS, REFERENCES, metrics=["ppl"])
    written = json.loads(perplexity.to_json())
    written["metrics"] = {"theirs": written["metrics"]["ppl"] | {"spec": "theirs(3)"}}
    theirs = Result.from_json(json.dumps(written))
    assert (theirs["theirs"].lower_is_better, theirs["theirs"].unit) == (True, "number")
    assert "unknown-direction" not in [warning.id for warning in theirs.warnings]
    assert f"{perplexity['ppl'].value:.2f}" in theirs.table()


@pytest.mark.parametrize("field", ["direction", "unit"])
def test_direction_or_unit_that_does_not_exist_is_refused(result: kataribe.Result, field: str) -> None:
    written = json.loads(result.to_json())
    written["metrics"]["rouge_l"][field] = "sideways"
    with pytest.raises(InputError, match="is not a kataribe result"):
        Result.from_json(json.dumps(written))


def test_documents_are_typed_as_they_were_made_and_as_they_were_read() -> None:
    scored = kataribe.evaluate("captions", PREDICTIONS, REFERENCES, metrics=["meteor(en, tok=none)"], details=True)
    again = Result.from_json(scored.to_json())
    (name,) = scored.metrics
    assert again[name].documents(WordAlignment) == scored[name].documents(WordAlignment)
    assert again[name].documents(WordAlignment)["1"][0].candidate_tokens == ["a", "dog", "runs"]
    assert again.scored(ScoredCaption) == scored.scored(ScoredCaption)
    assert again[name].documents(SceneTuples) == {}
    assert json.loads(scored.to_json())["content"]["1"]["document"] == "caption"


def test_documents_of_the_first_version_are_typed_too() -> None:
    def read(name: str) -> Result:
        return Result.from_json((OLD_RESULTS / f"{name}.json").read_bytes())

    captions, stories, narration = map(read, ("captions", "stories", "narration"))
    assert captions["meteor"].documents(WordAlignment)["harbour"][0].matches[0].stage == "exact"
    assert stories.scored(ScoredStory)["kitchen"].duration == 60.0
    assert stories["soda(c)"].documents(StoryAlignment)["kitchen"][0].annotators == [0, 1]
    assert narration.scored(ScoredNarration)["harbour_12-19"].gap == 7.0
    assert narration["role_f1"].documents(NamedRoles)["harbour_12-19"] == [
        NamedRoles(found=["Ines"], lost=[], invented=[])
    ]
