"""Vectors of texts, pictures and the frames of videos on disk, so that what was encoded once is not encoded in every
epoch; one SQLite file for each encoder.

The file's name carries the encoder's fingerprint, recipe and layer, the rows are found by a hash of the content, so
nothing ever has to be invalidated. SQLite lets several processes read and write at a time. Every row carries a checksum
that is verified whenever it is read: what does not match is not there. A file that is no database, or no longer one in
the middle, is started afresh. Where the folder cannot be written to, a temporary file serves this run alone. Files are
forgotten, the one unused for longest first, when a run begins and all together exceed `limit()`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kataribe.core.cache import cache_folder
from kataribe.core.caution import Caution
from kataribe.core.errors import ResourceError, UsageError
from kataribe.core.types import Float32s, Floats, Int32s

LIMIT_VARIABLE = "KATARIBE_ENCODER_CACHE_GB"
_DEFAULT_LIMIT_GB = 5.0
_SUFFIX = ".vectors"
_VERSION = 2  # of the tables; other versions of this package find files of their own
_KEY_BYTES = 16
_KEYS_AT_ONCE = 500
_LARGEST_BLOB = 900_000_000  # SQLite takes a little more; the frames of such a film are looked at again
_WAIT_SECONDS = 60.0

_TABLES = """
    CREATE TABLE IF NOT EXISTS tokens (key BLOB PRIMARY KEY, whole INTEGER, ids BLOB, vectors BLOB, sum INTEGER);
    CREATE TABLE IF NOT EXISTS sentences (key BLOB PRIMARY KEY, whole INTEGER, vector BLOB, sum INTEGER);
    CREATE TABLE IF NOT EXISTS frames (key BLOB PRIMARY KEY, whole INTEGER, times BLOB, vectors BLOB, sum INTEGER);
"""


class TokenRow(NamedTuple):
    key: bytes
    is_whole: bool
    ids: Int32s
    vectors: Float32s


class SentenceRow(NamedTuple):
    """One vector, of a whole text or a picture."""

    key: bytes
    is_whole: bool
    vector: Float32s


class FramesRow(NamedTuple):
    """The frames of a video that were looked at: when they are shown, and a vector of double precision for each."""

    key: bytes
    times: Floats
    duration: float
    vectors: Floats


def content_key(content: str | bytes) -> bytes:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.blake2b(data, digest_size=_KEY_BYTES).digest()


def file_key(path: Path) -> bytes:
    """`content_key` of a file of any size."""
    digest = hashlib.blake2b(digest_size=_KEY_BYTES)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.digest()


def _sum(key: bytes, is_whole: bool, *blobs: bytes) -> int:
    sum = zlib.crc32(b"1" if is_whole else b"0", zlib.crc32(key))
    for blob in blobs:
        sum = zlib.crc32(blob, sum)
    return sum


def _summed(key: bytes, is_whole: bool, *blobs: bytes) -> tuple[object, ...]:
    return (key, is_whole, *blobs, _sum(key, is_whole, *blobs))


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
        raise UsageError(f"{LIMIT_VARIABLE}={text}: is not a size", hint="give gigabytes; 0 keeps nothing")
    return size * 1e9


def files() -> list[Path]:
    """What is kept, the one unused for longest first."""
    found = folder().glob(f"*{_SUFFIX}") if folder().is_dir() else ()
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
    >>> store.sentences([content_key("a dog")])
    [array([1., 1.], dtype=float32)]
    """

    def __init__(self, path: Path | None) -> None:
        """Without a path, in a temporary file that goes with the process."""
        self.path = path
        self.was_damaged = False
        self.damaged_rows = 0
        self._lock = threading.RLock()
        try:
            self._database = _connect(path)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._start_afresh()

    def close(self) -> None:
        self._database.close()

    def known(self, table: str, keys: Sequence[bytes]) -> dict[bytes, bool]:
        """Which keys there are already, and whether their texts were encoded whole."""
        found: dict[bytes, bool] = {}
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            some = keys[start : start + _KEYS_AT_ONCE]
            marks = ",".join("?" * len(some))
            rows = self._ask(f"SELECT key, whole FROM {table} WHERE key IN ({marks})", some)
            found |= {key: bool(whole) for key, whole in rows}
        return found

    def add(
        self,
        *,
        tokens: Iterable[TokenRow] = (),
        sentences: Iterable[SentenceRow] = (),
        frames: Iterable[FramesRow] = (),
    ) -> None:
        """All of them, or none if it fails."""
        rows = {
            "tokens": [_summed(r.key, r.is_whole, r.ids.tobytes(), r.vectors.tobytes()) for r in tokens],
            "sentences": [_summed(r.key, r.is_whole, r.vector.tobytes()) for r in sentences],
            "frames": [
                _summed(r.key, True, np.append(r.times, r.duration).tobytes(), r.vectors.tobytes())
                for r in frames
                if r.vectors.nbytes <= _LARGEST_BLOB
            ],
        }
        with self._lock:
            try:
                self._insert(rows)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise ResourceError(
                        f"vectors cannot be stored in {self.path or 'a temporary file'}: {error}",
                        hint="set KATARIBE_CACHE to a folder with more space",
                    ) from None
                self._start_afresh()
                self._insert(rows)

    def _insert(self, rows: Mapping[str, list[tuple[object, ...]]]) -> None:
        try:
            # IMMEDIATE: a writer waits for its turn at the start instead of failing half-way.
            self._database.execute("BEGIN IMMEDIATE")
            for table, values in rows.items():
                if values:
                    marks = ",".join("?" * len(values[0]))
                    self._database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)
            self._database.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")
            raise

    def tokens(self, keys: Iterable[bytes]) -> Iterator[tuple[Int32s, Float32s] | None]:
        """For each key its tokens, or None where they are damaged or gone."""
        for row in self._rows("SELECT sum, whole, ids, vectors FROM tokens WHERE key = ?", keys):
            if row is None:
                yield None
            else:
                ids = np.frombuffer(row[0], dtype=np.int32)
                yield ids, np.frombuffer(row[1], dtype=np.float32).reshape(len(ids), -1)

    def sentences(self, keys: Iterable[bytes]) -> list[Float32s | None]:
        """For each key its vector, or None where it is damaged or gone."""
        rows = self._rows("SELECT sum, whole, vector FROM sentences WHERE key = ?", keys)
        return [None if row is None else np.frombuffer(row[0], dtype=np.float32) for row in rows]

    def frames(self, key: bytes) -> FramesRow | None:
        """The frames of one video, or None where they are damaged or gone."""
        [row] = self._rows("SELECT sum, whole, times, vectors FROM frames WHERE key = ?", [key])
        if row is None:
            return None
        times = np.frombuffer(row[0], dtype=np.float64)  # the last one is the end of the video
        vectors = np.frombuffer(row[1], dtype=np.float64).reshape(len(times) - 1, -1)
        return FramesRow(key, times[:-1], float(times[-1]), vectors)

    def _rows(self, query: str, keys: Iterable[bytes]) -> Iterator[list[bytes] | None]:
        for key in keys:
            rows = self._ask(query, (key,))
            if not rows:
                yield None
                continue
            sum, is_whole, *blobs = rows[0]
            is_sound = all(isinstance(blob, bytes) for blob in blobs) and _sum(key, bool(is_whole), *blobs) == sum
            self.damaged_rows += not is_sound
            yield blobs if is_sound else None

    def _ask(self, query: str, values: Sequence[bytes]) -> list[Any]:
        with self._lock:
            try:
                return self._database.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._start_afresh()
                return []

    def _start_afresh(self) -> None:
        """Nothing in a damaged file is worth a wrong number."""
        self.was_damaged = True
        if hasattr(self, "_database"):
            self._database.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            _journal(self.path).unlink(missing_ok=True)  # of the old file: SQLite would play it back into the new one
        self._database = _connect(self.path)


