"""The database: hashes instead of secrets, one browser for a link, many writers, one study."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kataribe.core.errors import KataribeError
from kataribe.people.judge.store import Rater, Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "answers.sqlite", "study")
    yield opened
    opened.close()


def rater_of(store: Store, token: str) -> Rater:
    found = store.rater_of(token)
    assert found is not None
    return found


def test_only_one_of_many_browsers_gets_a_link(store: Store) -> None:
    rater = rater_of(store, store.invite()[1])
    with ThreadPoolExecutor(16) as pool:
        bound = list(pool.map(lambda number: store.bind(rater, f"session {number}"), range(16)))
    assert sum(bound) == 1


def test_answers_of_many_threads_are_all_kept(store: Store) -> None:
    raters = [rater_of(store, store.invite()[1]) for _ in range(10)]
    with ThreadPoolExecutor(20) as pool:
        saved = [
            pool.submit(lambda r, t: store.save(r, f"task{t}", "item", ["a"], {"overall": [t]}, 1.0).result(60), r, t)
            for t in range(30)
            for r in raters
        ]
        for each in saved:
            each.result(60)
    assert len(store.answers()) == 300
    for rater in raters:
        assert store.answers_of(rater) == {f"task{number}": {"overall": [number]} for number in range(30)}


def test_answers_waiting_at_the_close_are_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "answers.sqlite", "study")
    rater = rater_of(store, store.invite()[1])
    waiting = [store.save(rater, f"task{number}", "item", ["a"], {"overall": [1]}, 1.0) for number in range(200)]
    store.close()
    assert all(done.done() for done in waiting)
    again = Store(tmp_path / "answers.sqlite", "study")
    assert len(again.answers()) == 200
    again.close()


def test_refused_answer_is_told_and_harms_no_other(store: Store) -> None:
    rater = rater_of(store, store.invite()[1])
    stranger = Rater(99, "nobody", None)
    with sqlite3.connect(store.path) as busy:  # holds the database, so that all answers wait and go in together
        busy.execute("BEGIN IMMEDIATE")
        saved = [store.save(rater, f"task{n}", "item", ["a"], {"overall": [1]}, 1.0) for n in range(5)]
        refused = store.save(stranger, "task", "item", ["a"], {"overall": [1]}, 1.0)
    for each in saved:
        each.result(30)
    with pytest.raises(sqlite3.IntegrityError):
        refused.result(30)
    assert len(store.answers()) == 5


def test_every_commit_waits_for_the_disk(store: Store) -> None:
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_changed_study_is_refused_once_there_are_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    store = Store(path, "one")
    rater = rater_of(store, store.invite()[1])
    store.close()
    store = Store(path, "two")  # nobody has answered: the study may still change
    store.save(rater, "task", "item", ["a"], {"overall": [1]}, 1.0).result(30)
    store.close()
    with pytest.raises(KataribeError, match="holds 1 answers to an earlier version of this study"):
        Store(path, "three")


def test_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_text("these are my notes, not a database; " * 100)
    before = path.read_bytes()
    with pytest.raises(KataribeError, match="cannot be used as the database of a study"):
        Store(path, "study")
    assert path.read_bytes() == before


def test_database_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(KataribeError, match="another version of kataribe"):
        Store(path, "study")
