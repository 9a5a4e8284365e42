"""ROUGE-L: how long a common subsequence candidate and reference share.

    P = LCS / candidate length,  R = LCS / reference length,  F = (1 + b^2) P R / (R + b^2 P),  b = 1.2

Lin, C.-Y. (2004). ROUGE: a package for automatic evaluation of summaries. Text Summarization Branches Out.

Quirks. With several references the caption tool takes the best P and the best R each for itself, possibly of
different references (`refs=separate`, official); `refs=best` (paper) takes the reference with the best F. The tool
counts an empty text as one empty word, so two empty texts score 1 there; under `refs=best` they score 0. The
corpus value is the mean over items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe import _native
from kataribe.captions.items import Captions
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats
from kataribe.text.tokenizers import tokenizer

_BETA = 1.2


@dataclass(frozen=True)
class RougeL(Metric):
    name: ClassVar[str] = "rouge_l"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "ROUGE-L"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("items", "f", "precision", "recall")
    protocols: ClassVar[Protocols] = {"paper": {"refs": "best"}}

    refs: Literal["separate", "best"] = option("separate", "best P and R separately, or of the best reference")
    tok: str = option("ptb", "the tokenizer")

    def stats(self, items: Captions, context: Any) -> Array:
        captions = items.tokens(self.tok)
        if not len(items):
            return np.zeros((0, len(self.columns)))
        index = captions.sentences.tokens
        candidates, references = captions.pairs
        common = _native.lcs_lengths(index, candidates, references)
        lengths = index.lengths
        if self.refs == "separate":
            both_empty = (lengths[candidates] == 0) & (lengths[references] == 0)
            common = np.where(both_empty, 1, common)
        precision = common / np.maximum(lengths[candidates], 1)
        recall = common / np.maximum(lengths[references], 1)
        if self.refs == "separate":
            precision, recall = captions.of_pairs(precision).max(), captions.of_pairs(recall).max()
            f = _f_measure(precision, recall)
        else:
            f = _f_measure(precision, recall)
            best = captions.of_pairs(f).first_best()
            f, precision, recall = f[best], precision[best], recall[best]
        return np.column_stack([np.ones(len(items)), f, precision, recall])

    def measure(self, totals: Floats) -> Measured:
        count = totals[..., 0]
        f, precision, recall = (totals[..., column] / count for column in (1, 2, 3))
        return Measured(f, {"precision": precision, "recall": recall})

    def signature(self, facts: Any) -> dict[str, str]:
        return {"beta": str(_BETA), "refs": self.refs, "tok": tokenizer(self.tok).signature}


def _f_measure(precision: Floats, recall: Floats) -> Floats:
    weight = _BETA**2
    below = recall + weight * precision
    return np.divide((1 + weight) * precision * recall, below, out=np.zeros_like(below), where=below > 0)