def _connect(path: Path | None) -> sqlite3.Connection:
    database = sqlite3.connect(path or "", timeout=_WAIT_SECONDS, check_same_thread=False, isolation_level=None)
    try:
        database.text_factory = bytes  # what is no longer a blob is damage, not text to decode
        # A crash of the machine may cost the cache, which is only a cache; a crash of the program does not.
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA page_size = 32768")  # about a text; of a new file
        database.executescript(_TABLES)
    except BaseException:
        database.close()
        raise
    return database


# Operational errors that a file itself causes: a table that is gone, a header that no version wrote.
_DAMAGES = ("no such", "unsupported file format")


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Not a file that is locked, read-only or on a full disk: nothing is wrong with that one itself."""
    return not isinstance(error, sqlite3.OperationalError) or any(said in str(error) for said in _DAMAGES)


def damage_said(store: VectorStore, damaged: Sized, asked: Sized, what: str) -> list[Caution]:
    """What to say of a store in which `damaged` of the rows that were `asked` for had to be made again."""
    if store.was_damaged:
        text = f"the encoded {what} in {store.path} were damaged; they are encoded again"
        return [Caution("damaged-cache", text)]
    if len(damaged):
        text = f"{len(damaged):,} of {len(asked):,} encoded {what} in {store.path} were damaged; they are encoded again"
        return [Caution("damaged-cache", text)]
    return []


def open_store(key: str, chosen: Path | None = None) -> tuple[VectorStore, list[Caution]]:
    """The store of an encoder, and what to warn of: nothing, or why this run keeps its vectors for itself only.

    It lies in the cache folder, or in a folder of the user's, which has no limit.

    Whether the file was damaged shows in the course of the run: `was_damaged` of the store.
    """
    path = chosen or folder()
    try:
        most = limit()
        path.mkdir(parents=True, exist_ok=True)
        if chosen is None:
            _make_room(most)
            if not most:
                return VectorStore(None), []
        return _opened(path / f"{key}.{_VERSION}{_SUFFIX}"), []
    except (OSError, sqlite3.OperationalError) as error:
        text = f"vectors are not kept for the next run: {path} cannot be used ({error})"
        return VectorStore(None), [Caution("no-cache", text)]


def _opened(path: Path) -> VectorStore:
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
