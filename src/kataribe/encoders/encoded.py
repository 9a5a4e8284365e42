"""Distinct texts, each encoded once: found on disk or put there, then read back by place.

Memory is bounded: texts are cut, encoded and stored in small batches of similar length, and only the vectors that a
metric is looking at are in memory, however many texts there are.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.progress import report
from kataribe.core.types import Bools, Float32s, Int32s, Int64s
from kataribe.encoders.parallel import side_by_side
from kataribe.encoders.protocol import Cut, TextEncoder, Tokens
from kataribe.encoders.store import SentenceRow, TokenRow, VectorStore, content_key, damage_said, open_store

Kind = Literal["tokens", "sentences"]

# Texts of one chunk are sorted by length, so that batches hold little padding; a batch has about so many tokens.
_CHUNK_TEXTS = 8192
_BATCH_TOKENS = 1024
_BATCH_TEXTS = 256
# Texts that were encoded or looked at stay in memory up to this many bytes: most come up again.
_RECENT_BYTES = 256_000_000


@dataclass(frozen=True)
class EncodedTexts:
    """Text i under keys[i] of the store. `cut_short` counts texts longer than the model takes."""

    encoder: TextEncoder
    store: VectorStore
    texts: Sequence[str]
    keys: Sequence[bytes]
    kind: Kind
    cut_short: int
    remarks: list[Caution]
    _recent: _Recent = field(repr=False, compare=False)
    _encoded_again: set[int] = field(default_factory=set, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def tokens(self, places: Int64s) -> list[Tokens]:
        """The tokens of some texts, in the order asked for."""
        found = self._recent.get(places.tolist())
        missing = [place for place in places.tolist() if place not in found]
        read = dict(zip(missing, self.store.tokens(self.keys[place] for place in missing), strict=True))
        damaged = [place for place, row in read.items() if row is None]
        read |= {place: (row.tokens.ids, row.tokens.vectors) for place, row in self._again(damaged) if row.tokens}
        for place, row in read.items():
            if row is not None:
                found[place] = Tokens(row[0], _is_special(self.encoder, row[0]), row[1])
        self._recent.add({place: found[place] for place in missing})
        return [found[place] for place in places.tolist()]

    def token_ids(self, places: Int64s) -> Iterator[Int32s]:
        for start in range(0, len(places), _BATCH_TEXTS):
            for tokens in self.tokens(places[start : start + _BATCH_TEXTS]):
                yield tokens.ids

    def sentences(self, places: Int64s) -> Float32s:
        found = dict(zip(places.tolist(), self.store.sentences(self.keys[p] for p in places.tolist()), strict=True))
        damaged = [place for place, vector in found.items() if vector is None]
        found |= {place: row.sentence.vector for place, row in self._again(damaged)}
        return np.stack([found[place] for place in places.tolist()])

    def _again(self, damaged: Sequence[int]) -> list[tuple[int, _Encoded]]:
        """Encode what the store had once and has no longer; new rows take the place of the damaged ones."""
        if not damaged:
            return []
        with self._lock:
            self._encoded_again.update(damaged)
            batches = _encode(self.encoder, self.store, self.kind, self.texts, self.keys, damaged)
            return [entry for batch in batches for entry in batch]

    @property
    def warnings(self) -> list[Caution]:
        said = [*self.remarks, *damage_said(self.store, self._encoded_again, self.keys, "texts")]
        if self.cut_short:
            text = (
                f"{self.cut_short:,} of {len(self.keys):,} distinct texts are longer than {self.encoder.longest} "
                f"tokens, the most that {self.encoder.name} takes, and were cut there"
            )
            said.append(Caution("cut-texts", text))
        return said


class _Encoded(NamedTuple):
    """What was stored of one text; only of kind tokens it has tokens."""

    sentence: SentenceRow
    tokens: TokenRow | None


class _Recent:
    """Tokens by place; the oldest are forgotten first. Threads may share it."""

    def __init__(self) -> None:
        self._tokens: dict[int, Tokens] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, places: Sequence[int]) -> dict[int, Tokens]:
        with self._lock:
            return {place: self._tokens[place] for place in places if place in self._tokens}

    def add(self, tokens: dict[int, Tokens]) -> None:
        with self._lock:
            for place, found in tokens.items():
                if place not in self._tokens:
                    self._tokens[place] = found
                    self._bytes += found.vectors.nbytes
            while self._bytes > _RECENT_BYTES:
                self._bytes -= self._tokens.pop(next(iter(self._tokens))).vectors.nbytes


def encode_texts(encoder: TextEncoder, texts: Sequence[str], kind: Kind) -> EncodedTexts:
    """Encode what the store does not have yet. Ctrl-C loses the batches in hand only."""
    store, remarks = open_store(encoder.key)
    keys = [content_key(text) for text in texts]
    known = store.known(kind, keys)
    missing = [place for place, key in enumerate(keys) if key not in known]
    cut_short = sum(not is_whole for is_whole in known.values())
    recent = _Recent()
    done = 0
    for batch in _encode(encoder, store, kind, texts, keys, missing):
        cut_short += sum(not row.sentence.is_whole for _, row in batch)
        made = {place: row.tokens for place, row in batch if row.tokens is not None}
        recent.add({place: Tokens(row.ids, _is_special(encoder, row.ids), row.vectors) for place, row in made.items()})
        done += len(batch)
        report(f"encoding with {encoder.name}", done, len(missing))
    return EncodedTexts(encoder, store, texts, keys, kind, cut_short, remarks, recent)


def _encode(
    encoder: TextEncoder,
    store: VectorStore,
    kind: Kind,
    texts: Sequence[str],
    keys: Sequence[bytes],
    places: Sequence[int],
) -> Iterator[list[tuple[int, _Encoded]]]:
    """Encode and store some texts, in batches of similar length that come out once they are stored."""
    for start in range(0, len(places), _CHUNK_TEXTS):
        chunk = places[start : start + _CHUNK_TEXTS]
        cuts = dict(zip(chunk, encoder.cut([texts[place] for place in chunk]), strict=True))
        batches = list(_batches(cuts))
        inputs = [[cuts[place].ids for place in batch] for batch in batches]
        forwards = side_by_side(encoder.forward, inputs) if encoder.parallel else map(encoder.forward, inputs)
        for batch, made in zip(batches, forwards, strict=True):
            rows = [(keys[place], cuts[place]) for place in batch]
            sentences = [
                SentenceRow(key, cut.is_whole, vector) for (key, cut), vector in zip(rows, made.sentences, strict=True)
            ]
            if kind == "sentences":
                store.add(sentences=sentences)
                yield [(place, _Encoded(row, None)) for place, row in zip(batch, sentences, strict=True)]
                continue
            tokens = [
                TokenRow(key, cut.is_whole, cut.ids, vectors)
                for (key, cut), vectors in zip(rows, made.tokens, strict=True)
            ]
            store.add(tokens=tokens, sentences=sentences)
            yield list(zip(batch, map(_Encoded, sentences, tokens), strict=True))


def _is_special(encoder: TextEncoder, ids: Int32s) -> Bools:
    special = np.zeros(len(ids), dtype=bool)
    for number in encoder.special_ids:  # there are few: numpy.isin would take many times as long
        special |= ids == number
    return special


def _batches(cuts: dict[int, Cut]) -> Iterator[list[int]]:
    """Places by length, in batches of a bounded number of tokens, padding included."""
    batch: list[int] = []
    for place in sorted(cuts, key=lambda place: len(cuts[place].ids)):
        length = len(cuts[place].ids)
        if batch and ((len(batch) + 1) * length > _BATCH_TOKENS or len(batch) == _BATCH_TEXTS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
