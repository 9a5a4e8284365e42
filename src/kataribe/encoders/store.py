"""Vectors on disk, so that a text is encoded once and not in every epoch; one SQLite file for each encoder.

The file's name carries the encoder's fingerprint, recipe and layer, the rows are found by a hash of the text, so
nothing ever has to be invalidated. SQLite lets several processes read and write at a time. A file that is damaged is
started afresh; where the folder cannot be written to, a temporary file serves this run alone. Files are forgotten, the
one unused for longest first, when a run begins and all together exceed `limit()`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kataribe.core.cache import cache_folder
from kataribe.core.caution import Caution
from kataribe.core.errors import ResourceError, UsageError
from kataribe.encoders.protocol import Float32s, Int32s

LIMIT_VARIABLE = "KATARIBE_ENCODER_CACHE_GB"
_DEFAULT_LIMIT_GB = 5.0
_SUFFIX = ".vectors"
_KEYS_AT_ONCE = 500
_WAIT_SECONDS = 60.0

_TABLES = """
    CREATE TABLE IF NOT EXISTS tokens (key BLOB PRIMARY KEY, whole INTEGER, ids BLOB, vectors BLOB);
    CREATE TABLE IF NOT EXISTS sentences (key BLOB PRIMARY KEY, whole INTEGER, vector BLOB);
"""


class TokenRow(NamedTuple):
    key: bytes
    is_whole: bool
    ids: Int32s
    vectors: Float32s


class SentenceRow(NamedTuple):
    key: bytes
    is_whole: bool
    vector: Float32s


def content_key(content: str | bytes) -> bytes:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.blake2b(data, digest_size=16).digest()


def folder() -> Path:
    return cache_folder() / "encoders"


def limit() -> float:
    """How many bytes all files together may have: `$KATARIBE_ENCODER_CACHE_GB`, or 5 GB. 0 keeps nothing."""
    text = os.environ.get(LIMIT_VARIABLE, "")
    try:
        size = float(text) if text else _DEFAULT_LIMIT_GB
    except ValueError:
        size = -1.0
    if not size >= 0:
        raise UsageError(f"{LIMIT_VARIABLE}={text}: is not a size", hint="give gigabytes, 5 unless said; 0 keeps none")
    return size * 1e9


def files() -> list[Path]:
    """What is kept, the one unused for longest first."""
    place = folder()
    found = place.glob(f"*{_SUFFIX}") if place.is_dir() else ()
    return sorted(found, key=lambda file: file.stat().st_mtime)


def clear() -> int:
    """Forget everything; how many bytes that were."""
    freed = 0
    for file in files():
        freed += file.stat().st_size
        file.unlink(missing_ok=True)
        _journal(file).unlink(missing_ok=True)
    return freed


class VectorStore:
    """The vectors of one encoder. Any thread may read and write.

    >>> store = VectorStore(None)
    >>> store.add(sentences=[SentenceRow(content_key("a dog"), True, np.ones(2, np.float32))])
    >>> store.sentences([content_key("a dog")]).tolist()
    [[1.0, 1.0]]
    """

    def __init__(self, path: Path | None) -> None:
        """Without a path, in a temporary file that goes with the process."""
        self.path = path
        self._lock = threading.Lock()
        self._database = sqlite3.connect(
            path or "", timeout=_WAIT_SECONDS, check_same_thread=False, isolation_level=None
        )
        # A crash of the machine may cost the cache, which is only a cache; a crash of the program does not.
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("PRAGMA page_size = 32768")  # about a text; of a new file
        self._database.executescript(_TABLES)

    def close(self) -> None:
        self._database.close()

    def known(self, table: str, keys: Sequence[bytes]) -> dict[bytes, bool]:
        """Which keys there are already, and whether their texts were encoded whole."""
        found: dict[bytes, bool] = {}
        with self._lock:
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                some = keys[start : start + _KEYS_AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = self._database.execute(f"SELECT key, whole FROM {table} WHERE key IN ({marks})", some)
                found |= {key: bool(whole) for key, whole in rows}
        return found

    def add(self, *, tokens: Iterable[TokenRow] = (), sentences: Iterable[SentenceRow] = ()) -> None:
        """All of them, or none if it fails."""
        rows: dict[str, list[tuple[object, ...]]] = {
            "tokens": [(r.key, r.is_whole, r.ids.tobytes(), r.vectors.tobytes()) for r in tokens],
            "sentences": [(r.key, r.is_whole, r.vector.tobytes()) for r in sentences],
        }
        with self._lock:
            try:
                # IMMEDIATE: a writer waits for its turn at the start instead of failing half-way.
                self._database.execute("BEGIN IMMEDIATE")
                for table, values in rows.items():
                    if values:
                        marks = ",".join("?" * len(values[0]))
                        self._database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)
                self._database.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError):
                    raise ResourceError(
                        f"encoded texts cannot be stored in {self.path or 'a temporary file'}: {error}",
                        hint="set KATARIBE_CACHE to a folder with more space",
                    ) from None
                raise

    def token_ids(self, keys: Iterable[bytes]) -> Iterator[Int32s]:
        for (ids,) in self._rows("SELECT ids FROM tokens WHERE key = ?", keys):
            yield np.frombuffer(ids, dtype=np.int32)

    def tokens(self, keys: Iterable[bytes]) -> Iterator[tuple[Int32s, Float32s]]:
        for ids, vectors in self._rows("SELECT ids, vectors FROM tokens WHERE key = ?", keys):
            tokens = np.frombuffer(ids, dtype=np.int32)
            yield tokens, np.frombuffer(vectors, dtype=np.float32).reshape(len(tokens), -1)

    def sentences(self, keys: Sequence[bytes]) -> Float32s:
        rows = self._rows("SELECT vector FROM sentences WHERE key = ?", keys)
        return np.stack([np.frombuffer(vector, dtype=np.float32) for (vector,) in rows])

    def _rows(self, query: str, keys: Iterable[bytes]) -> Iterator[tuple[bytes, ...]]:
        for key in keys:
            with self._lock:
                row = self._database.execute(query, (key,)).fetchone()
            if row is None:
                raise ResourceError(
                    f"the encoded texts in {self.path or 'a temporary file'} vanished while they were in use",
                    hint="run again, and clear the cache only between runs",
                )
            yield row


def open_store(key: str) -> tuple[VectorStore, list[Caution]]:
    """The store of an encoder, and what to warn of: nothing, or why this run keeps its vectors for itself only."""
    try:
        most = limit()
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        _make_room(most)
        return (_opened(place / f"{key}{_SUFFIX}") if most else VectorStore(None)), []
    except (OSError, sqlite3.OperationalError) as error:
        text = f"encoded texts are not kept for the next run: {folder()} cannot be used ({error})"
        return VectorStore(None), [Caution("no-cache", text)]


def _opened(path: Path) -> VectorStore:
    try:
        store = VectorStore(path)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):  # locked, read-only: nothing is wrong with the file itself
            raise
        path.unlink(missing_ok=True)
        store = VectorStore(path)
    os.utime(path)
    return store


def _make_room(most: float) -> None:
    kept = files()
    total = sum(file.stat().st_size for file in kept)
    for file in kept:
        if total <= most:
            return
        total -= file.stat().st_size
        with contextlib.suppress(OSError):
            file.unlink()


def _journal(file: Path) -> Path:
    return file.with_name(file.name + "-journal")
