"""CIDEr: how similar a candidate is to its references in the n-grams that tell this item from others.

    g_n(s)    = tf-idf vector of the n-grams of s; idf(w) = log N - log max(1, df(w)), df counted over the N items'
                references
    plain     CIDEr = 10 * mean over references and n = 1..4 of cos(g_n(candidate), g_n(reference))
    d         CIDEr-D: the candidate's weights clipped at the reference's, times exp(-(difference in length)^2 / 2s^2),
              s = 6

Vedantam, R., Zitnick, C. L., Parikh, D. (2015). CIDEr: consensus-based image description evaluation. CVPR.

Quirks. What papers call CIDEr is CIDEr-D, as the caption tool's `Cider` computes it; so is our default. The idf
comes from the references being scored: the number depends on the size of the test set, and a set of one item always
scores 0. To compare small sets, save the idf table of a large one (`kataribe resources idf REFS -o TABLE`) and use
`cider(idf=TABLE)`. The tool measures length in bigrams. The corpus value is the mean over items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from kataribe import _native
from kataribe.captions.idf import IdfTable, count_documents, read_idf
from kataribe.captions.items import Captions, TokenizedCaptions
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats, Int64s
from kataribe.text.sentences import MAX_ORDER
from kataribe.text.tokenizers import tokenizer

_SIGMA = 6.0


@dataclass(frozen=True)
class _Weights:
    """What the corpus (or a saved table) says about each n-gram, and the vectors' norms that follow from it."""

    idf: Floats
    norms: Floats
    source: str


@dataclass(frozen=True)
class Cider(Metric):
    name: ClassVar[str] = "cider"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "CIDEr"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    columns: ClassVar[tuple[str, ...]] = ("items", "cider")

    variant: Literal["d", "plain"] = option("d", "CIDEr-D, or CIDEr as first defined", positional=True)
    idf: str = option("", "a saved idf table instead of the references' own")
    tok: str = option("ptb", "the tokenizer")

    def prepare(self, items: Captions) -> _Weights:
        captions = items.tokens(self.tok)
        index = captions.sentences.ngrams
        if self.idf:
            table = read_idf(Path(self.idf))
            if table.tok != tokenizer(self.tok).signature:
                raise UsageError(
                    f"{self.idf}: was counted with tok:{table.tok}, not tok:{tokenizer(self.tok).signature}",
                    hint="count it again with the same tokenizer",
                )
            frequencies = table.look_up(index.spell(captions.sentences.words.words))
            documents, source = table.documents, table.signature
        else:
            frequencies = count_documents(captions)
            documents, source = len(items), "refs"
        idf = np.log(max(documents, 1)) - np.log(np.maximum(1.0, frequencies))
        norms = _native.tfidf_norms(index.ngrams, index.counts, index.bounds, MAX_ORDER, idf)
        return _Weights(idf, norms, source)

    def stats(self, items: Captions, context: _Weights) -> Array:
        captions = items.tokens(self.tok)
        if not len(items):
            return np.zeros((0, len(self.columns)))
        index = captions.sentences.ngrams
        similarities = _native.cider_similarities(
            index.ngrams,
            index.counts,
            index.bounds,
            MAX_ORDER,
            captions.sentences.words.lengths,
            context.idf,
            context.norms,
            *captions.pairs,
            self.variant == "d",
            _SIGMA if self.variant == "d" else 0.0,
        )
        sums = np.add.reduceat(similarities, captions.bounds[:-1])
        return np.column_stack([np.ones(len(items)), 10 * sums / np.diff(captions.bounds)])

    def of_groups(
        self, captions: TokenizedCaptions, bounds: Int64s, documents: Int64s, document_bounds: Int64s
    ) -> Floats:
        """CIDEr of single-reference items where group k (items bounds[k]:bounds[k + 1]) is a corpus of its own.

        Its idf comes from the sentences documents[document_bounds[k]:document_bounds[k + 1]].
        """
        index = captions.sentences.ngrams
        return 10 * _native.grouped_cider_similarities(
            index.ngrams,
            index.counts,
            index.bounds,
            MAX_ORDER,
            captions.sentences.words.lengths,
            index.distinct,
            captions.candidates,
            captions.references,
            bounds,
            documents,
            document_bounds,
            self.variant == "d",
            _SIGMA if self.variant == "d" else 0.0,
        )

    def measure(self, totals: Floats) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})

    def signature(self, context: _Weights | None) -> dict[str, str]:
        source = context.source if context else "refs"
        return {"v": self.variant, "n": str(MAX_ORDER), "idf": source, "tok": tokenizer(self.tok).signature}


def count_idf(references: Mapping[str, list[str]], tok: str = "ptb") -> IdfTable:
    """The idf table of a set of references, to be saved and used for another one."""
    captions = Captions(list(references), [""] * len(references), list(references.values())).tokens(tok)
    spelled = captions.sentences.ngrams.spell(captions.sentences.words.words)
    frequencies = count_documents(captions).astype(int).tolist()
    counted = {ngram: count for ngram, count in zip(spelled, frequencies, strict=True) if count}
    return IdfTable(tokenizer(tok).signature, len(references), counted)
