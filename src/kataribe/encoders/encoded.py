"""Distinct texts, each encoded once: found on disk or put there, then read back by index.

Memory is bounded: texts are cut, encoded and stored in small batches of similar length, and only the vectors that a
metric is looking at are in memory, however many texts there are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from kataribe.core.caution import Caution, remark
from kataribe.core.errors import counted
from kataribe.core.progress import report
from kataribe.core.types import Bools, Float32s, Int32s, Int64s
from kataribe.encoders.protocol import TextEncoder, TokenizedText, Tokens
from kataribe.encoders.store import SentenceRow, TokenRow, VectorStore, content_key, damage_said, open_store
from kataribe.engines.local import LocalEngine

Kind = Literal["tokens", "sentences"]
T = TypeVar("T")

# Texts of one chunk are sorted by length, so that batches hold little padding; a batch has about so many tokens.
_CHUNK_TEXTS = 8192
_BATCH_TOKENS = 1024
_BATCH_TEXTS = 256
# A tokenizer adds a few tokens of its own: at both ends, or before the first word.
_SPECIALS = 8
# Of encoders that several threads may not use, and of tokenizers, which none of them may.
_one_forward, _one_tokenizer = threading.Lock(), threading.Lock()
# Texts that were encoded or looked at stay in memory up to this many bytes: most come up again.
_RECENT_BYTES = 256_000_000


@dataclass(frozen=True)
class EncodedTexts:
    """Text i under keys[i] of the store; of one process, which may read it in several threads."""

    encoder: TextEncoder
    store: VectorStore
    texts: Sequence[str]
    keys: Sequence[bytes]
    kind: Kind
    _recent: _Recent = field(repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def tokens(self, indices: Int64s) -> list[Tokens]:
        """The tokens of some texts, in the order asked for."""
        found = self._recent.get(indices.tolist())
        missing = [index for index in indices.tolist() if index not in found]
        read = dict(zip(missing, self.store.tokens(self.keys[index] for index in missing), strict=True))
        damaged = [index for index, row in read.items() if row is None]
        read |= {index: (row.tokens.ids, row.tokens.vectors) for index, row in self._again(damaged) if row.tokens}
        for index, row in read.items():
            if row is not None:
                found[index] = Tokens(row[0], _is_special(self.encoder, row[0]), row[1])
        self._recent.add({index: found[index] for index in missing})
        return [found[index] for index in indices.tolist()]

    def token_ids(self, indices: Int64s) -> Iterator[Int32s]:
        for start in range(0, len(indices), _BATCH_TEXTS):
            for tokens in self.tokens(indices[start : start + _BATCH_TEXTS]):
                yield tokens.ids

    def sentences(self, indices: Int64s) -> Float32s:
        found = dict(zip(indices.tolist(), self.store.sentences(self.keys[p] for p in indices.tolist()), strict=True))
        damaged = [index for index, vector in found.items() if vector is None]
        found |= {index: row.sentence.vector for index, row in self._again(damaged)}
        return np.stack([found[index] for index in indices.tolist()])

    def _again(self, damaged: Sequence[int]) -> list[tuple[int, _Encoded]]:
        """Encode what the store had once and has no longer; new rows take the index of the damaged ones."""
        if not damaged:
            return []
        remark(*damage_said(self.store, damaged, self.keys, "texts"))
        with self._lock:
            batches = _encode(self.encoder, self.store, self.kind, self.texts, self.keys, damaged)
            return [entry for batch in batches for entry in batch]


class _Encoded(NamedTuple):
    """What was stored of one text; only of kind tokens it has tokens."""

    sentence: SentenceRow
    tokens: TokenRow | None


class _Recent:
    """Tokens by index; the oldest are forgotten first. Threads may share it."""

    def __init__(self) -> None:
        self._tokens: dict[int, Tokens] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, indices: Sequence[int]) -> dict[int, Tokens]:
        with self._lock:
            return {index: self._tokens[index] for index in indices if index in self._tokens}

    def add(self, tokens: dict[int, Tokens]) -> None:
        with self._lock:
            for index, found in tokens.items():
                if index not in self._tokens:
                    self._tokens[index] = found
                    self._bytes += found.vectors.nbytes
            while self._bytes > _RECENT_BYTES:
                self._bytes -= self._tokens.pop(next(iter(self._tokens))).vectors.nbytes


def encode_texts(encoder: TextEncoder, texts: Sequence[str], kind: Kind) -> EncodedTexts:
    """Encode what the store does not have yet. Ctrl-C loses the batches in hand only."""
    store, remarks = open_store(encoder.key)
    remark(*remarks)
    keys = [content_key(text) for text in texts]
    recent = _Recent()
    for mine in _claimed(encoder.key, store, kind, keys):
        done = 0
        for batch in _encode(encoder, store, kind, texts, keys, mine):
            made = {index: row.tokens for index, row in batch if row.tokens is not None}
            recent.add({i: Tokens(row.ids, _is_special(encoder, row.ids), row.vectors) for i, row in made.items()})
            done += len(batch)
            report(f"encoding with {encoder.name}", done, len(mine))
    if store.was_damaged:
        remark(*damage_said(store, (), keys, "texts"))
    return EncodedTexts(encoder, store, texts, keys, kind, recent)


# What is being encoded in this process: by the encoder's key and the kind of vectors, the keys of texts.
_claims: dict[tuple[str, Kind], set[bytes]] = {}
_claims_change = threading.Condition()


def _claimed(encoder: str, store: VectorStore, kind: Kind, keys: Sequence[bytes]) -> Iterator[list[int]]:
    """Indices of texts to encode here and now, until the store has all.

    Shards that are scored side by side have texts in common: whoever comes second waits for the first.
    """
    taken = _claims.setdefault((encoder, kind), set())
    known = store.known(kind, keys)
    missing = [index for index, key in enumerate(keys) if key not in known]
    while missing:
        with _claims_change:
            mine = [index for index in missing if keys[index] not in taken]
            taken.update(keys[index] for index in mine)
        try:
            yield mine
        finally:
            with _claims_change:
                taken.difference_update(keys[index] for index in mine)
                _claims_change.notify_all()
        own = set(mine)
        theirs = [index for index in missing if index not in own]
        with _claims_change:
            _claims_change.wait_for(lambda: not any(keys[index] in taken for index in theirs))  # noqa: B023
        known = store.known(kind, [keys[index] for index in theirs])
        missing = [index for index in theirs if keys[index] not in known]  # whoever had them failed


class Limited(Protocol):
    """A model that takes only so many tokens."""

    @property
    def name(self) -> str: ...
    @property
    def longest(self) -> int: ...


@dataclass(frozen=True)
class LongTexts:
    """Texts that are longer than a model takes, by their content."""

    keys: frozenset[bytes] = frozenset()

    def __add__(self, other: LongTexts) -> LongTexts:
        return LongTexts(self.keys | other.keys)

    def cautions(self, model: Limited) -> list[Caution]:
        if not self.keys:
            return []
        text = (
            f"{counted(len(self.keys), 'text is', 'texts are')} longer than {model.longest} tokens, the most that "
            f"{model.name} takes, and cut there"
        )
        return [Caution("cut-texts", text)]


@dataclass(frozen=True)
class EncoderFacts:
    """Which model encoded a corpus, and what a reader should know about it."""

    model: str
    warnings: list[Caution]

    @classmethod
    def of(cls, encoder: TextEncoder, *long: LongTexts | None) -> EncoderFacts:
        found = sum((texts for texts in long if texts is not None), LongTexts())
        return cls(encoder.signature, found.cautions(encoder))


def find_long(encoder: TextEncoder, texts: Sequence[str]) -> LongTexts:
    """Which texts an encoder does not take whole."""
    # No tokenizer makes more tokens of plain ASCII than it has characters; few texts have to be cut to be sure.
    doubtful = [text for text in texts if len(text) + _SPECIALS > encoder.longest or not text.isascii()]
    tokenized = zip(doubtful, tokenize_texts(encoder, doubtful), strict=True)
    return LongTexts(frozenset(content_key(text) for text, tokens in tokenized if not tokens.is_whole))


def _encode(
    encoder: TextEncoder,
    store: VectorStore,
    kind: Kind,
    texts: Sequence[str],
    keys: Sequence[bytes],
    indices: Sequence[int],
) -> Iterator[list[tuple[int, _Encoded]]]:
    """Encode and store some texts, in batches of similar length that come out once they are stored."""
    for start in range(0, len(indices), _CHUNK_TEXTS):
        chunk = indices[start : start + _CHUNK_TEXTS]
        tokenized = dict(zip(chunk, tokenize_texts(encoder, [texts[index] for index in chunk]), strict=True))
        batches = list(batches_by_length(tokenized))
        inputs = [[tokenized[index].ids for index in batch] for batch in batches]
        for batch, made in zip(batches, run_batches(encoder.forward, inputs, parallel=encoder.parallel), strict=True):
            rows = [(keys[index], tokenized[index]) for index in batch]
            sentences = [
                SentenceRow(key, text.is_whole, vector)
                for (key, text), vector in zip(rows, made.sentences, strict=True)
            ]
            if kind == "sentences":
                store.add(sentences=sentences)
                yield [(index, _Encoded(row, None)) for index, row in zip(batch, sentences, strict=True)]
                continue
            tokens = [
                TokenRow(key, text.is_whole, text.ids, vectors)
                for (key, text), vectors in zip(rows, made.tokens, strict=True)
            ]
            store.add(tokens=tokens, sentences=sentences)
            yield list(zip(batch, map(_Encoded, sentences, tokens), strict=True))


def tokenize_texts(encoder: TextEncoder, texts: Sequence[str]) -> list[TokenizedText]:
    with _one_tokenizer:
        return encoder.tokenize(texts)


def run_batches(
    forward: Callable[[Sequence[Int32s]], T], inputs: Sequence[list[Int32s]], *, parallel: bool
) -> Iterator[T]:
    """Each core has batches of its own, which wait for nobody; a graphics card has one batch after the other."""
    if parallel:
        yield from LocalEngine().map(forward, inputs)
        return
    for batch in inputs:
        with _one_forward:
            yield forward(batch)


def _is_special(encoder: TextEncoder, ids: Int32s) -> Bools:
    special = np.zeros(len(ids), dtype=bool)
    for number in encoder.special_ids:  # there are few: numpy.isin would take many times as long
        special |= ids == number
    return special


def batches_by_length(tokenized: dict[int, TokenizedText]) -> Iterator[list[int]]:
    """Indices by length, in batches of a bounded number of tokens, padding included."""
    batch: list[int] = []
    for index in sorted(tokenized, key=lambda index: len(tokenized[index].ids)):
        length = len(tokenized[index].ids)
        if batch and ((len(batch) + 1) * length > _BATCH_TOKENS or len(batch) == _BATCH_TEXTS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
