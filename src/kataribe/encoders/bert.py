"""BERT without torch: numpy multiplies the matrices, and the core does what lies between.

It gives the vectors that transformers would give, and saves the seconds that importing it takes. Nothing is padded: the
tokens of all texts of a batch lie one after the other, every layer works on all of them at once, and only attention
looks at the texts one by one.

Devlin, J., Chang, M.-W., Lee, K., Toutanova, K. (2019). BERT: pre-training of deep bidirectional transformers. NAACL.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from kataribe import _native
from kataribe.core.memo import keep_open
from kataribe.core.types import Float32s, Int32s, Int64s
from kataribe.encoders import loading
from kataribe.encoders.protocol import Forward, TokenizedText

WORDS = "embeddings.word_embeddings.weight"


class Rows(Protocol):
    """A table of vectors by token id: an array, or something that makes the rows which are asked for."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, ids: Int32s, /) -> Float32s: ...
    def __array__(self) -> Float32s: ...


class Weights(NamedTuple):
    """The word embeddings, and all other tensors, by the names that transformers gives them."""

    words: Rows
    others: Mapping[str, Float32s]


@dataclass(frozen=True)
class Bert:
    """A BERT that a package carries: what it is, how it cuts texts, and its weights once they are wanted.

    A token's number is its row in the word embeddings. `cut` gives all tokens of each text, specials included.
    """

    name: str
    layers: int
    heads: int
    width: int
    inner: int
    epsilon: float
    longest: int
    special_ids: frozenset[int]
    pad_id: int
    fingerprint: str
    recipe: str
    cut: Callable[[list[str]], list[list[int]]]
    weights: Callable[[], Weights]

    def tokenize(self, texts: Sequence[str]) -> list[TokenizedText]:
        return [self._tokenized(ids) for ids in self.cut(list(texts))] if texts else []

    def _tokenized(self, ids: list[int]) -> TokenizedText:
        fits = len(ids) <= self.longest
        # What is cut away lies before the last token, which ends every text.
        kept = ids if fits else [*ids[: self.longest - 1], ids[-1]]
        return TokenizedText(np.array(kept, dtype=np.int32), fits)

    def with_tensors(self, tensors: Mapping[str, Float32s]) -> Bert:
        """The same with some of its weights replaced; it has a name and a fingerprint of its own."""
        arrays = {name: np.ascontiguousarray(tensors[name], dtype=np.float32) for name in sorted(tensors)}
        weights = self.weights()
        known = {name: tensor.shape for name, tensor in weights.others.items()} | {WORDS: weights.words.shape}
        for name, array in arrays.items():
            loading.check_trained(self.name, name, array.shape, known.get(name))
        replaced = Weights(arrays.get(WORDS, weights.words), {**weights.others, **arrays})
        digest = hashlib.blake2b(self.fingerprint.encode(), digest_size=4)
        for name, array in arrays.items():
            digest.update(f"{name} {array.shape} ".encode())
            digest.update(array.reshape(-1).view(np.uint8).data)
        return replace(
            self, name=f"{self.name}{loading.TUNED}", fingerprint=digest.hexdigest(), weights=lambda: replaced
        )


