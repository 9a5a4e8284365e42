"""Scores of texts from result files and from tables; every mistake is one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.core.errors import InputError, KataribeError
from kataribe.people.result import Text
from kataribe.people.scores import read_scores

REFERENCES = {"1": ["a dog runs fast"], "2": ["a cat sleeps"]}


def result_file(folder: Path, name: str, *captions: str, metrics: tuple[str, ...] = ("rouge_l", "bleu")) -> str:
    predictions = dict(zip("12", captions, strict=True))
    path = folder / name
    path.write_text(kataribe.evaluate("captions", predictions, REFERENCES, metrics).to_json())
    return str(path)


def write(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content, encoding="utf-8")
    return str(folder / name)


def test_each_result_file_is_a_system(tmp_path: Path) -> None:
    base = result_file(tmp_path, "base.json", "a dog", "a cat sleeps")
    large = result_file(tmp_path, "run7.json", "a dog runs fast", "a cat")
    scores = read_scores([base, f"large={large}"])
    assert scores.texts == [Text("1", "base"), Text("2", "base"), Text("1", "large"), Text("2", "large")]
    assert scores.values["rouge_l"][1] == scores.values["rouge_l"][2] == pytest.approx(1.0)
    assert set(scores.results) == {"base", "large"}
    assert scores.signatures["bleu"].startswith("bleu|n:4")
    assert scores.warnings == ()


def test_metrics_that_not_every_file_has_are_left_out_with_a_warning(tmp_path: Path) -> None:
    one = result_file(tmp_path, "one.json", "a dog", "a cat")
    other = result_file(tmp_path, "other.json", "a dog", "a cat", metrics=("rouge_l",))
    scores = read_scores([one, other])
    assert list(scores.values) == ["rouge_l"]
    assert scores.warnings == ("not in every file, left out: bleu",)


def test_systems_that_were_scored_differently_are_named(tmp_path: Path) -> None:
    one = result_file(tmp_path, "one.json", "a dog", "a cat", metrics=("rouge_l",))
    path = Path(result_file(tmp_path, "other.json", "a dog", "a cat", metrics=("rouge_l",)))
    path.write_text(path.read_text().replace("tok:ptb", "tok:char"))
    (warning,) = read_scores([one, str(path)]).warnings
    assert "not scored alike: rouge_l: one and other differ in tok" in warning


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.csv", "item,system,good,bad\n1,x,0.5,\n2,x,0.25,3\n"),
        ("s.tsv", "image_id\tsystem\tgood\tbad\n1\tx\t0.5\t\n2\tx\t0.25\t3\n"),
        (
            "s.jsonl",
            '{"item": 1, "system": "x", "good": 0.5, "bad": null}\n'
            '{"item": 2, "system": "x", "good": 0.25, "bad": 3}\n',
        ),
    ],
)
def test_tables_have_a_column_for_each_metric(tmp_path: Path, name: str, content: str) -> None:
    scores = read_scores([write(tmp_path, name, content)])
    assert scores.texts == [Text("1", "x"), Text("2", "x")]
    np.testing.assert_array_equal(scores.values["good"], [0.5, 0.25])
    np.testing.assert_array_equal(scores.values["bad"], [np.nan, 3.0])


def test_a_table_without_systems_takes_the_name_it_is_given(tmp_path: Path) -> None:
    table = write(tmp_path, "s.csv", "item,good\n1,0.5\n")
    assert read_scores([table]).systems == [""]
    assert read_scores([f"x={table}"]).systems == ["x"]


def test_a_file_may_have_an_equals_sign_in_its_name(tmp_path: Path) -> None:
    table = write(tmp_path, "a=b.csv", "item,good\n1,0.5\n")
    assert read_scores([table]).systems == [""]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no scores are given"),
        (["=x.csv"], "is neither FILE nor NAME=FILE"),
        (["absent.csv"], "there is no such file"),
        (["empty.csv"], "holds no scores"),
        (["bare.csv"], "holds no metrics"),
        (["noitem.csv"], "line 2 has no column for the item (it has thing, good)"),
        (["word.csv"], "line 2: good is 'well', not a number"),
        (["nan.csv"], "line 2: good is 'nan', not a number"),
        (["twice.csv"], "line 3 scores again what line 2 scores (item '1')"),
        (["x=systems.csv"], "the table names its systems itself"),
        (["odd.jsonl"], "line 2 has other columns than the lines before"),
        (["list.jsonl"], "line 1 is not an object"),
        (["good.csv", "again.csv"], "item '1' of system '' has scores in two files"),
        (["good.csv", "x=other.csv"], "no metric is in all files (there are good, better)"),
        (["good.csv", "good.csv"], "the same result is given twice"),
        (["words.json"], "is not JSON"),
    ],
)
def test_mistakes_are_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    files = {
        "empty.csv": "item,good\n",
        "bare.csv": "item,system\n1,x\n",
        "noitem.csv": "thing,good\n1,2\n",
        "word.csv": "item,good\n1,well\n",
        "nan.csv": "item,good\n1,nan\n",
        "twice.csv": "item,good\n1,2\n1,3\n",
        "systems.csv": "item,system,good\n1,y,2\n",
        "odd.jsonl": '{"item": 1, "good": 1}\n{"item": 2, "bad": 1}\n',
        "list.jsonl": "[]\n",
        "good.csv": "item,good\n1,2\n",
        "again.csv": "item,good\n1,2\n",
        "other.csv": "item,better\n1,2\n",
        "words.json": "hello",
    }
    for name, content in files.items():
        write(tmp_path, name, content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KataribeError) as caught:
        read_scores(arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_item_that_was_not_scored_has_no_score(tmp_path: Path) -> None:
    table = write(tmp_path, "s.csv", "item,good\n1,\n")
    assert np.isnan(read_scores([table]).values["good"]).all()
    with pytest.raises(InputError, match="is a folder"):
        read_scores([str(tmp_path)])
