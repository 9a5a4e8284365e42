"""Every form in which the field writes captions gives the same dictionary; every mistake gives one line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kataribe.captions.files import read_predictions, read_references
from kataribe.core.errors import InputError
from kataribe.formats.source import MAX_CAPTION_CHARACTERS

PREDICTED = {"1": "a dog", "2": "two cats, one mat"}
REFERENCES = {"1": ["a dog", "one dog"], "2": ["two cats, one mat"]}

PREDICTION_FILES = {
    "coco.json": json.dumps([{"image_id": 1, "caption": "a dog"}, {"image_id": 2, "caption": "two cats, one mat"}]),
    "plain.json": json.dumps(PREDICTED),
    "tool.json": json.dumps({"1": [{"caption": "a dog"}], "2": [{"caption": "two cats, one mat"}]}),
    "lines.jsonl": '{"id": 1, "caption": "a dog"}\n\n{"id": "2", "caption": "two cats, one mat"}\n',
    "table.csv": 'id,caption\n1,a dog\n2,"two cats, one mat"\n',
    "windows.csv": '\ufeffid,caption\r\n1,a dog\r\n2,"two cats, one mat"\r\n',
    "table.tsv": "image_id\tcaption\n1\ta dog\n2\ttwo cats, one mat\n",
}

REFERENCE_FILES = {
    "coco.json": json.dumps(
        {
            "images": [{"id": 1}, {"id": 2}],
            "annotations": [
                {"id": 7, "image_id": 1, "caption": "a dog"},
                {"id": 8, "image_id": 2, "caption": "two cats, one mat"},
                {"id": 9, "image_id": 1, "caption": "one dog"},
            ],
        }
    ),
    "plain.json": json.dumps({"1": ["a dog", "one dog"], "2": "two cats, one mat"}),
    "lines.jsonl": '{"id": 1, "captions": ["a dog", "one dog"]}\n{"id": 2, "references": ["two cats, one mat"]}\n',
    "long.csv": 'id,caption\n1,a dog\n2,"two cats, one mat"\n1,one dog\n',
    "wide.csv": 'id,caption_1,caption_2\n1,a dog,one dog\n2,"two cats, one mat",\n',
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", PREDICTION_FILES)
def test_predictions_in_any_form(tmp_path: Path, name: str, packed: bool) -> None:
    assert read_predictions(write(tmp_path, name, PREDICTION_FILES[name], packed)) == PREDICTED


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", REFERENCE_FILES)
def test_references_in_any_form(tmp_path: Path, name: str, packed: bool) -> None:
    assert read_references(write(tmp_path, name, REFERENCE_FILES[name], packed)) == REFERENCES


def test_plain_dictionaries_need_no_file() -> None:
    assert read_predictions({1: "a dog", 2: "two cats, one mat"}) == PREDICTED
    assert read_references({1: ("a dog", "one dog"), "2": "two cats, one mat"}) == REFERENCES


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.json", "", "empty.json: is empty"),
        ("blank.json", " \n ", "blank.json: is empty"),
        ("words.json", "hello", "words.json: is not JSON (line 1, column 1"),
        ("cut.json", '{"1": "a', "cut.json: is not JSON"),
        ("number.json", "42", "number.json: holds a single int, not captions"),
        ("none.json", "{}", "none.json: holds no captions"),
        ("none.jsonl", "\n", "none.jsonl: holds no captions"),
        ("none.csv", "", "none.csv: holds no captions"),
        ("null.json", '{"1": null}', "null.json: id '1': caption: is null - give a string"),
        ("number.json", '{"1": 5}', "number.json: id '1': caption: is a number (5), not a string"),
        ("object.json", '{"1": {"a": 1}}', "id '1': caption: is an object"),
        ("twice.json", '{"1": "a", "2": "b", "1": "c"}', "has the same id more than once: '1'"),
        ("twice.jsonl", '{"id": 1, "caption": "a"}\n{"id": "1", "caption": "b"}', "id '1': has 2 predicted captions"),
        ("several.json", '{"1": ["a", "b"]}', "id '1': has 2 predicted captions"),
        ("bare.json", '{"1": []}', "id '1': has no predicted caption"),
        ("shape.json", '[["1", "a"]]', "entry 1 is not an object"),
        ("field.json", '[{"image": 1, "caption": "a"}]', "entry 1 has no field for an id (it has 'image', 'caption')"),
        ("field.json", '[{"image_id": 1, "words": "a"}]', "entry 1 has no field for a caption"),
        ("id.json", '[{"image_id": null, "caption": "a"}]', "entry 1: the id is null"),
        (
            "id.json",
            '[{"image_id": 1.5, "caption": "a"}]',
            "entry 1: the id is a number, not a string or a whole number",
        ),
        ("line.jsonl", '{"id": 1, "caption": "a"}\nnope\n', "line 2 is not JSON"),
        ("header.csv", "key,words\n1,a\n", "the header (key, words) has no column for a caption"),
        ("ragged.csv", "id,caption\n1,a,b\n", "line 2 has 3 fields, the header has 2"),
        ("columns.csv", "id,id\n1,a\n", "has two columns of one name"),
        ("half.json", '{"1": "\\ud83d"}', "contains half of a surrogate pair"),
        ("deep.json", "[" * 100_000, "deep.json: is nested too deeply"),
    ],
)
def test_mistakes_are_named_in_one_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_predictions(write(tmp_path, name, content))
    assert message in str(caught.value)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_caption_of_ten_megabytes_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "huge.json", json.dumps({"1": "a " * 5_000_000}))
    with pytest.raises(InputError, match=r"id '1': caption: has 10,000,000 characters, more than 30,000"):
        read_predictions(path)
    at_the_limit = {"1": "a" * MAX_CAPTION_CHARACTERS}
    assert read_predictions(at_the_limit) == at_the_limit


def test_references_without_a_caption_are_named() -> None:
    with pytest.raises(InputError, match="no reference caption for '2'"):
        read_references({"1": ["a"], "2": []})


def test_missing_folders_and_broken_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_predictions(tmp_path / "nowhere.json")
    with pytest.raises(InputError, match="is a folder"):
        read_predictions(tmp_path)
    (tmp_path / "latin.json").write_bytes('{"1": "café"}'.encode("latin-1"))
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_predictions(tmp_path / "latin.json")
    packed = gzip.compress(b'{"1": "a dog"}' * 100)
    (tmp_path / "cut.json.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="is a damaged gz file"):
        read_predictions(tmp_path / "cut.json.gz")


def test_a_gz_file_needs_no_gz_name(tmp_path: Path) -> None:
    path = tmp_path / "plain.json"
    path.write_bytes(gzip.compress(b'{"1": "a dog"}'))
    assert read_predictions(path) == {"1": "a dog"}


def write(folder: Path, name: str, content: str, packed: bool = False) -> Path:
    path = folder / (name + ".gz" * packed)
    data = content.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    return path
