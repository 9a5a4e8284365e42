from __future__ import annotations

import os
from pathlib import Path

import pytest

from kataribe.core.errors import OutputError
from kataribe.formats.output import check_writable, write_whole


def test_the_file_is_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_whole(tmp_path / "answer.json", "new")
    write_whole(tmp_path / "answer.json", b"newer")
    assert [path.name for path in tmp_path.iterdir()] == ["answer.json"]
    assert (tmp_path / "answer.json").read_text() == "newer"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "answer.json"
    target.write_text("old")

    def full(self: Path, other: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match="No space left on device"):
        write_whole(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["answer.json"]


def test_places_that_cannot_take_an_answer_are_refused_beforehand(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(OutputError, match="there is no folder"):
        check_writable(tmp_path / "nowhere" / "answer.json")


def test_an_answer_has_the_rights_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "answer.json", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "answer.json").stat().st_mode & 0o777 == 0o640
