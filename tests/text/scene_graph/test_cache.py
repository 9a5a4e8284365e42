"""The cache saves parsing and never changes a graph."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from kataribe.core.caution import Caution
from kataribe.core.progress import reporting
from kataribe.text.scene_graph import cache
from kataribe.text.scene_graph.cache import cached_graphs, clear
from kataribe.text.scene_graph.ginza import open_parser

TEXTS = ["白い犬が走っている", "男性が犬を連れている", "白い犬が走っている", ""]


class Unwilling:
    """A parser that must not be asked."""

    meta = open_parser().nlp.meta

    def pipe(self, texts: object, **options: object) -> None:
        raise AssertionError("parsed again")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_text_is_parsed_once_and_comes_back_the_same() -> None:
    parser = open_parser()
    first = cached_graphs(parser, TEXTS)
    assert first == parser.graphs(TEXTS)
    again = cached_graphs(replace(parser, nlp=Unwilling()), TEXTS)
    assert again == first
    assert [graph.to_dict() for graph in again] == [graph.to_dict() for graph in first]


def test_other_versions_and_other_rules_have_files_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = open_parser()
    here = cache._state(parser)
    assert cache._state(replace(parser, model="another")) != here
    monkeypatch.setattr(cache, "_rules", lambda: ["another rule"])
    assert cache._state(parser) != here


@pytest.mark.parametrize("damage", ["no database", "no folder", "no rights"])
def test_a_cache_that_cannot_be_used_costs_only_time(damage: str, folder: Path) -> None:
    parser = open_parser()
    expected = parser.graphs(TEXTS)
    if damage == "no folder":
        folder.write_text("a file where the folder should be")
    else:
        cached_graphs(parser, TEXTS)
        [file] = folder.glob("*.sqlite")
        if damage == "no database":
            file.write_bytes(b"not a database, though it is in its place" * 100)
        else:
            file.chmod(0o444)
    assert cached_graphs(parser, [*TEXTS, "猫が寝る"])[:-1] == expected


def test_work_is_kept_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "BATCH", 1)
    parser = open_parser()

    def stop_after_one(stage: str, done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), reporting(stop_after_one):
        cached_graphs(parser, TEXTS)
    kept = cached_graphs(replace(parser, nlp=Unwilling()), TEXTS[:1])
    assert kept == parser.graphs(TEXTS[:1])


def test_clear_removes_every_file(folder: Path) -> None:
    cached_graphs(open_parser(), TEXTS)
    assert [file.parent for file in clear()] == [folder]
    assert list(folder.iterdir()) == []
    assert clear() == []


def test_a_damaged_graph_is_parsed_again_and_said(folder: Path) -> None:
    parser = open_parser()
    expected = cached_graphs(parser, TEXTS)
    [file] = folder.glob("*.sqlite")
    with sqlite3.connect(file) as database:
        database.execute("UPDATE graphs SET graph = (SELECT max(graph) FROM graphs)")  # well-formed, and wrong
    database.close()
    remarks: list[Caution] = []
    assert cached_graphs(parser, TEXTS, remarks) == expected
    assert [caution.id for caution in remarks] == ["damaged-cache"]
    assert cached_graphs(replace(parser, nlp=Unwilling()), TEXTS, remarks) == expected
    assert len(remarks) == 1


@pytest.mark.parametrize("start", [0, 100])
def test_a_damaged_file_is_made_anew_and_said(folder: Path, start: int) -> None:
    parser = open_parser()
    expected = cached_graphs(parser, TEXTS)
    [file] = folder.glob("*.sqlite")
    content = file.read_bytes()
    file.write_bytes(content[:start] + b"\xff" * (len(content) - start))
    remarks: list[Caution] = []
    assert cached_graphs(parser, TEXTS, remarks) == expected
    assert [caution.id for caution in remarks] == ["damaged-cache"]
    assert cached_graphs(replace(parser, nlp=Unwilling()), TEXTS, remarks) == expected
    assert len(remarks) == 1
