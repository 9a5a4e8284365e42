"""BLEU: modified n-gram precision with a brevity penalty.

    BLEU-N = BP * (p_1 * ... * p_N) ^ (1/N)
    p_n    = sum of clipped n-gram matches / sum of candidate n-grams, over the corpus
    BP     = exp(1 - r/c) if c < r else 1;  r takes the reference length closest to each candidate's

Papineni, K., Roukos, S., Ward, T., Zhu, W.-J. (2002). BLEU: a method for automatic evaluation of machine
translation. ACL.

Quirks. The caption tool adds 1e-15 to each numerator and 1e-9 to each denominator, so that an item without any
four-gram match has a tiny BLEU-4 instead of 0 (`smooth=tool`, official); `smooth=none` (paper) leaves them out.
Among equally close reference lengths the shorter counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe import _native
from kataribe.captions.items import Captions
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats
from kataribe.text.sentences import MAX_ORDER
from kataribe.text.tokenizers import tokenizer

_TINY, _SMALL = 1e-15, 1e-9


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

    def prepare(self, items: Captions) -> None:
        items.tokens(self.tok).sentences.ngrams  # noqa: B018 - computed here once, shared by all shards

    def stats(self, items: Captions, context: None) -> Array:
        captions = items.tokens(self.tok)
        index = captions.sentences.ngrams
        return _native.bleu_statistics(
            index.ngrams,
            index.counts,
            index.bounds,
            MAX_ORDER,
            captions.sentences.words.lengths,
            captions.candidates,
            captions.references,
            captions.bounds,
        )

    def measure(self, totals: Floats) -> Measured:
        tiny, small = (_TINY, _SMALL) if self.smooth == "tool" else (0.0, 0.0)
        length, reference_length = totals[..., 0] + tiny, totals[..., 1] + small
        guessed, correct = (
            totals[..., 2 : 2 + self.n] + small,
            totals[..., 2 + MAX_ORDER :][..., : self.n] + tiny,
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = np.where(guessed > 0, correct / guessed, 0.0)
            brevity = np.where(length < reference_length, np.exp(1 - reference_length / length), 1.0)
        bleu = np.cumprod(precisions, axis=-1) ** (1 / np.arange(1, self.n + 1)) * brevity[..., None]
        return Measured(bleu[..., -1], {f"BLEU-{n + 1}": bleu[..., n] for n in range(self.n)})

    def signature(self, context: Any) -> dict[str, str]:
        return {
            "n": str(self.n),
            "reflen": "closest",
            "smooth": self.smooth,
            "tok": tokenizer(self.tok).signature,
        }
