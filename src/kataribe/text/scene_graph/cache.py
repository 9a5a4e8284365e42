"""Graphs of texts that were parsed before: references are the same after every epoch, and parsing is slow.

One SQLite file in the cache folder for each parser and each state of the rules. The cache never changes a graph, so
whatever is wrong with the file - no rights, no space, damage - only costs time: each graph carries a checksum, what is
damaged is parsed again and said.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kataribe.core.cache import cache_folder
from kataribe.core.caution import Caution
from kataribe.core.progress import report
from kataribe.core.signature import fingerprint
from kataribe.text.scene_graph.ginza import BATCH, GinzaParser
from kataribe.text.scene_graph.graph import SceneGraph, Word

_STAGE = "parsing captions"
_Words = list[tuple[str, str]]
_decoder = msgspec.json.Decoder(list[_Words])


def cached_graphs(parser: GinzaParser, texts: Sequence[str], remarks: list[Caution] | None = None) -> list[SceneGraph]:
    """The graph of each text; only texts that were never parsed before are parsed, and kept batch by batch.

    What was damaged is added to `remarks`.
    """
    damage = _Damage()
    with _database(parser, damage) as database:
        known = {text: graph for text in dict.fromkeys(texts) if (graph := _get(database, text, damage)) is not None}
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        for start in range(0, len(unknown), BATCH):
            report(_STAGE, start, len(unknown))
            batch = unknown[start : start + BATCH]
            graphs = dict(zip(batch, parser.graphs(batch), strict=True))
            known |= graphs
            _put(database, graphs)
        if unknown:
            report(_STAGE, len(unknown), len(unknown))
    if remarks is not None:
        remarks += damage.said()
    return [known[text] for text in texts]


@dataclass
class _Damage:
    """What was found damaged."""

    file: Path | None = None
    graphs: int = 0

    def said(self) -> list[Caution]:
        if self.file is not None:
            text = f"the parsed captions in {self.file} were damaged; they are parsed again"
            return [Caution("damaged-cache", text)]
        if self.graphs:
            text = f"{self.graphs:,} of the parsed captions that were kept were damaged and were parsed again"
            return [Caution("damaged-cache", text)]
        return []


def files() -> list[Path]:
    """Every file of this cache."""
    return sorted(cache_folder().glob("scene-graphs-*.sqlite*"))


def clear() -> list[Path]:
    """Remove them."""
    found = files()
    for file in found:
        file.unlink(missing_ok=True)
    return found


@contextlib.contextmanager
def _database(parser: GinzaParser, damage: _Damage) -> Iterator[sqlite3.Connection | None]:
    connection = None
    with contextlib.suppress(OSError, sqlite3.Error):
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"scene-graphs-{_state(parser)}.sqlite"
        try:
            connection = _opened(file)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # locked, read-only: nothing is wrong with the file itself
                raise
            damage.file = file
            for part in folder.glob(f"{file.name}*"):
                part.unlink(missing_ok=True)
            connection = _opened(file)
    try:
        yield connection
    finally:
        if connection is not None:
            connection.close()


def _opened(file: Path) -> sqlite3.Connection:
    """The file, after a look at its structure: a few milliseconds, as graphs are small."""
    connection = sqlite3.connect(file, timeout=10)
    try:
        connection.text_factory = bytes
        connection.execute(
            "CREATE TABLE IF NOT EXISTS graphs (text BLOB PRIMARY KEY, graph BLOB, sum INTEGER) WITHOUT ROWID"
        )
        if connection.execute("PRAGMA quick_check(1)").fetchone() != (b"ok",):
            raise sqlite3.DatabaseError("malformed")
    except BaseException:
        connection.close()
        raise
    return connection


def _state(parser: GinzaParser) -> str:
    """Another parser, another model, another line in the rules: another file."""
    return fingerprint([*parser.signature.values(), *_rules()])


def _rules() -> list[str]:
    return [source.read_text(encoding="utf-8") for source in sorted(Path(__file__).parent.glob("*.py"))]


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _get(database: sqlite3.Connection | None, text: str, damage: _Damage) -> SceneGraph | None:
    if database is None:
        return None
    key = _key(text)
    with contextlib.suppress(sqlite3.Error):
        row = database.execute("SELECT graph, sum FROM graphs WHERE text = ?", (key,)).fetchone()
        if row is None:
            return None
        if isinstance(row[0], bytes) and _sum(key, row[0]) == row[1]:
            return _unpack(_decoder.decode(row[0]))
        damage.graphs += 1
    return None


def _sum(key: bytes, graph: bytes) -> int:
    return zlib.crc32(graph, zlib.crc32(key))


def _put(database: sqlite3.Connection | None, graphs: dict[str, SceneGraph]) -> None:
    if database is None:
        return
    packed = [(_key(text), msgspec.json.encode(_pack(graph))) for text, graph in graphs.items()]
    rows = [(key, graph, _sum(key, graph)) for key, graph in packed]
    with contextlib.suppress(sqlite3.Error), database:
        database.executemany("INSERT OR REPLACE INTO graphs VALUES (?, ?, ?)", rows)


def _pack(graph: SceneGraph) -> list[_Words]:
    return [[(word.key, word.text) for word in entry] for entry in graph]


def _unpack(packed: list[_Words]) -> SceneGraph:
    """A tuple's length tells what it is."""
    entries = [tuple(Word(key, text) for key, text in words) for words in packed]
    return SceneGraph(
        tuple(entry[0] for entry in entries if len(entry) == 1),
        tuple((entry[0], entry[1]) for entry in entries if len(entry) == 2),
        tuple((entry[0], entry[1], entry[2]) for entry in entries if len(entry) == 3),
    )
