"""Rated captions as batches: each distinct text of a batch once, and who is whose reference.

References that an item has twice count once. A batch of a frozen encoder holds vectors; one of an encoder that is
trained along holds tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kataribe.captions.suisei.options import ModelOptions
from kataribe.captions.suisei.vectors import Idf, LayerSource, TextSource, TextVectors
from kataribe.core.errors import InputError
from kataribe.core.need import need
from kataribe.core.ragged import Ragged
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
    references: Ragged

    @classmethod
    def of(cls, candidates: Int64s, references: Ragged) -> Layout:
        """
        >>> Layout.of(np.array([0]), Ragged.of([[1, 2, 1]], np.int64)).references.values
        array([1, 2])
        """
        values, owners = references.values, references.owners
        _, first = np.unique(owners * (values.max(initial=0) + 1) + values, return_index=True)
        first.sort()
        return cls(candidates, Ragged.grouped(values[first], owners[first], len(references)))

    def __len__(self) -> int:
        return len(self.candidates)

    def __getitem__(self, rows: Int64s) -> Layout:
        return Layout(self.candidates[rows], self.references[rows])

    def __add__(self, other: Layout) -> Layout:
        return Layout(np.concatenate([self.candidates, other.candidates]), self.references + other.references)

    def padded(self) -> tuple[Int64s, np.ndarray]:
        """The references of each candidate, filled up with the candidate itself, and which are not filled up."""
        counts = self.references.counts
        is_reference = np.arange(max(1, counts.max(initial=0))) < counts[:, np.newaxis]
        table = np.broadcast_to(self.candidates[:, np.newaxis], is_reference.shape).copy()
        table[is_reference] = self.references.values
        return table, is_reference

    def refuse_unfit(self, model: ModelOptions, ids: Sequence[str], file: str | None = None) -> None:
        """Captions that have no reference where the model compares with some, or more than it can concatenate."""
        counts = self.references.counts
        if not model.uses_references:
            return
        if len(bare := np.flatnonzero(counts == 0)):
            raise InputError(
                "has no reference to compare with", file=file, id=ids[bare[0]], hint="give it one, or leave it out"
            )
        many = np.flatnonzero(counts > model.most_references)
        if model.combined_by == "concat" and len(many):
            raise InputError(
                f"has {counts[many[0]]} different references, the model concatenates at most {model.most_references}",
                file=file,
                id=ids[many[0]],
                hint="train with a higher <most_references>, or combine them by max",
                options=["most_references"],
            )


@dataclass(frozen=True, eq=False)
class RatedBatches:
    """Examples of `learning.fit`. A unit is a caption or, for the ranking loss, all captions of a picture."""

    layout: Layout
    ratings: Floats
    items: Int64s
    vectors: TextVectors | TextSource | LayerSource | None = None
    tokens: TokenTable | None = None
    pictures: Float32s | None = None
    units: Sequence[Int64s] = field(default_factory=tuple)

    def __len__(self) -> int:
        return len(self.units) or len(self.ratings)

    def batch(self, rows: Int64s) -> Batch:
        """Some units."""
        if len(self.units):
            rows = np.concatenate([self.units[row] for row in rows.tolist()])
        return self.of(rows)

    def of(self, rows: Int64s) -> Batch:
        """Some captions."""
        torch = need("torch", extra="models", purpose="learned metrics")
        layout = self.layout[rows]
        references, is_reference = layout.padded()
        used, places = np.unique(np.concatenate([layout.candidates, references.reshape(-1)]), return_inverse=True)
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
