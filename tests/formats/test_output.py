from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kataribe.core.errors import OutputError
from kataribe.formats.output import check_apart, check_writable, write_whole


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


def test_the_answer_never_replaces_what_the_call_reads(tmp_path: Path) -> None:
    read = tmp_path / "predictions.json"
    read.write_text("{}")
    (tmp_path / "link.json").symlink_to(read)
    (tmp_path / "hard.json").hardlink_to(read)
    (tmp_path / "other.json").write_text("{}")
    for name in ("predictions.json", "link.json", "hard.json", "../" + tmp_path.name + "/predictions.json"):
        with pytest.raises(OutputError, match="is read by this call and would be lost"):
            check_writable(tmp_path / name, [read])
    check_writable(tmp_path / "other.json", [read, tmp_path / "not-there.json"])
    check_writable(tmp_path / "new.json", [read])


def test_a_file_in_a_folder_that_the_call_reads_is_kept_unless_an_earlier_run_wrote_it(tmp_path: Path) -> None:
    folder = tmp_path / "stories"
    folder.mkdir()
    (folder / "film.vtt").write_text("WEBVTT")
    (folder / "result.json").write_text('{"kataribe":"0.1.0"}')
    with pytest.raises(OutputError, match="which this call reads"):
        check_writable(folder / "film.vtt", [folder])
    check_writable(folder / "result.json", [folder])
    check_writable(folder / "new.json", [folder])


def test_two_answers_need_two_files(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "answer.json")
    with pytest.raises(OutputError, match="two answers"):
        check_apart([tmp_path / "answer.json", tmp_path / "link.json"])
    check_apart([Path(os.devnull), Path(os.devnull)])


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    far = tmp_path / "far"
    far.mkdir()
    (far / "answer.json").write_text("old")
    (tmp_path / "near.json").symlink_to("middle.json")
    (tmp_path / "middle.json").symlink_to(far / "answer.json")
    write_whole(tmp_path / "near.json", "new")
    assert (tmp_path / "near.json").is_symlink()
    assert (tmp_path / "middle.json").is_symlink()
    assert (far / "answer.json").read_text() == "new"
    assert sorted(path.name for path in far.iterdir()) == ["answer.json"]


def test_a_link_to_nothing_yet_leads_to_the_new_file(tmp_path: Path) -> None:
    (tmp_path / "near.json").symlink_to(tmp_path / "answer.json")
    write_whole(tmp_path / "near.json", "new")
    assert (tmp_path / "answer.json").read_text() == "new"
    (tmp_path / "lost.json").symlink_to(tmp_path / "nowhere" / "answer.json")
    with pytest.raises(OutputError, match="there is no folder"):
        check_writable(tmp_path / "lost.json")


def test_links_in_a_circle_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OutputError):
        write_whole(tmp_path / "a", "new")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_rights_of_the_old_file_stay(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "answer.json"
    target.write_text("old")
    target.chmod(mode)
    write_whole(target, "new")
    assert target.stat().st_mode & 0o777 == mode
    assert target.read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "answer")
    reader.join()
    assert read == ["answer"]
    assert pipe.is_fifo()


def test_a_device_is_written_to_and_stays_a_device() -> None:
    before = os.stat(os.devnull)
    write_whole(Path(os.devnull), "answer")
    after = os.stat(os.devnull)
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_device_without_space_is_one_line() -> None:
    with pytest.raises(OutputError, match="No space left"):
        write_whole(Path("/dev/full"), "answer")


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no /dev/stdout")
@pytest.mark.parametrize("where", ["file", "pipe"])
def test_standard_output_keeps_its_order_and_its_file(tmp_path: Path, where: str) -> None:
    program = (
        "from pathlib import Path; from kataribe.formats.output import write_whole\n"
        "print('before'); write_whole(Path('/dev/stdout'), 'answer\\n'); print('after')"
    )
    if where == "pipe":
        printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    else:
        with (tmp_path / "out.txt").open("w") as out:
            subprocess.run([sys.executable, "-c", program], stdout=out, check=True)
        printed = (tmp_path / "out.txt").read_text()
    assert printed == "before\nanswer\nafter\n"
