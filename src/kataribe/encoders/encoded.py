"""Distinct texts, each encoded once: found on disk or put there, then read back by place.

Memory is bounded: texts are cut, encoded and stored in small batches of similar length, and only the vectors that a
metric is looking at are in memory, however many texts there are.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.progress import report
from kataribe.encoders.parallel import side_by_side
from kataribe.encoders.protocol import Bools, Cut, Float32s, Int32s, TextEncoder, Tokens
from kataribe.encoders.store import SentenceRow, TokenRow, VectorStore, content_key, open_store
from kataribe.text.sentences import Int64s

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
    keys: Sequence[bytes]
    cut_short: int
    remarks: list[Caution]
    _recent: _Recent = field(repr=False, compare=False)

    def tokens(self, places: Int64s) -> list[Tokens]:
        """The tokens of some texts, in the order asked for."""
        found = self._recent.get(places.tolist())
        missing = [place for place in places.tolist() if place not in found]
        read = self.store.tokens(self.keys[place] for place in missing)
        for place, (ids, vectors) in zip(missing, read, strict=True):
            found[place] = Tokens(ids, _is_special(self.encoder, ids), vectors)
        self._recent.add({place: found[place] for place in missing})
        return [found[place] for place in places.tolist()]

    def token_ids(self, places: Int64s) -> Iterator[Int32s]:
        return self.store.token_ids(self.keys[place] for place in places.tolist())

    def sentences(self, places: Int64s) -> Float32s:
        return self.store.sentences([self.keys[place] for place in places.tolist()])

    @property
    def warnings(self) -> list[Caution]:
        said = list(self.remarks)
        if self.cut_short:
            text = (
                f"{self.cut_short:,} of {len(self.keys):,} distinct texts are longer than {self.encoder.longest} "
                f"tokens, the most that {self.encoder.name} takes, and were cut there"
            )
            said.append(Caution("cut-texts", text))
        return said


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
    for start in range(0, len(missing), _CHUNK_TEXTS):
        chunk = missing[start : start + _CHUNK_TEXTS]
        cuts = dict(zip(chunk, encoder.cut([texts[place] for place in chunk]), strict=True))
        cut_short += sum(not cut.is_whole for cut in cuts.values())
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
            else:
                tokens = [
                    TokenRow(key, cut.is_whole, cut.ids, vectors)
                    for (key, cut), vectors in zip(rows, made.tokens, strict=True)
                ]
                store.add(tokens=tokens, sentences=sentences)
                recent.add(
                    {
                        place: Tokens(row.ids, _is_special(encoder, row.ids), row.vectors)
                        for place, row in zip(batch, tokens, strict=True)
                    }
                )
            done += len(batch)
            report(f"encoding with {encoder.name}", done, len(missing))
    return EncodedTexts(encoder, store, keys, cut_short, remarks, recent)


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
