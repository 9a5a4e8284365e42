"""DIV: how varied the candidates' words are - the mean of distinct-1 and distinct-2.

    distinct-n = number of different n-grams / number of n-grams, of all candidates together (over=corpus)
                 or of each candidate, then the mean over candidates (over=items)
    DIV        = (distinct-1 + distinct-2) / 2

Li, J., Galley, M., Brockett, C., Gao, J., Dolan, B. (2016). A diversity-promoting objective function for neural
conversation models. NAACL.

Quirks. References play no part. Over the corpus the number falls as the corpus grows, so compare equal test sets only.
Each different n-gram is shared out equally among the candidates that contain it, so that rows add up to the corpus'
count; a bootstrap draw is the same sum over the drawn rows. Candidates without any n-gram count for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe import _native
from kataribe.captions.items import Captions
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats
from kataribe.text.sentences import MAX_ORDER
from kataribe.text.tokenizers import tokenizer

_ORDERS = (1, 2)


@dataclass(frozen=True)
class Div(Metric):
    name: ClassVar[str] = "div"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "DIV"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("total_1", "different_1", "total_2", "different_2")

    over: Literal["corpus", "items"] = option(
        "corpus", "different within all candidates, or within each", positional=True
    )
    tok: str = option("ptb", "the tokenizer")

    @property
    def needs_references(self) -> bool:
        return False

    def prepare(self, items: Captions) -> Floats:
        """In how many candidates each n-gram stands."""
        captions = items.tokens(self.tok)
        index = captions.sentences.ngrams
        alone = np.arange(len(items) + 1, dtype=np.int64)
        return _native.document_frequencies(
            index.ngrams, index.bounds, MAX_ORDER, captions.candidates, alone, index.distinct
        )

    def stats(self, items: Captions, context: Floats) -> Array:
        captions = items.tokens(self.tok)
        index = captions.sentences.ngrams
        shares = np.concatenate([[0.0], np.cumsum(1 / np.maximum(context[index.ngrams], 1))])
        counts = np.concatenate([[0], np.cumsum(index.counts, dtype=np.int64)])
        columns = []
        for order in _ORDERS:
            start = captions.candidates * MAX_ORDER + order - 1
            first, last = index.bounds[start], index.bounds[start + 1]
            total = (counts[last] - counts[first]).astype(np.float64)
            if self.over == "corpus":
                columns += [total, shares[last] - shares[first]]
            else:
                columns += [np.minimum(total, 1), (last - first) / np.maximum(total, 1)]
        return np.column_stack(columns)

    def measure(self, totals: Floats) -> Measured:
        with np.errstate(invalid="ignore"):  # a candidate without words has no diversity: 0/0
            one, two = (totals[..., 2 * order - 1] / totals[..., 2 * order - 2] for order in _ORDERS)
        return Measured((one + two) / 2, {"distinct-1": one, "distinct-2": two})

    def signature(self, context: Any) -> dict[str, str]:
        return {"over": self.over, "tok": tokenizer(self.tok).signature}
