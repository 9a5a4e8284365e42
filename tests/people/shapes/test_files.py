"""The folder: what is in it, that it can be read, and that nothing is half written or lost."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from kataribe.core.errors import OutputError
from kataribe.formats.images import find_images
from kataribe.people.rated import read_rated
from kataribe.people.shapes import files
from kataribe.people.shapes.dataset import ShapeSet, ShapesOptions, make_shapes
from kataribe.people.shapes.files import write_shapes

pytest.importorskip("PIL.Image", reason="needs kataribe[models]")


@pytest.fixture(scope="module")
def smoke() -> ShapeSet:
    return make_shapes(ShapesOptions("smoke"))


@pytest.fixture(scope="module")
def folder(smoke: ShapeSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "shapes"
    write_shapes(folder, smoke)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_same_set_is_written_byte_for_byte(smoke: ShapeSet, folder: Path, tmp_path: Path) -> None:
    write_shapes(tmp_path / "again", smoke)
    assert contents(tmp_path / "again") == contents(folder)
    assert len(contents(folder)) == 40 + 4


def test_tables_are_read_as_rated_captions(smoke: ShapeSet, folder: Path) -> None:
    rated = read_rated(folder / "ratings.csv")
    assert rated.warnings == []
    assert list(rated.captions.values()) == [caption.text for caption in smoke.captions]
    assert len(rated.ratings.rows) == 200 * 5
    assert {rating.value for rating in rated.ratings.rows} <= {1.0, 2.0, 3.0, 4.0, 5.0}
    first = smoke.pictures[0]
    assert next(iter(rated.references.values())) == list(first.references)


def test_every_row_has_its_picture(folder: Path) -> None:
    table = rows(folder / "ratings.csv")
    by_item = find_images(folder / "images", {row["item"] for row in table})
    by_name = find_images(folder / "images", {row["image"] for row in table})
    assert all(by_item[row["item"]] == by_name[row["image"]] for row in table)


def test_parts_are_the_rows_of_the_whole_and_share_no_picture(folder: Path) -> None:
    whole, train, test = (rows(folder / f"{name}.csv") for name in ("ratings", "train", "test"))
    assert sorted(map(str, whole)) == sorted(map(str, train + test))
    assert not {row["image"] for row in train} & {row["image"] for row in test}


def test_about_says_what_it_is(folder: Path) -> None:
    about = json.loads((folder / "about.json").read_text())
    assert (about["size"], about["language"], about["seed"]) == ("smoke", "en", 0)
    assert about["pictures"] == {"train": 32, "test": 8}
    assert sum(about["kinds"].values()) == sum(about["captions"].values()) == 200
    assert about["texts_of_train_in_test"] == 0
    assert "simulated" in about["what"]


def test_a_set_replaces_a_set_and_nothing_else(smoke: ShapeSet, tmp_path: Path) -> None:
    target = tmp_path / "shapes"
    write_shapes(target, smoke)
    write_shapes(target, smoke)
    (target / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="holds other things"):
        write_shapes(target, smoke)
    assert (target / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("about", ["{}", "[]", "not json", '{"format": "another"}'])
def test_a_folder_that_only_looks_like_a_set_is_kept(smoke: ShapeSet, tmp_path: Path, about: str) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "about.json").write_text(about)
    with pytest.raises(OutputError, match="holds other things"):
        write_shapes(tmp_path, smoke)


def test_an_interruption_leaves_what_was_there(
    smoke: ShapeSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_shapes(tmp_path / "shapes", smoke)
    before = contents(tmp_path)

    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "draw_png", interrupt)
    for target in ("shapes", "new"):
        with pytest.raises(KeyboardInterrupt):
            write_shapes(tmp_path / target, smoke)
    assert contents(tmp_path) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["shapes"]
