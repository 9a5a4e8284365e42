"""Rating files as sets to train and test on: joined, on one scale, with pictures, and from a study's export."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import KataribeError
from kataribe.people.rated_sets import read_sets, read_tests
from tests.people.rated_by_rule import write_ratings


def write(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["item,caption,references,rating", *rows]) + "\n")
    return path


def test_joined_files_on_different_scales_count_as_shares_of_their_own(tmp_path: Path) -> None:
    one = write(tmp_path / "one.csv", "1,a dog,a dog runs,1", "2,a cat,a cat sits,5", "3,rain,snow,3")
    other = write(tmp_path / "other.csv", "1,a man,a man sits,0", "2,a ball,a red ball,100")
    joined = read_sets([one, other])
    assert joined.set.examples.ids == ["one:1#1", "one:2#1", "one:3#1", "other:1#1", "other:2#1"]
    assert joined.set.examples.targets.tolist() == [0.0, 1.0, 0.5, 0.0, 1.0]
    assert [str(caution).partition(":")[0] for caution in joined.warnings] == ["one", "other"]


def test_items_of_one_name_without_pictures_count_as_one_picture_in_joined_files(tmp_path: Path) -> None:
    one = write(tmp_path / "one.csv", "1,a dog,a dog runs,1", "2,a cat,a cat sits,5")
    other = write(tmp_path / "other.csv", "1,a man,a man sits,1", "2,a ball,a red ball,5")
    assert read_sets([one, other]).set.examples.pictures == ["1", "2", "1", "2"]


def test_joined_files_on_one_scale_keep_their_ratings(tmp_path: Path) -> None:
    one, other = (write_ratings(tmp_path / f"{name}.csv", 4, seed=n) for n, name in enumerate(("one", "other")))
    joined = read_sets([one, other], scale=(1, 5))
    apart = [read_sets([path], scale=(1, 5)).set.examples.ratings for path in (one, other)]
    assert joined.set.examples.ratings.tolist() == np.concatenate(apart).tolist()
    assert (joined.set.examples.lowest, joined.set.examples.highest) == (1, 5)
    assert not any(caution.id == "guessed-scale" for caution in joined.warnings)


def test_some_captions_of_a_file_keep_their_ratings_and_pictures(tmp_path: Path) -> None:
    path = write_ratings(tmp_path / "r.csv", 4, images=tmp_path / "images")
    whole = read_sets([path], images=tmp_path / "images", scale=(1, 5))
    ids = whole.set.examples.ids[2:4]
    some = whole.only(ids, "held out")
    assert some.name == "held out"
    assert list(some.set.examples.ids) == ids
    assert {row.system for row in some.rated.ratings.rows} == set(ids)
    assert list(some.set.media.images) == ids


def test_tests_need_no_scale_and_their_names_differ(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_ratings(tmp_path / folder / "test.csv", 4)
    tests = read_tests([tmp_path / "a" / "test.csv", tmp_path / "b" / "test.csv"])
    assert len({test.name for test in tests}) == 2
    assert not any(caution.id == "guessed-scale" for test in tests for caution in test.warnings)


def test_pictures_for_each_test_or_for_all(tmp_path: Path) -> None:
    paths = [write_ratings(tmp_path / f"{name}.csv", 3, images=tmp_path / name) for name in ("a", "b")]
    tests = read_tests(paths, images=[tmp_path / "a", tmp_path / "b"])
    assert [len(test.set.media.images) for test in tests] == [6, 6]
    with pytest.raises(KataribeError, match="given 3 times beside 2 test files"):
        read_tests(paths, images=[tmp_path / "a"] * 3)


class TestExportsOfAStudy:
    @pytest.fixture
    def files(self, tmp_path: Path) -> dict[str, Path]:
        ratings = tmp_path / "ratings.csv"
        rows = ["ann,1,base,content,4", "bob,1,base,content,2", "ann,1,large,content,5", "ann,1,base,fluency,1"]
        ratings.write_text("\n".join(["rater,item,system,dimension,value", *rows]) + "\n")
        for name, text in (("base", "a dog"), ("large", "a dog runs")):
            (tmp_path / f"{name}.json").write_text(json.dumps({"1": text, "2": "unjudged"}))
        (tmp_path / "refs.json").write_text(json.dumps({"1": ["the dog runs"]}))
        return {path.stem: path for path in tmp_path.iterdir()}

    def read(self, files: dict[str, Path], **changes: object) -> object:
        given = {"captions": [files["base"], files["large"]], "references": files["refs"], "dimension": "content"}
        return read_sets([files["ratings"]], **{**given, **changes}).set.examples

    def test_captions_of_each_system_meet_their_ratings(self, files: dict[str, Path]) -> None:
        examples = self.read(files)
        assert examples.ids == ["1#base", "1#large"]
        assert examples.candidates == ["a dog", "a dog runs"]
        assert examples.ratings.tolist() == [3.0, 5.0]
        assert examples.references == [["the dog runs"]] * 2

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"dimension": None}, "the ratings have several dimensions: content, fluency"),
            ({"dimension": "contend"}, "did you mean 'content'"),
            ({"references": None}, "need references"),
            ({"captions": ["small=base.json"]}, "no file of captions is of the system 'base'"),
        ],
    )
    def test_what_is_missing_is_named(
        self, files: dict[str, Path], changes: dict[str, object], problem: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(files["refs"].parent)
        with pytest.raises(KataribeError, match=problem):
            self.read(files, **changes)
