"""Rated captions as batches: each distinct text of a batch once, and who is whose reference.

References that an item has twice count once. A batch of a frozen encoder holds vectors; one of an encoder that is
trained along holds tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kataribe.captions.suisei.vectors import Idf, TextSource, TextVectors
from kataribe.core.errors import InputError
from kataribe.core.need import need
from kataribe.core.types import Float32s, Floats, Int32s, Int64s


class Tokenized(NamedTuple):
    """Texts as padded token ids, a mask of what is no padding, and what each token weighs in the idf branch."""

    ids: Any
    mask: Any
    weights: Any


class Batch(NamedTuple):
    """`texts` are those of the batch, as `heads.Texts` or as `Tokenized`; the others are tensors.

    `candidates` (B) and `references` (B, R) are rows of `texts`. `ratings` run from 0 to 1; `items` says which
    captions are of one picture.
    """

    texts: Any
    candidates: Any
    references: Any
    is_reference: Any
    pictures: Any
    ratings: Any
    items: Any


@dataclass(frozen=True, eq=False)
class Layout:
    """Captions as rows of a table of texts: one candidate and distinct references each."""

    candidates: Int64s
    references: Sequence[Int64s]

    @classmethod
    def of(cls, candidates: Int64s, references: Sequence[Sequence[int]]) -> Layout:
        """
        >>> Layout.of(np.array([0]), [[1, 2, 1]]).references
        [array([1, 2])]
        """
        return cls(candidates, [np.array(list(dict.fromkeys(rows)), dtype=np.int64) for rows in references])

    def padded(self, rows: Int64s) -> tuple[Int64s, Int64s, np.ndarray]:
        """The candidates, their references filled up with the first one, and which are not filled up."""
        references = [self.references[row] for row in rows.tolist()]
        most = max((len(found) for found in references), default=0)
        table = np.zeros((len(rows), max(most, 1)), dtype=np.int64)
        is_reference = np.zeros(table.shape, dtype=bool)
        for row, found in enumerate(references):
            table[row, : len(found)] = found
            table[row, len(found) :] = found[0] if len(found) else 0
            is_reference[row, : len(found)] = True
        return self.candidates[rows], table, is_reference


@dataclass(frozen=True, eq=False)
class RatedBatches:
    """Examples of `learning.fit`. A unit is a caption or, for the ranking loss, all captions of a picture."""

    layout: Layout
    ratings: Floats
    items: Int64s
    vectors: TextVectors | TextSource | None = None
    tokens: TokenTable | None = None
    pictures: Float32s | None = None
    units: Sequence[Int64s] = field(default_factory=tuple)

    def __len__(self) -> int:
        return len(self.units) or len(self.ratings)

    def batch(self, rows: Int64s) -> Batch:
        if len(self.units):
            rows = np.concatenate([self.units[row] for row in rows.tolist()])
        return self.of(rows)

    def of(self, rows: Int64s) -> Batch:
        torch = need("torch", extra="models", purpose="learned metrics")
        candidates, references, is_reference = self.layout.padded(rows)
        used, places = np.unique(np.concatenate([candidates, references.reshape(-1)]), return_inverse=True)
        texts: Any
        if self.tokens is not None:
            texts = self.tokens.of(used)
        else:
            assert self.vectors is not None
            texts = tensors_of(self.vectors[used])
        return Batch(
            texts,
            torch.from_numpy(places[: len(rows)]),
            torch.from_numpy(places[len(rows) :].reshape(references.shape)),
            torch.from_numpy(is_reference),
            None if self.pictures is None else torch.from_numpy(self.pictures[rows]),
            torch.from_numpy(self.ratings[rows].astype(np.float32)),
            torch.from_numpy(self.items[rows]),
        )


def tensors_of(vectors: TextVectors) -> Any:
    from kataribe.captions.suisei.heads import Texts

    torch = need("torch", extra="models", purpose="learned metrics")
    columns = (vectors.plain, vectors.weighted, vectors.layers, vectors.shared)
    return Texts(*(None if column is None else torch.from_numpy(column) for column in columns))


@dataclass(frozen=True, eq=False)
class TokenTable:
    """Token ids of all texts; special tokens weigh 0 in the idf branch."""

    ids: Sequence[Int32s]
    special_ids: frozenset[int]
    pad: int
    idf: Idf | None

    def of(self, texts: Int64s) -> Tokenized:
        torch = need("torch", extra="models", purpose="learned metrics")
        chosen = [self.ids[text] for text in texts.tolist()]
        longest = max(len(ids) for ids in chosen)
        table = np.full((len(chosen), longest), self.pad, dtype=np.int64)
        mask = np.zeros(table.shape, dtype=np.int64)
        weights = np.zeros(table.shape, dtype=np.float32)
        for row, ids in enumerate(chosen):
            table[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
            if self.idf is not None:
                special = np.isin(ids, list(self.special_ids))
                weights[row, : len(ids)] = np.where(special, 0, self.idf.weights(ids))
        return Tokenized(*(torch.from_numpy(array) for array in (table, mask, weights)))


def refuse_many(layout: Layout, most: int, ids: Sequence[str]) -> None:
    """Concatenated features have a fixed width."""
    for id, references in zip(ids, layout.references, strict=True):
        if len(references) > most:
            raise InputError(
                f"has {len(references)} different references, the model concatenates at most {most}",
                id=id,
                hint="train with a higher <most_references>, or combine them by max",
                options=["most_references"],
            )
