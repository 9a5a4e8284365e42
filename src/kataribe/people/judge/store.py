"""Where answers are kept: one SQLite file beside the study.

An answer is on the disk before it is acknowledged: write-ahead log, `synchronous=FULL`. Answers that arrive together
share one transaction, so that fifty raters wait for one flush of the disk and not for fifty.

Links and browser sessions are kept as SHA-256 hashes only. Tokens have 192 random bits, so a hash gives nothing away,
and whoever is handed a copy of the file for analysis cannot answer in anybody's name.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import msgspec

from kataribe.core.errors import InputError, UsageError, nearest

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS raters (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, link TEXT NOT NULL UNIQUE, session TEXT
);
CREATE TABLE IF NOT EXISTS answers (
    rater INTEGER NOT NULL REFERENCES raters, task TEXT NOT NULL, item TEXT NOT NULL, shown TEXT NOT NULL,
    given TEXT NOT NULL, seconds REAL NOT NULL, at REAL NOT NULL, changes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (rater, task)
);
"""
_SAVE = """
INSERT INTO answers (rater, task, item, shown, given, seconds, at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (rater, task) DO UPDATE SET given = excluded.given, seconds = seconds + excluded.seconds, at = excluded.at,
    changes = changes + 1
"""
# What is changed in the schema gets a new number here; another number is another program's file.
_VERSION = 1
_TOKEN_BYTES = 24


# A row to be written, and who waits for it.
Waiting = tuple[Sequence[Any], Future[None]]


class Rater(NamedTuple):
    number: int
    name: str
    session: str | None


class Answer(NamedTuple):
    """What a rater said: for each dimension one value for each of the `shown` systems, or the choice of a pair."""

    rater: str
    task: str
    item: str
    shown: tuple[str, ...]
    given: dict[str, Any]
    seconds: float
    at: float


