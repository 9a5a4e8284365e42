"""Data sets of rated captions in every form; every mistake is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kataribe.core.errors import InputError
from kataribe.people.rated import read_rated
from kataribe.people.result import Text

REFERENCES = ["a dog runs fast", "one dog"]


def write(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def by_picture(*rated: tuple[str, float | None]) -> dict[str, Any]:
    judgements = [{"image_id": "p", "caption": caption, "rating": rating} for caption, rating in rated]
    return {"p": {"human_judgement": judgements, "ground_truth": REFERENCES}}


FORMS = {
    "picture.json": by_picture(("a dog", 3), ("a dog", 4), ("a cat", 1), ("a cat", 2)),
    "entries.json": [
        {"imgid": "p", "mt": "a dog", "refs": REFERENCES, "score": [3, 4]},
        {"imgid": "p", "mt": "a cat", "refs": REFERENCES, "score": [1, 2]},
    ],
    "lines.jsonl": "".join(
        json.dumps({"item": "p", "caption": caption, "references": REFERENCES, "rating": rating}) + "\n"
        for caption, rating in (("a dog", 3), ("a dog", 4), ("a cat", 1), ("a cat", 2))
    ),
    "table.csv": "item,caption,reference_1,reference_2,rating_1,rating_2\n"
    "p,a dog,a dog runs fast,one dog,3,4\np,a cat,a dog runs fast,one dog,1,2\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_holds_the_same_captions_references_and_ratings(tmp_path: Path, name: str) -> None:
    rated = read_rated(write(tmp_path, name, FORMS[name]))
    dog, cat = Text("p", "p#1"), Text("p", "p#2")
    assert rated.captions == {dog: "a dog", cat: "a cat"}
    assert rated.references == {dog: REFERENCES, cat: REFERENCES}
    values = {text: sorted(row.value for row in rated.ratings.rows if row[2] == text.system) for text in (dog, cat)}  # type: ignore[union-attr]
    assert values == {dog: [3.0, 4.0], cat: [1.0, 2.0]}
    assert len(rated.ratings.raters) == 2
    assert rated.warnings == []


def test_columns_of_a_table_are_raters(tmp_path: Path) -> None:
    rated = read_rated(write(tmp_path, "table.csv", FORMS["table.csv"]))
    assert [(row.rater, row[4]) for row in rated.ratings.rows] == [
        ("rating_1", 3.0),
        ("rating_2", 4.0),
        ("rating_1", 1.0),
        ("rating_2", 2.0),
    ]


def test_ratings_in_ascending_order_are_not_taken_for_strict_and_mild_raters(tmp_path: Path) -> None:
    """Each caption's ratings come sorted; dealt out, every rater gets about as many high ones as low ones."""
    data = {f"p{n}": by_picture(("a dog", 1), ("a dog", 2), ("a dog", 3))["p"] for n in range(300)}
    rows = read_rated(write(tmp_path, "sorted.json", data)).ratings.rows
    for rater in ("rater 1", "rater 2", "rater 3"):
        own = [row[4] for row in rows if row.rater == rater]
        assert len(own) == 300
        assert sum(own) / len(own) == pytest.approx(2.0, abs=0.15)  # three standard errors


def test_missing_ratings_and_captions_that_are_references_are_said(tmp_path: Path) -> None:
    path = write(tmp_path, "odd.json", by_picture(("One  dog", 3), ("a cat", None)))
    assert read_rated(path).warnings == [
        "1 ratings are missing and left out",
        "1 captions are among their own references, which flatters metrics that compare with them",
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.json", {}, "holds no rated captions"),
        ("none.json", [], "holds no rated captions"),
        ("null.json", by_picture(("a dog", None)), "holds no rated captions"),
        ("text.json", '"hello"', "is neither an object nor a list of rated captions"),
        ("plain.json", {"1": "a dog"}, "id '1': has no human_judgement and ground_truth - scores of a metric need"),
        (
            "list.json",
            {"1": {"human_judgement": 3, "ground_truth": ["a"]}},
            "human_judgement: is not a list of objects",
        ),
        ("bare.json", {"1": {"human_judgement": [{"rating": 1}], "ground_truth": ["a"]}}, "caption: is null"),
        ("norefs.json", {"1": {"human_judgement": [], "ground_truth": []}}, "references: has no reference"),
        ("word.json", by_picture(("a dog", "good")), "p, judgement 1: the rating is 'good', not a number"),  # type: ignore[arg-type]
        ("bool.json", by_picture(("a dog", True)), "the rating is True, not a number"),
        ("entry.json", [3], "entry 1 is not an object"),
        ("field.json", [{"id": 1, "caption": "a", "refs": ["a"]}], "entry 1 has no field for the rating"),
        ("field.json", [{"id": 1, "refs": ["a"], "score": 1}], "entry 1 has no field for the caption"),
        ("table.csv", "item,caption,rating\n1,a,3\n", "has no column for references"),
        ("table.csv", "item,caption,reference\n1,a,b\n", "has no column for ratings"),
        ("table.csv", "item,caption,reference,rating\n1,a,b,3\n1,a,b,4\n", "id '1': rates 'a' in two lines"),
        ("twice.json", '{"1": {}, "1": {}}', "has the same id more than once"),
    ],
)
def test_mistakes_are_named_in_one_line(tmp_path: Path, name: str, content: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_rated(write(tmp_path, name, content))
    assert message in str(caught.value)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
