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
from kataribe.encoders.encoded import EncodedTexts, EncoderFacts, LongTexts, encode_texts, find_long
from kataribe.encoders.text import LayeredEncoder, open_text

_PAIRS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class SentenceCosine(Metric):
    name: ClassVar[str] = "sentence_cosine"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "Sentence cosine"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("items", "cosine")
    vectors: ClassVar[Literal["tokens", "sentences"] | None] = "sentences"

    model: str = option(loading.DEFAULT, "a text model: minilm, e5, a name of the hub or a folder", positional=True)
    refs: Literal["best", "mean"] = option("best", "the nearest reference, or the mean over all")
    half: bool = option(False, "run the model in half precision")

    def scan_references(self, items: Captions) -> LongTexts:
        return find_long(self._encoder(), items.uncut().distinct_references)

    def scan_predictions(self, items: Captions) -> LongTexts:
        return find_long(self._encoder(), items.uncut().distinct_candidates)

    def conclude(self, references: LongTexts | None, predictions: LongTexts | None) -> EncoderFacts:
        return EncoderFacts.of(self._encoder(), references, predictions)

    def prepare(self, items: Captions, facts: EncoderFacts) -> EncodedTexts:
        return encode_texts(self._encoder(), items.uncut().sentences.texts, "sentences")

    def _encoder(self) -> LayeredEncoder:
        return open_text(self.model, half=self.half)

    def stats(self, items: Captions, context: EncodedTexts) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        captions = items.uncut()
        cosines = captions.of_pairs(cosines_of_pairs(context, *captions.pairs))
        values = cosines.max() if self.refs == "best" else cosines.mean()
        return np.column_stack([np.ones(len(items)), values])

    def measure(self, totals: Floats) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})

    def signature(self, facts: EncoderFacts) -> dict[str, str]:
        fields = {"model": facts.model, "pool": "mean", "refs": self.refs}
        return fields | ({"dtype": "half"} if self.half else {})

    def warnings(self, facts: EncoderFacts) -> Sequence[Caution]:
        return facts.warnings


def cosines_of_pairs(encoded: EncodedTexts, one: Int64s, other: Int64s) -> Floats:
    """The cosine of each pair of sentences; every sentence of a part of the pairs is read once."""
    cosines = np.zeros(len(one))
    for start in range(0, len(one), _PAIRS_AT_ONCE):
        batch = slice(start, start + _PAIRS_AT_ONCE)
        indices, rows = np.unique(np.concatenate([one[batch], other[batch]]), return_inverse=True)
        vectors = encoded.sentences(indices)
        left, right = np.split(rows.reshape(-1), 2)
        cosines[batch] = np.einsum("ij,ij->i", vectors[left], vectors[right], dtype=np.float64)
    return cosines