def new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Store:
    """The open file. Any thread may call any method; other processes may have the same file open."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        try:
            self._connection = _connect(path)
            with self._transaction() as run:
                _claim(run, path, fingerprint)
        except sqlite3.Error as error:
            raise InputError(
                f"cannot be used as the database of a study ({error})", file=path, hint="name another `database`"
            ) from None
        self._reading = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="kataribe-answers", daemon=True)
        self._writer.start()

    def close(self) -> None:
        self._queue.put(None)
        self._writer.join()
        for connection in (self._connection, *self._readers):
            connection.close()

    def invite(self, name: str = "") -> tuple[str, str]:
        """A new rater: the name and the token of the link, which is never seen again."""
        token = new_token()
        with self._transaction() as run:
            (number,) = next(run("SELECT coalesce(max(number), 0) + 1 FROM raters", ()))
            name = name or f"rater-{number:02}"
            if list(run("SELECT 1 FROM raters WHERE name = ?", (name,))):
                problem = f"a rater is called {name!r} already"
                raise UsageError(problem, hint="choose another name, or <renew> it", options=["renew"])
            run("INSERT INTO raters (number, name, link) VALUES (?, ?, ?)", (number, name, hashed(token)))
        return name, token

    def renew(self, name: str) -> str:
        """A new link for a rater whose old one is lost; the old one and its browser are locked out."""
        token = new_token()
        with self._transaction() as run:
            known = [rater for (rater,) in run("SELECT name FROM raters", ())]
            if name not in known:
                raise UsageError(f"no rater is called {name!r}", hint=nearest(name, known) if known else "invite one")
            run("UPDATE raters SET link = ?, session = NULL WHERE name = ?", (hashed(token), name))
        return token

    def raters(self) -> list[Rater]:
        return [Rater(*row) for row in self._read("SELECT number, name, session FROM raters ORDER BY number")]

    def rater_of(self, token: str) -> Rater | None:
        rows = self._read("SELECT number, name, session FROM raters WHERE link = ?", (hashed(token),))
        return Rater(*rows[0]) if rows else None

    def bind(self, rater: Rater, session: str) -> bool:
        """Give the link to the first browser that starts; is it this one?"""
        with self._transaction() as run:
            run("UPDATE raters SET session = ? WHERE number = ? AND session IS NULL", (hashed(session), rater.number))
            (bound,) = next(run("SELECT session FROM raters WHERE number = ?", (rater.number,)))
        return bool(bound == hashed(session))

    def release(self, number: int) -> None:
        """The next browser that opens the link may go on where the last one stopped."""
        with self._transaction() as run:
            run("UPDATE raters SET session = NULL WHERE number = ?", (number,))

    def save(
        self, rater: Rater, task: str, item: str, shown: Sequence[str], given: Any, seconds: float
    ) -> Future[None]:
        """Done when the answer is on the disk."""
        done: Future[None] = Future()
        row = (rater.number, task, item, _pack(shown), _pack(given), seconds, time.time())
        self._queue.put((row, done))
        return done

    def answers_of(self, rater: Rater) -> dict[str, Any]:
        rows = self._read("SELECT task, given FROM answers WHERE rater = ?", (rater.number,))
        return {task: msgspec.json.decode(given) for task, given in rows}

    def answers(self) -> list[Answer]:
        """All answers, rater by rater, in the order in which they were last given."""
        rows = self._read(
            "SELECT name, task, item, shown, given, seconds, at FROM answers JOIN raters ON number = rater "
            "ORDER BY number, at, task"
        )
        return [
            Answer(name, task, item, tuple(msgspec.json.decode(shown)), msgspec.json.decode(given), seconds, at)
            for name, task, item, shown, given, seconds, at in rows
        ]

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        # A connection for each thread that reads: readers never wait for the writer's flush, or for each other.
        if not hasattr(self._reading, "connection"):
            self._reading.connection = _connect(self.path)
            self._readers.append(self._reading.connection)
        found: list[Any] = self._reading.connection.execute(query, values).fetchall()
        return found

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        connection = _connect(self.path)
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection.execute
            connection.execute("COMMIT")
        finally:
            connection.close()  # what was not committed is rolled back

    def _write(self) -> None:
        """Take all answers that wait, write them in one transaction, and only then say so."""
        while (first := self._queue.get()) is not None:
            batch = [first]
            while not self._queue.empty():
                more = self._queue.get()
                if more is None:  # the file is being closed: write this batch, then stop
                    self._queue.put(None)
                    break
                batch.append(more)
            self._commit(batch)

    def _commit(self, batch: Sequence[Waiting]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(_SAVE, [row for row, _ in batch])
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if len(batch) > 1:  # one bad answer must not take the others with it
                for waiting in batch:
                    self._commit([waiting])
            else:
                _tell(batch, error)
        else:
            _tell(batch, None)


def _tell(batch: Sequence[Waiting], error: Exception | None) -> None:
    for _, done in batch:
        if done.set_running_or_notify_cancel():
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _claim(run: Any, path: Path, fingerprint: str) -> None:
    """Create the tables; answers to other texts, or in another order, must not be mixed with these."""
    (version,) = next(run("PRAGMA user_version", ()))
    if version not in (0, _VERSION):
        raise InputError(f"was made by another version of kataribe (schema {version})", file=path)
    for statement in _SCHEMA.split(";"):
        run(statement, ())
    run(f"PRAGMA user_version = {_VERSION}", ())
    kept = list(run("SELECT value FROM facts WHERE name = 'study'", ()))
    (answers,) = next(run("SELECT count(*) FROM answers", ()))
    if kept and kept[0][0] != fingerprint and answers:
        raise InputError(
            f"holds {answers:,} answers to an earlier version of this study", file=path,
            hint="take the texts, systems, dimensions and seed back, or name another `database`",
        )  # fmt: skip
    run("INSERT INTO facts VALUES ('study', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (fingerprint,))


def _pack(value: Any) -> str:
    return msgspec.json.encode(value).decode()
