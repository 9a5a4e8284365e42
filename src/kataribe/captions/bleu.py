"""BLEU: modified n-gram precision with a brevity penalty.

    BLEU-N = BP * (p_1 * ... * p_N) ^ (1/N)
    p_n    = sum of clipped n-gram matches / sum of candidate n-grams, over the corpus
    BP     = exp(1 - r/c) if c < r else 1;  r takes the reference length closest to each candidate's

Papineni, K., Roukos, S., Ward, T., Zhu, W.-J. (2002). BLEU: a method for automatic evaluation of machine
translation. ACL.

Quirks. The caption tool adds 1e-15 to each numerator and 1e-9 to each denominator, so that an item without any
four-gram match has a tiny BLEU-4 instead of 0 (`smooth=tool`, official); `smooth=none` (paper) leaves them out.
Among equally close reference lengths the shorter counts.

Scores of items and of the corpus equal the tool's to the last bit, since a last bit can break a tie and move a rank
correlation: the brevity penalty is exp(1 - 1 / (c/r)), and exp and power are the C library's, as in the tool.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe import _native
from kataribe.captions.items import Captions
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats, Score
from kataribe.text.sentences import MAX_ORDER
from kataribe.text.tokenizers import tokenizer

_TINY, _SMALL = 1e-15, 1e-9

# numpy's own are faster, good for a bootstrap, and differ in the last bit on some processors.
_exact_exp = np.vectorize(math.exp, otypes=[np.float64])
_exact_power = np.vectorize(math.pow, otypes=[np.float64])


@dataclass(frozen=True)
class Bleu(Metric):
    name: ClassVar[str] = "bleu"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "BLEU"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = (
        "length",
        "reference_length",
        *(f"guessed_{n}" for n in range(1, MAX_ORDER + 1)),
        *(f"correct_{n}" for n in range(1, MAX_ORDER + 1)),
    )
    protocols: ClassVar[Protocols] = {"paper": {"smooth": "none"}}

    n: int = option(4, "the longest n-gram, 1 to 4; shorter ones are reported as parts", positional=True)
    tok: str = option("ptb", "the tokenizer")
    smooth: Literal["tool", "none"] = option("tool", "the caption tool's smoothing constants, or none")

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_ORDER:
            raise UsageError(f"bleu({self.n}): n-grams of 1 to {MAX_ORDER} words are counted")

    @property
    def steady_from(self) -> int:  # type: ignore[override]
        """A sample of few captions may hold next to no four-gram match."""
        return 100 if self.n == MAX_ORDER else super().steady_from

    def stats(self, items: Captions, context: Any) -> Array:
        captions = items.tokens(self.tok)
        return _native.bleu_statistics(captions.sentences.ngrams, captions.candidates, captions.references.arrays)

    def measure(self, totals: Floats) -> Measured:
        return self._measure(totals, np.exp, np.power)

    def reduce(self, statistics: Array) -> Score:
        value, parts = self._measure(statistics.sum(axis=0, dtype=np.float64), _exact_exp, _exact_power)
        return Score(float(value), {name: float(part) for name, part in parts.items()})

    def per_item(self, statistics: Array) -> Measured:
        return self._measure(np.asarray(statistics, dtype=np.float64), _exact_exp, _exact_power)

    def _measure(self, totals: Floats, exp: Callable[..., Any], power: Callable[..., Any]) -> Measured:
        tiny, small = (_TINY, _SMALL) if self.smooth == "tool" else (0.0, 0.0)
        length, reference_length = totals[..., 0] + tiny, totals[..., 1] + small
        guessed, correct = (
            totals[..., 2 : 2 + self.n] + small,
            totals[..., 2 + MAX_ORDER :][..., : self.n] + tiny,
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = np.where(guessed > 0, correct / guessed, 0.0)
            ratio = length / reference_length
            brevity = np.where(ratio < 1, exp(1 - 1 / ratio), 1.0)
        bleu = power(np.cumprod(precisions, axis=-1), 1 / np.arange(1, self.n + 1)) * brevity[..., None]
        return Measured(bleu[..., -1], {f"BLEU-{n + 1}": bleu[..., n] for n in range(self.n)})

    def signature(self, facts: Any) -> dict[str, str]:
        return {
            "n": str(self.n),
            "reflen": "closest",
            "smooth": self.smooth,
            "tok": tokenizer(self.tok).signature,
        }
