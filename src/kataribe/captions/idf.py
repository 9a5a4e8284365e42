"""Document frequencies of n-grams: counted from references, or kept in a file so that small test sets compare."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from kataribe import _native
from kataribe.core.errors import InputError, ResourceError
from kataribe.core.ragged import Ragged
from kataribe.core.signature import fingerprint
from kataribe.core.types import Floats, Int64s, UInt64s
from kataribe.formats.output import write_whole
from kataribe.formats.source import open_text
from kataribe.text.sentences import NgramIndex, Sentences


class IdfTable(msgspec.Struct, frozen=True):
    """In how many of `documents` items each n-gram stood, as cut by the tokenizer `tok`."""

    tok: str
    documents: int
    frequencies: dict[str, int]

    @property
    def signature(self) -> str:
        counted = sorted(f"{ngram} {count}" for ngram, count in self.frequencies.items())
        return f"{self.documents}-{fingerprint(counted)}"

    def look_up(self, ngrams: Sequence[str]) -> Floats:
        return np.array([self.frequencies.get(ngram, 0) for ngram in ngrams], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class DocumentCounts:
    """In how many of `documents` texts each n-gram occurs. Keys are hashes of n-grams, in ascending order.

    Two hashes tell n-grams apart: `checks` would show if two of them ever had one key.
    """

    documents: int
    keys: UInt64s
    checks: UInt64s
    counts: Int64s

    def __add__(self, other: DocumentCounts) -> DocumentCounts:
        keys = np.concatenate([self.keys, other.keys])
        order = np.argsort(keys, kind="stable")
        keys, checks = keys[order], np.concatenate([self.checks, other.checks])[order]
        is_first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        if np.any(~is_first[1:] & (checks[1:] != checks[:-1])):
            raise ResourceError("two n-grams have the same hash, which no corpus was seen to do", hint="report it")
        starts = np.flatnonzero(is_first)
        counts = np.add.reduceat(np.concatenate([self.counts, other.counts])[order], starts) if len(starts) else keys
        return DocumentCounts(self.documents + other.documents, keys[starts], checks[starts], counts.astype(np.int64))

    def look_up(self, index: NgramIndex) -> Int64s:
        """For each n-gram of an index in how many documents it stands."""
        if not len(self.keys):
            return np.zeros(index.distinct, dtype=np.int64)
        # In their order, neighbours are looked up near each other, which is many times faster.
        order = index.key_order
        keys, checks = index.keys.keys[order], index.keys.checks[order]
        found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        counts = np.empty(len(keys), dtype=np.int64)
        counts[order] = np.where((self.keys[found] == keys) & (self.checks[found] == checks), self.counts[found], 0)
        return counts


def count_documents(sentences: Sentences, documents: Ragged) -> DocumentCounts:
    """Documents are lists of sentences, given by their indices: the references of an item, say."""
    counts = _count(sentences, documents).astype(np.int64)
    index = sentences.ngrams
    order = index.key_order[counts[index.key_order] > 0]
    return DocumentCounts(len(documents), index.keys.keys[order], index.keys.checks[order], counts[order])


def count_documents_by_text(sentences: Sentences, documents: Ragged) -> dict[str, int]:
    """The same by the n-grams' words, for a file that people and other programs can read."""
    counts = _count(sentences, documents).astype(int).tolist()
    ngrams = sentences.ngrams.to_texts(sentences.words.words)
    return {ngram: count for ngram, count in zip(ngrams, counts, strict=True) if count}


def _count(sentences: Sentences, documents: Ragged) -> Floats:
    return _native.document_frequencies(sentences.ngrams, documents.arrays)


def read_idf(path: Path) -> IdfTable:
    with open_text(path) as text:
        content = text.read()
    try:
        return msgspec.json.decode(content, type=IdfTable)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InputError(
            f"is not an idf table ({error})",
            file=path,
            hint="make one with `kataribe resources idf REFS -o TABLE`",
        ) from None


def write_idf(table: IdfTable, path: Path) -> None:
    data = msgspec.json.encode(table)
    write_whole(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
