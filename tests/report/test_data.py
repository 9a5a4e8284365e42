"""What a page knows, without a browser: as measured, with its unit, from files of every version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kataribe
from kataribe.core.result import Result
from kataribe.core.side_by_side import side_by_side
from kataribe.report.data import page_data
from kataribe.report.html import render_page

OLD_RESULTS = Path(__file__).parent.parent / "core" / "results_0_1"
VIEW_OF = {
    "captions": {"captions"},
    "captions_short": {"captions"},
    "stories": {"stories"},
    "narration": {"captions", "roles", "films"},
}


@pytest.mark.parametrize("name", VIEW_OF)
def test_page_of_the_first_version_is_drawn_with_its_texts(name: str) -> None:
    result = Result.from_json((OLD_RESULTS / f"{name}.json").read_bytes())
    data = page_data(side_by_side({name: result}))
    assert set(data.views) == VIEW_OF[name]
    assert all(ids for ids in data.core["ids"])
    assert render_page(data).startswith("<!doctype html>")


def test_values_stay_as_measured_and_say_their_unit() -> None:
    result = kataribe.evaluate(
        "captions", {"1": "a dog runs", "2": "a cat"}, {"1": ["a dog runs fast"], "2": ["cats"]}, ["ppl", "rouge_l"]
    )
    core = page_data(side_by_side({"only": result})).core
    perplexity, rouge = core["metrics"]
    assert (perplexity["unit"], perplexity["lower"]) == ("number", True)
    assert perplexity["systems"][0]["value"] == result["ppl"].value
    assert (rouge["unit"], rouge["systems"][0]["value"]) == ("fraction", result["rouge_l"].value)
    measure = next(measure for measure in core["measures"] if measure["name"] == "ppl")
    assert measure["unit"] == "number"
    assert measure["values"][0] == pytest.approx(result["ppl"].item_values.tolist(), abs=1e-5)


def test_page_of_a_metric_that_is_not_installed_is_not_turned_round() -> None:
    written = json.loads(kataribe.evaluate("captions", {"1": "a dog"}, {"1": ["a dog runs"]}, ["ppl"]).to_json())
    written["metrics"] = {"theirs": written["metrics"]["ppl"] | {"spec": "theirs"}}
    data = page_data(side_by_side({"only": Result.from_json(json.dumps(written))}))
    (metric,) = data.core["metrics"]
    assert (metric["unit"], metric["lower"]) == ("number", True)
    assert data.warnings == ()
