"""Sentence cosine: how near the candidate's vector is to that of its nearest reference.

    cos(c, r) = v(c) . v(r), v of length 1: the mean of a text's token vectors
    value     = the best (or the mean) over the references; the corpus value is the mean over items

Reimers, N., Gurevych, I. (2019). Sentence-BERT: sentence embeddings using Siamese BERT-networks. EMNLP.

Quirks. The number depends on the model, which is in the signature. A cosine may be negative and is left so. An empty
text has the vector that the model gives to nothing, so it may score above 0; empty candidates are counted in the
coverage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from kataribe.captions.items import Captions
from kataribe.core.caution import Caution
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats, Int64s
from kataribe.encoders import loading
from kataribe.encoders.encoded import EncodedTexts, encode_texts
from kataribe.encoders.text import open_text

_PAIRS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class SentenceCosine(Metric):
    name: ClassVar[str] = "sentence_cosine"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "Sentence cosine"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("items", "cosine")

    model: str = option(loading.DEFAULT, "a text model: a name of the hub or a folder", positional=True)
    refs: Literal["best", "mean"] = option("best", "the nearest reference, or the mean over all")
    half: bool = option(False, "run the model in half precision")

    def prepare(self, items: Captions) -> EncodedTexts:
        encoder = open_text(self.model, half=self.half)
        return encode_texts(encoder, items.uncut().sentences.texts, "sentences")

    def stats(self, items: Captions, context: EncodedTexts) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        captions = items.uncut()
        cosines = cosines_of_pairs(context, *captions.pairs)
        first = captions.bounds[:-1]
        if self.refs == "best":
            values = np.maximum.reduceat(cosines, first)
        else:
            values = np.add.reduceat(cosines, first) / np.diff(captions.bounds)
        return np.column_stack([np.ones(len(items)), values])

    def measure(self, totals: Floats) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})

    def signature(self, context: EncodedTexts) -> dict[str, str]:
        fields = {"model": context.encoder.signature, "pool": "mean", "refs": self.refs}
        return fields | ({"dtype": "half"} if self.half else {})

    def warnings(self, context: EncodedTexts) -> Sequence[Caution]:
        return context.warnings


def cosines_of_pairs(encoded: EncodedTexts, one: Int64s, other: Int64s) -> Floats:
    """The cosine of each pair of sentences; every sentence of a part of the pairs is read once."""
    cosines = np.zeros(len(one))
    for start in range(0, len(one), _PAIRS_AT_ONCE):
        some = slice(start, start + _PAIRS_AT_ONCE)
        places, rows = np.unique(np.concatenate([one[some], other[some]]), return_inverse=True)
        vectors = encoded.sentences(places)
        left, right = np.split(rows.reshape(-1), 2)
        cosines[some] = np.einsum("ij,ij->i", vectors[left], vectors[right], dtype=np.float64)
    return cosines