class BertEncoder:
    """Token vectors are the states of a layer (default: the last), a sentence's vector is their mean."""

    dtype = "float32"
    parallel = True

    def __init__(self, bert: Bert, layer: int | None = None) -> None:
        self.bert = bert
        self.name = bert.name
        self.layers = bert.layers
        self.layer = loading.choose_layer(self.name, layer, self.layers)
        self.width = bert.width
        self.longest = bert.longest
        self.special_ids = bert.special_ids
        self.fingerprint = bert.fingerprint
        self.signature = f"{self.name}-{self.fingerprint}"
        self.key = f"text-{self.fingerprint}-{bert.recipe}-l{self.layer}"
        # Threads that want the first vectors at the same time make the network once.
        self._network = keep_open(1)(lambda: Network(bert, self.layer))

    def tokenize(self, texts: Sequence[str]) -> list[TokenizedText]:
        return self.bert.tokenize(texts)

    def forward(self, batch: Sequence[Int32s]) -> Forward:
        lengths = np.array([len(ids) for ids in batch], dtype=np.int64)
        *_, states = self._network().states(np.concatenate(batch), lengths)
        means = _means(states, lengths)
        sentences = means / np.linalg.norm(means, axis=1, keepdims=True)
        return Forward(np.split(states, np.cumsum(lengths)[:-1]), sentences)

    def layer_means(self, batch: Sequence[Int32s]) -> Float32s:
        """Of each text the mean of its tokens after every layer up to its own: texts x layers + 1 x width."""
        lengths = np.array([len(ids) for ids in batch], dtype=np.int64)
        return np.stack(
            [_means(states, lengths) for states in self._network().states(np.concatenate(batch), lengths)], axis=1
        )


def _means(states: Float32s, lengths: Int64s) -> Float32s:
    sums = np.add.reduceat(states, np.cumsum(lengths) - lengths)
    return np.divide(sums, lengths[:, np.newaxis], dtype=np.float32)


class Network:
    """BERT, as its paper has it: weights by the names of the checkpoint, one matrix for queries, keys and values."""

    def __init__(self, bert: Bert, layers: int) -> None:
        self._bert = bert
        self._words, self._tensors = bert.weights()
        self._fused = [self._fuse(f"encoder.layer.{number}.attention.self") for number in range(layers)]

    def _fuse(self, prefix: str) -> tuple[Float32s, Float32s]:
        parts = [self._weights(f"{prefix}.{part}") for part in ("query", "key", "value")]
        weights, biases = zip(*parts, strict=True)
        return np.concatenate(weights), np.concatenate(biases)

    def _weights(self, prefix: str) -> tuple[Float32s, Float32s]:
        return self._tensors[f"{prefix}.weight"], self._tensors[f"{prefix}.bias"]

    def states(self, ids: Int32s, lengths: Int64s) -> Iterator[Float32s]:
        """The state of every token: its embedding, then what each layer makes of it.

        All of them share their memory, because fresh memory costs time: look at one before you ask for the next.
        """
        positions = np.concatenate([np.arange(length) for length in lengths.tolist()])
        states = self._words[ids]
        of_token_type = self._tensors["embeddings.token_type_embeddings.weight"][0]  # single texts have no other type
        of_position = self._tensors["embeddings.position_embeddings.weight"][positions]
        self._add_and_normalize("embeddings.LayerNorm", states, of_token_type, of_position)
        yield states
        widths = (states.shape[1], states.shape[1], 3 * states.shape[1], self._bert.inner)
        mixed, attended, projected, inner = (np.empty((len(ids), width), dtype=np.float32) for width in widths)
        for number, (weights, bias) in enumerate(self._fused):
            layer = f"encoder.layer.{number}"
            np.matmul(states, weights.T, out=projected)
            _native.bert_attend(projected, bias, lengths, self._bert.heads, mixed)
            weights, bias = self._weights(f"{layer}.attention.output.dense")
            np.matmul(mixed, weights.T, out=attended)
            self._add_and_normalize(f"{layer}.attention.output.LayerNorm", attended, bias, states)
            weights, bias = self._weights(f"{layer}.intermediate.dense")
            np.matmul(attended, weights.T, out=inner)
            _native.bert_gelu(inner, bias)
            weights, bias = self._weights(f"{layer}.output.dense")
            np.matmul(inner, weights.T, out=states)
            self._add_and_normalize(f"{layer}.output.LayerNorm", states, bias, attended)
            yield states

    def _add_and_normalize(self, prefix: str, states: Float32s, bias: Float32s, residual: Float32s) -> None:
        _native.bert_add_and_normalize(states, bias, residual, *self._weights(prefix), self._bert.epsilon)
