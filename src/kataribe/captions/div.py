"""DIV: how varied the candidates' words are - the mean of distinct-1 and distinct-2.

    distinct-n = number of different n-grams / number of words (per=words) or of n-grams (per=ngrams)
    DIV        = (distinct-1 + distinct-2) / 2, of each candidate, then the mean over candidates (over=items),
                 or of all candidates together (over=corpus)

Shetty, R., Rohrbach, M., Hendricks, L. A., Fritz, M., Schiele, B. (2017). Speaking the same language: matching machine
to human captions by adversarial training. ICCV. In this form, candidate by candidate, it judges narrations in Yue et
al. (2023), Movie101. Li, J., Galley, M., Brockett, C., Gao, J., Dolan, B. (2016). A diversity-promoting objective
function for neural conversation models. NAACL: over=corpus.

Quirks. References play no part. No published tool prints DIV, so `official` is the paper's form too. Over items a
candidate without words scores 0, and no candidate's value depends on the others. Over the corpus candidates without
words count for nothing, and the number falls as the corpus grows, so compare equal test sets only; each different
n-gram is shared out equally among the candidates that contain it, so that rows add up to the corpus' count, and a
bootstrap draw is the same sum over the drawn rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.captions.idf import DocumentCounts, count_documents
from kataribe.captions.items import Captions
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.ragged import Ragged, spans
from kataribe.core.types import Array, Floats, Int64s
from kataribe.text.sentences import MAX_ORDER, Sentences
from kataribe.text.tokenizers import tokenizer

_ORDERS = (1, 2)


@dataclass(frozen=True)
class Div(Metric):
    name: ClassVar[str] = "div"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "DIV"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("total_1", "different_1", "total_2", "different_2")

    over: Literal["items", "corpus"] = option(
        "items", "different within each candidate, or within all together", positional=True
    )
    per: Literal["words", "ngrams"] = option("words", "what different n-grams are divided by")
    tok: str = option("ptb", "the tokenizer")

    @property
    def needs_references(self) -> bool:
        return False

    @property
    def ignores_empty(self) -> bool:
        return self.over == "corpus"

    def scan_predictions(self, items: Captions) -> DocumentCounts | None:
        """In how many candidates each n-gram stands."""
        if self.over == "items":
            return None
        captions = items.tokens(self.tok, alone=True)
        one_each = np.arange(len(items) + 1, dtype=np.int64)
        return count_documents(captions.sentences, Ragged(captions.candidates, one_each))

    def conclude(self, references: None, predictions: DocumentCounts | None) -> DocumentCounts | None:
        return predictions

    def stats(self, items: Captions, context: DocumentCounts | None) -> Array:
        captions = items.tokens(self.tok, alone=True)
        index = captions.sentences.ngrams
        counts = np.concatenate([[0], np.cumsum(index.counts, dtype=np.int64)])
        words = captions.sentences.words.lengths[captions.candidates].astype(np.float64)
        columns = []
        for order in _ORDERS:
            start = captions.candidates * MAX_ORDER + order - 1
            first, last = index.bounds[start], index.bounds[start + 1]
            total = words if self.per == "words" else (counts[last] - counts[first]).astype(np.float64)
            if context is not None:
                columns += [total, _shares(captions.sentences, first, last, context)]
            else:
                columns += [np.ones(len(items)), (last - first) / np.maximum(total, 1)]
        return np.column_stack(columns)

    def measure(self, totals: Floats) -> Measured:
        with np.errstate(invalid="ignore"):  # over the corpus, nothing but candidates without words: 0/0
            one, two = (totals[..., 2 * order - 1] / totals[..., 2 * order - 2] for order in _ORDERS)
        return Measured((one + two) / 2, {"distinct-1": one, "distinct-2": two})

    def signature(self, facts: Any) -> dict[str, str]:
        return {"over": self.over, "per": self.per, "tok": tokenizer(self.tok).signature}


def _shares(sentences: Sentences, first: Int64s, last: Int64s, facts: DocumentCounts) -> Floats:
    """Each candidate's share of the n-grams between its `first` and `last`: one over the candidates that have it."""
    candidates = facts.look_up(sentences.ngrams)
    ngrams = sentences.ngrams.ngrams[spans(first, last - first)]
    return Ragged.counted(1 / candidates[ngrams], last - first).sum()
