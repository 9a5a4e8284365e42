"""Graphs of texts that were parsed before: references are the same after every epoch, and parsing is slow.

One SQLite file in the cache folder for each parser and each state of the rules. The cache never changes a graph, so
whatever is wrong with the file - no rights, no space, damage - only costs time.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kataribe.core.cache import cache_folder
from kataribe.core.progress import report
from kataribe.core.signature import fingerprint
from kataribe.text.scene_graph.ginza import BATCH, GinzaParser
from kataribe.text.scene_graph.graph import SceneGraph, Word

_STAGE = "parsing captions"
_Words = list[tuple[str, str]]
_decoder = msgspec.json.Decoder(list[_Words])


def cached_graphs(parser: GinzaParser, texts: Sequence[str]) -> list[SceneGraph]:
    """The graph of each text; only texts that were never parsed before are parsed, and kept batch by batch."""
    with _database(parser) as database:
        known = {text: graph for text in texts if (graph := _get(database, text)) is not None}
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        for start in range(0, len(unknown), BATCH):
            report(_STAGE, start, len(unknown))
            batch = unknown[start : start + BATCH]
            graphs = dict(zip(batch, parser.graphs(batch), strict=True))
            known |= graphs
            _put(database, graphs)
        if unknown:
            report(_STAGE, len(unknown), len(unknown))
    return [known[text] for text in texts]


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
def _database(parser: GinzaParser) -> Iterator[sqlite3.Connection | None]:
    connection = None
    with contextlib.suppress(OSError, sqlite3.Error):
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(folder / f"scene-graphs-{_state(parser)}.sqlite", timeout=10)
        connection.execute("CREATE TABLE IF NOT EXISTS graphs (text BLOB PRIMARY KEY, graph BLOB) WITHOUT ROWID")
    try:
        yield connection
    finally:
        if connection is not None:
            connection.close()


def _state(parser: GinzaParser) -> str:
    """Another parser, another model, another line in the rules: another file."""
    return fingerprint([*parser.signature.values(), *_rules()])


def _rules() -> list[str]:
    return [source.read_text(encoding="utf-8") for source in sorted(Path(__file__).parent.glob("*.py"))]


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _get(database: sqlite3.Connection | None, text: str) -> SceneGraph | None:
    if database is None:
        return None
    with contextlib.suppress(sqlite3.Error, msgspec.DecodeError):
        row = database.execute("SELECT graph FROM graphs WHERE text = ?", (_key(text),)).fetchone()
        return _unpack(_decoder.decode(row[0])) if row else None
    return None


def _put(database: sqlite3.Connection | None, graphs: dict[str, SceneGraph]) -> None:
    if database is None:
        return
    rows = [(_key(text), msgspec.json.encode(_pack(graph))) for text, graph in graphs.items()]
    with contextlib.suppress(sqlite3.Error), database:
        database.executemany("INSERT OR REPLACE INTO graphs VALUES (?, ?)", rows)


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
