"""What a retriever is trained on, as numbers, and the networks that take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kataribe.core.caution import remark
from kataribe.core.need import need
from kataribe.core.types import Array, Float32s, Int32s, Int64s
from kataribe.encoders import loading
from kataribe.encoders.dual import open_texts, unit
from kataribe.encoders.encoded import encode_texts, find_long
from kataribe.encoders.trainable import trainable, trainable_pictures
from kataribe.grounding.retrieval.options import RetrieverOptions
from kataribe.grounding.retrieval.pairs import TRAIN, PairedFilms, PairTable

# What the encoders' tensors start with, in the network and in the folder.
PICTURES, TEXTS = ENCODERS = ("picture_encoder.", "text_encoder.")
# Pairs that are looked at together; few of them where an encoder has to look.
_AT_ONCE, _FEW = 256, 16
# More vectors than these say nothing new about where the vectors of a side lie.
_ENOUGH = 20_000


@dataclass(frozen=True, eq=False)
class Material:
    """All pairs as numbers. A text is a vector, or its tokens where its encoder is trained; a frame likewise pixels."""

    paired: PairedFilms
    options: RetrieverOptions
    pictures: str
    text: str
    signature: str
    learned: PairTable
    tables: Mapping[str, PairTable]
    vectors_of_texts: Float32s
    tokens: Sequence[Int32s]
    pad_id: int

    @classmethod
    def of(
        cls,
        paired: PairedFilms,
        text: str,
        pictures: str,
        options: RetrieverOptions,
        pixels: Mapping[str, Array] | None,
    ) -> Material:
        texts = paired.texts
        encoder = open_texts(text)
        remark(*find_long(encoder, texts).cautions(encoder))
        vectors = encode_texts(encoder, texts, "sentences").sentences(np.arange(len(texts)))
        tokens, pad_id = _tokens(text, texts) if options.finetune else ([], 0)
        index = {text: number for number, text in enumerate(texts)}
        held_out = {part: pairs for part, pairs in paired.shots.items() if part != TRAIN}
        tables = {part: PairTable.of(pairs, paired, index, pixels) for part, pairs in held_out.items()}
        learned = PairTable.of(paired.learned, paired, index, pixels)
        return cls(paired, options, pictures, text, encoder.signature, learned, tables, vectors, tokens, pad_id)

    def __len__(self) -> int:
        return len(self.learned)

    def batch(self, rows: Int64s) -> Any:
        torch = need("torch", extra="models", purpose="training")
        frames, is_there = self.learned.looked_at(rows, self.options.frames)
        apart = self.learned.told_apart(rows)
        tensors = (torch.from_numpy(array) for array in (frames, is_there, apart))
        frames, is_there, apart = tensors
        return frames, is_there, self._texts(self.learned.texts[rows]), apart

    def _texts(self, indices: Int64s) -> Any:
        torch = need("torch", extra="models", purpose="training")
        if not self.tokens:
            return torch.from_numpy(self.vectors_of_texts[indices])
        ids, mask = loading.pad([self.tokens[index] for index in indices.tolist()], self.pad_id)
        return torch.from_numpy(ids), torch.from_numpy(mask)

    def new_network(self, options: RetrieverOptions) -> tuple[Any, dict[str, Any]]:
        """A network with the random weights of a seed, and the encoders in it that are trained."""
        torch = need("torch", extra="models", purpose="training")
        from kataribe.grounding.retrieval.network import DualNetwork, Side

        encoders: dict[str, Any] = {}
        if options.finetune_pictures:
            encoders[PICTURES] = trainable_pictures(self.pictures)
            encoders[PICTURES].freeze_below(options.finetune_pictures)
        if options.finetune:
            encoders[TEXTS] = trainable(self.text)
            encoders[TEXTS].freeze_below("all" if options.finetune < 0 else options.finetune)
        films = {pair.film for pair in self.paired.learned}
        frames = np.concatenate([self.paired.films[film].vectors for film in sorted(films)])
        rows = np.random.default_rng(0).permutation(len(frames))[:_ENOUGH]
        with torch.random.fork_rng():
            torch.manual_seed(options.seed)
            network = DualNetwork(
                Side(unit(frames[rows]), options.width, options.dropout),
                Side(self.vectors_of_texts[np.unique(self.learned.texts)], options.width, options.dropout),
                **{start.rstrip("."): encoder.network for start, encoder in encoders.items()},
            )
        return network, encoders

    def vectors(self, network: Any, part: str) -> tuple[list[str], Float32s, Float32s]:
        """The film, the shot's vector and the text's vector of each pair of a part."""
        torch = need("torch", extra="models", purpose="training")
        table = self.tables[part]
        device = next(network.parameters()).device
        shots, texts = [], []
        with torch.no_grad():
            for rows in _portions(len(table), _FEW if self.tokens or self.options.finetune_pictures else _AT_ONCE):
                frames, is_there = (torch.from_numpy(found).to(device) for found in table.looked_at(rows, 1 << 30))
                shots.append(network.shots(frames, is_there).float().cpu().numpy())
                told = self._texts(table.texts[rows])
                told = tuple(each.to(device) for each in told) if self.tokens else told.to(device)
                texts.append(network.sentences(told).float().cpu().numpy())
        return [pair.film for pair in table.pairs], np.concatenate(shots), np.concatenate(texts)


def _portions(count: int, size: int) -> Iterator[Int64s]:
    for start in range(0, count, size):
        yield np.arange(start, min(count, start + size))


def _tokens(text: str, texts: Sequence[str]) -> tuple[list[Int32s], int]:
    opened = trainable(text)
    return [tokens.ids for tokens in opened.tokenize(texts)], opened.pad_id
