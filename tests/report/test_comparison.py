from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace

import pytest

import kataribe
from kataribe.core.caution import Caution
from kataribe.core.comparison import Comparison, compare
from kataribe.core.errors import UsageError
from kataribe.report.comparison import render_comparison
from tests.report import made_up

FORMATS = ["table", "markdown", "latex", "csv", "json"]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    results = {"whole_1": made_up.many_captions(60, worse=False), "short": made_up.many_captions(60, worse=True)}
    return compare(results, replicates=200)


def test_latex_has_the_best_in_bold_with_the_letters_of_the_beaten(comparison: Comparison) -> None:
    latex = render_comparison(comparison, "latex")
    row = next(line for line in latex.splitlines() if line.startswith("$^{a}$"))
    assert row.startswith(r"$^{a}$ whole\_1 & \textbf{")
    assert row.count("$^{b}$") == 2
    assert latex.count(r"\textbf{") == 2
    assert "Holm's correction over 2 tests" in latex
    assert latex.startswith("% rouge_l|")


def test_markdown_has_a_table_of_scores_and_one_of_tests(comparison: Comparison) -> None:
    markdown = render_comparison(comparison, "markdown")
    assert "**<sup>b</sup>" in markdown
    assert len([line for line in markdown.splitlines() if line.startswith("|")]) == 2 + 2 + 2 + 2


def test_csv_carries_full_precision(comparison: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(render_comparison(comparison, "csv"))))
    assert [row["metric"] for row in rows] == list(comparison.scores)
    assert float(rows[0]["difference"]) == comparison.tests[0].difference
    assert rows[0]["significant"] == "true"


def test_json_is_the_comparison(comparison: Comparison) -> None:
    assert json.loads(render_comparison(comparison, "json")) == comparison.to_dict()


@pytest.mark.parametrize("format", FORMATS)
def test_what_was_forced_is_marked_in_every_format(comparison: Comparison, format: str) -> None:
    reason = Caution("incomparable", "rouge_l: a and b differ in tok")
    marked = render_comparison(replace(comparison, warnings=(reason,)), format)
    assert reason in marked.replace("\\_", "_")
    assert reason not in render_comparison(comparison, format)


@pytest.mark.parametrize("format", FORMATS)
def test_warnings_are_in_every_format(comparison: Comparison, format: str) -> None:
    warning = Caution("missing", "short: 6 of 60 references have no prediction (policy: zero)")
    marked = render_comparison(replace(comparison, warnings=(warning,)), format)
    assert warning in marked
    assert "FORCED" not in marked


@pytest.mark.parametrize("format", FORMATS)
def test_undefined_is_a_word_in_tables_and_nothing_in_data(comparison: Comparison, format: str) -> None:
    nan = math.nan
    test = replace(
        comparison.tests[0],
        difference=nan,
        interval=(nan, nan),
        permutation=nan,
        corrected=nan,
        bootstrap=nan,
        effect=nan,
    )
    metric = test.metric
    scores = {**comparison.scores, metric: {**comparison.scores[metric], "short": nan}}
    text = render_comparison(replace(comparison, tests=(test,), scores=scores), format)
    assert "nan" not in text.lower()
    if format in ("table", "markdown"):
        assert text.count("undefined") == 7
    if format == "json":
        assert json.loads(text)["scores"][metric]["short"] is None


def test_the_table_can_be_read(comparison: Comparison) -> None:
    lines = render_comparison(comparison).splitlines()
    assert re.match(r"a  whole_1 +\*\d+\.\d\d b +\*\d+\.\d\d b", lines[2])
    assert any("wins/ties/losses" in line for line in lines)


def test_an_infinite_effect_is_no_number_in_json() -> None:
    references = {"1": ["a dog"], "2": ["a cat"]}
    one = kataribe.evaluate("captions", {"1": "a dog", "2": "a cat"}, references, ["rouge_l(tok=none)"])
    other = kataribe.evaluate("captions", {"1": "", "2": ""}, references, ["rouge_l(tok=none)"])
    comparison = compare({"one": one, "other": other})
    assert json.loads(render_comparison(comparison, "json"))["tests"][0]["effect"] is None
    assert "+inf" in render_comparison(comparison)


def test_an_unknown_format_suggests_the_nearest(comparison: Comparison) -> None:
    with pytest.raises(UsageError, match="did you mean 'latex'"):
        render_comparison(comparison, "latx")


def test_legend_counts_the_tests_that_were_corrected(comparison: Comparison) -> None:
    undefined = replace(comparison.tests[0], permutation=math.nan, corrected=math.nan)
    one_left = replace(comparison, tests=(undefined, *comparison.tests[1:]))
    assert "correction over 1 test," in render_comparison(one_left, "table")
