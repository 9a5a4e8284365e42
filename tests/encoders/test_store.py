"""The vectors on disk: shared by processes, bounded, and never trusted more than they deserve."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import UsageError
from kataribe.encoders import store
from kataribe.encoders.store import SentenceRow, content_key, open_store


def row(number: int) -> SentenceRow:
    return SentenceRow(content_key(f"text {number}"), True, np.full(8, number, dtype=np.float32))


def write_many(start: int) -> None:
    opened, _ = open_store("shared")
    for number in range(start, start + 200):
        opened.add(sentences=[row(number)])


def test_two_processes_write_the_same_file(own_cache: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_many, args=(start,)) for start in (0, 100)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    opened, _ = open_store("shared")
    found = opened.sentences([content_key(f"text {number}") for number in range(300)])
    assert [vector[0] for vector in found] == list(range(300))


def test_a_file_that_is_no_database_is_started_afresh_and_said(own_cache: Path) -> None:
    store.folder().mkdir(parents=True)
    (store.folder() / "x.2.vectors").write_bytes(b"not a database" * 100)
    opened, remarks = open_store("x")
    opened.add(sentences=[row(1)])
    assert (remarks, opened.was_damaged) == ([], True)
    assert opened.known("sentences", [content_key("text 1")]) == {content_key("text 1"): True}
    again, _ = open_store("x")
    assert not again.was_damaged


def test_a_header_that_no_version_wrote_is_damage_too(own_cache: Path) -> None:
    opened, _ = open_store("x")
    opened.add(sentences=[row(1)])
    (path,) = store.files()
    content = bytearray(path.read_bytes())
    content[47] = 0xFF  # the number of the file's format
    path.write_bytes(content)
    again, remarks = open_store("x")
    assert (remarks, again.was_damaged) == ([], True)
    assert again.known("sentences", [row(1).key]) == {}


def test_files_of_version_0_1_which_have_no_checksums_are_left_alone(own_cache: Path) -> None:
    store.folder().mkdir(parents=True)
    old = store.folder() / "x.vectors"
    old.write_bytes(b"rows without checksums")
    opened, _ = open_store("x")
    opened.add(sentences=[row(1)])
    assert (opened.was_damaged, old.read_bytes()) == (False, b"rows without checksums")
    assert old in store.files()  # they count, and go when there is no room


@pytest.mark.parametrize(
    "damage",
    [
        "vector = zeroblob(32)",
        "vector = x'00'",
        "vector = NULL",
        "vector = 'text'",
        "vector = 'text' || x'ff'",
        "vector = 1.5",
        "whole = 0",
        "sum = sum + 1",
        "sum = NULL",
    ],
)
def test_a_damaged_row_is_not_there(own_cache: Path, damage: str) -> None:
    opened, _ = open_store("x")
    opened.add(sentences=[row(1), row(2)])
    with sqlite3.connect(opened.path) as other:
        other.execute(f"UPDATE sentences SET {damage} WHERE key = ?", (row(1).key,))
    other.close()
    first, second = opened.sentences([row(1).key, row(2).key])
    assert first is None
    assert second is not None
    assert second.tolist() == row(2).vector.tolist()
    opened.add(sentences=[row(1)])
    assert opened.sentences([row(1).key])[0] is not None


def test_a_vector_under_another_key_is_not_taken_for_its_own(own_cache: Path) -> None:
    opened, _ = open_store("x")
    opened.add(sentences=[row(1)])
    with sqlite3.connect(opened.path) as other:
        other.execute("UPDATE sentences SET key = ?", (row(2).key,))
    other.close()
    assert opened.sentences([row(2).key]) == [None]


def test_a_file_that_is_malformed_in_the_middle_is_started_afresh(own_cache: Path) -> None:
    opened, _ = open_store("x")
    opened.add(sentences=[row(number) for number in range(5000)])
    opened.close()
    content = bytearray(opened.path.read_bytes())
    content[32768:] = b"\xff" * (len(content) - 32768)
    opened.path.write_bytes(content)
    again, _ = open_store("x")
    again.known("sentences", [row(number).key for number in range(5000)])
    assert again.sentences([row(7).key]) == [None]
    again.add(sentences=[row(7)])
    assert again.was_damaged
    assert again.sentences([row(7).key])[0] is not None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a folder that cannot be written to")
def test_folder_without_rights_is_said_and_the_run_goes_on(own_cache: Path) -> None:
    own_cache.mkdir()
    own_cache.chmod(0o500)
    opened, [remark] = open_store("x")
    opened.add(sentences=[row(1)])
    assert "not kept for the next run" in remark


def test_cache_folder_that_is_a_file_is_said_and_the_run_goes_on(own_cache: Path) -> None:
    own_cache.write_text("a file")
    opened, [remark] = open_store("x")
    opened.add(sentences=[row(1)])
    assert len(opened.sentences([row(1).key])) == 1
    assert "not kept for the next run" in remark


def test_the_file_unused_for_longest_makes_room(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for age, key in enumerate(["old", "new"]):
        opened, _ = open_store(key)
        opened.add(sentences=[row(number) for number in range(500)])
        opened.close()
        os.utime(opened.path, (age, age))
    size = opened.path.stat().st_size
    monkeypatch.setenv(store.LIMIT_VARIABLE, str(1.5 * size / 1e9))
    open_store("another")
    assert sorted(file.stem for file in store.files()) == ["another.2", "new.2"]


def test_limit_of_zero_keeps_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.LIMIT_VARIABLE, "0")
    opened, _ = open_store("x")
    opened.add(sentences=[row(1)])
    assert store.files() == []
    monkeypatch.setenv(store.LIMIT_VARIABLE, "much")
    with pytest.raises(UsageError, match="KATARIBE_ENCODER_CACHE_GB=much: is not a size"):
        open_store("x")


def test_clearing_says_how_much_it_freed(own_cache: Path) -> None:
    opened, _ = open_store("x")
    opened.add(sentences=[row(number) for number in range(500)])
    opened.close()
    size = opened.path.stat().st_size
    assert store.clear() == size > 0
    assert store.files() == []
