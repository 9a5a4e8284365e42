"""CIDEr: how similar a candidate is to its references in the n-grams that are rare in other items.

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
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from kataribe import _native
from kataribe.captions.idf import DocumentCounts, IdfTable, count_documents, count_documents_by_text, read_idf
from kataribe.captions.items import Captions, TokenizedCaptions
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats, Int64s
from kataribe.text.sentences import MAX_ORDER
from kataribe.text.tokenizers import tokenizer

_SIGMA = 6.0


class _Weights(NamedTuple):
    """The idf of each n-gram of these items, and the vectors' norms that follow from it."""

    idf: Floats
    norms: Floats


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

    def scan_references(self, items: Captions) -> DocumentCounts | None:
        if self.idf:
            return None
        captions = items.tokens(self.tok)
        return count_documents(captions.sentences, captions.references)

    def conclude(self, references: DocumentCounts | None, predictions: None) -> DocumentCounts | IdfTable:
        if references is not None:
            return references
        table = read_idf(Path(self.idf))
        if table.tok != tokenizer(self.tok).signature:
            raise UsageError(
                f"{self.idf}: was counted with tok:{table.tok}, not tok:{tokenizer(self.tok).signature}",
                hint="count it again with the same tokenizer",
            )
        return table

    def prepare(self, items: Captions, facts: DocumentCounts | IdfTable) -> _Weights:
        sentences = items.tokens(self.tok).sentences
        index = sentences.ngrams
        if isinstance(facts, IdfTable):
            frequencies = facts.look_up(index.to_texts(sentences.words.words))
        else:
            frequencies = facts.look_up(index).astype(np.float64)
        idf = np.log(max(facts.documents, 1)) - np.log(np.maximum(1.0, frequencies))
        return _Weights(idf, _native.tfidf_norms(index, idf))

    def stats(self, items: Captions, context: _Weights) -> Array:
        captions = items.tokens(self.tok)
        if not len(items):
            return np.zeros((0, len(self.columns)))
        similarities = _native.cider_similarities(
            captions.sentences.ngrams,
            context.idf,
            context.norms,
            *captions.pairs,
            clipped=self.variant == "d",
            sigma=_SIGMA if self.variant == "d" else 0.0,
        )
        sums = np.add.reduceat(similarities, captions.references.starts)
        return np.column_stack([np.ones(len(items)), 10 * sums / captions.references.counts])

    def of_groups(
        self, captions: TokenizedCaptions, bounds: Int64s, documents: Int64s, document_bounds: Int64s
    ) -> Floats:
        """CIDEr of single-reference items where group k (items bounds[k]:bounds[k + 1]) is a corpus of its own.

        Its idf comes from the sentences documents[document_bounds[k]:document_bounds[k + 1]].
        """
        return 10 * _native.grouped_cider_similarities(
            captions.sentences.ngrams,
            captions.candidates,
            captions.references.values,
            bounds,
            (documents, document_bounds),
            clipped=self.variant == "d",
            sigma=_SIGMA if self.variant == "d" else 0.0,
        )

    def measure(self, totals: Floats) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})

    def signature(self, facts: DocumentCounts | IdfTable | None) -> dict[str, str]:
        source = facts.signature if isinstance(facts, IdfTable) else "refs"
        return {"v": self.variant, "n": str(MAX_ORDER), "idf": source, "tok": tokenizer(self.tok).signature}


def count_idf(references: Mapping[str, list[str]], tok: str = "ptb") -> IdfTable:
    """The idf table of a set of references, to be saved and used for another one."""
    captions = Captions(list(references), [""] * len(references), list(references.values())).tokens(tok)
    counts = count_documents_by_text(captions.sentences, captions.references)
    return IdfTable(tokenizer(tok).signature, len(references), counts)
