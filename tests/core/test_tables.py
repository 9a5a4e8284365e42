from __future__ import annotations

import csv
import io
import json

import pytest

import kataribe
from kataribe.core.errors import UsageError
from kataribe.core.tables import render


@pytest.fixture(scope="module")
def result() -> kataribe.Result:
    predictions = {str(n): "a dog runs" for n in (1, 3, 5)}
    references = {str(n): ["a dog runs fast" if n % 2 else "a cat"] for n in range(1, 7)}
    metrics = ["rouge_l(tok=none)", "bleu(2, tok=none)"]
    return kataribe.evaluate("captions", predictions, references, metrics, missing="zero", bootstrap=20)


def test_the_table_shows_values_times_100_with_their_parts_and_signatures(result: kataribe.Result) -> None:
    lines = render(result).splitlines()
    assert lines[0].split() == ["metric", "score", "95%", "interval"]
    assert lines[2].startswith("rouge_l(tok=none)  41.78")
    assert lines[3].startswith("  precision")
    assert "6 of 6 scored, 3 missing" in lines
    assert lines[-1].startswith("bleu|n:2|")


def test_csv_carries_full_precision(result: kataribe.Result) -> None:
    rows = list(csv.DictReader(io.StringIO(render(result, "csv"))))
    assert float(rows[0]["value"]) == result["rouge_l(tok=none)"].value
    assert rows[1]["part"] == "precision"


def test_json_is_the_summary(result: kataribe.Result) -> None:
    assert json.loads(render(result, "json")) == result.summary()


def test_latex_escapes_what_latex_reads(result: kataribe.Result) -> None:
    latex = render(result, "latex")
    assert r"rouge\_l(tok=none) & 41.78 &" in latex
    assert r"95\% interval" in latex


def test_markdown_has_one_row_for_each_line_of_the_table(result: kataribe.Result) -> None:
    rows = [line for line in render(result, "markdown").splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 3 + 3
    assert len({row.count("|") for row in rows}) == 1


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_every_form_says_how_many_predictions_are_missing(result: kataribe.Result, format: str) -> None:
    said = [line for line in render(result, format).splitlines() if "6 of 6 scored, 3 missing" in line]
    assert any(not line.startswith("%") for line in said), "LaTeX: where readers of the paper see it, too"
    assert "|missing:zero(3)|" in render(result, format)


def test_what_is_pasted_carries_its_warnings(result: kataribe.Result) -> None:
    (warning, *_) = result.warnings
    said = f"warning: {warning} [{warning.id}]"
    assert f"{said}  " in render(result, "markdown").splitlines()
    assert f"% {said}" in render(result, "latex").splitlines()


def test_csv_counts_the_missing_on_every_line(result: kataribe.Result) -> None:
    rows = csv.DictReader(io.StringIO(render(result, "csv")))
    assert {(row["references"], row["scored"], row["missing"]) for row in rows} == {("6", "6", "3")}


def test_an_unknown_format_suggests_the_nearest(result: kataribe.Result) -> None:
    with pytest.raises(UsageError, match="did you mean 'latex'"):
        result.table("latx")
