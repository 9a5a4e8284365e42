"""Folders are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kataribe.core.errors import OutputError
from kataribe.core.folders import check_folder, whole_folder


def is_ours(folder: Path) -> bool:
    return (folder / "ours").exists()


def fill(target: Path, text: str) -> None:
    with whole_folder(target, is_ours) as new:
        (new / "ours").write_text(text)


def test_new_empty_and_own_folders_are_written(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, text in (("new", "1"), ("empty", "2"), ("new", "3")):
        fill(tmp_path / name, text)
        assert (tmp_path / name / "ours").read_text() == text
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["empty", "new"]


def test_what_is_not_ours_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "book").write_text("")
    for name, problem in (("file", "is a file"), ("theirs", "holds other things"), ("no/such", "there is no folder")):
        with pytest.raises(OutputError, match=problem):
            check_folder(tmp_path / name, is_ours)


def test_a_failure_leaves_the_old_folder(tmp_path: Path) -> None:
    fill(tmp_path / "set", "old")

    def fail() -> None:
        with whole_folder(tmp_path / "set", is_ours) as new:
            (new / "ours").write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (tmp_path / "set" / "ours").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["set"]


def test_what_came_meanwhile_is_kept(tmp_path: Path) -> None:
    def overtaken() -> None:
        with whole_folder(tmp_path / "set", is_ours):
            (tmp_path / "set").mkdir()
            (tmp_path / "set" / "book").write_text("theirs")

    with pytest.raises(OutputError, match="holds other things"):
        overtaken()
    assert (tmp_path / "set" / "book").read_text() == "theirs"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    fill(tmp_path / "link", "1")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "ours").read_text() == "1"


def test_a_new_folder_has_the_usual_rights(tmp_path: Path) -> None:
    fill(tmp_path / "set", "1")
    (tmp_path / "usual").mkdir()
    assert os.stat(tmp_path / "set").st_mode == os.stat(tmp_path / "usual").st_mode


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="cannot be written"):
            fill(tmp_path / "set", "1")
    finally:
        tmp_path.chmod(0o700)
