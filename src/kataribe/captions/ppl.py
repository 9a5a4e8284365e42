"""Perplexity: how surprised a language model is by the candidates. Lower is better.

    PPL = exp(-sum of log p(token | what precedes it) / number of tokens), of each candidate, then the mean over
          candidates (over=items), or of the tokens of all candidates together (over=corpus)

`ngram` (the default) is a trigram model with interpolated Kneser-Ney smoothing, trained on the references being scored:
offline, and fluent means "as the references are written". Any causal language model of transformers may be named
instead; then references play no part.

Jelinek, F., Mercer, R. L., Bahl, L. R., Baker, J. K. (1977). Perplexity - a measure of the difficulty of speech
recognition tasks. JASA 62.

Quirks. Perplexities of different models, tokenizers or training texts cannot be compared. Tables show the value as it
is, not times 100. Yue et al. (2023, Movie101) take the mean over narrations, as the perplexity of Hugging Face's
`evaluate` does; both protocols do here. One odd candidate can move that mean far; over=corpus weighs every token alike.
With `ngram` the end of a caption is predicted too, and words that no reference has are one unknown word; a causal model
predicts the tokens after its start token. A candidate without words has no perplexity and is left out, missing or not:
ending at once surprises an n-gram model less than many a caption does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions.items import Captions, TokenizedCaptions
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats
from kataribe.encoders.encoded import LongTexts
from kataribe.encoders.language import open_causal
from kataribe.text.kneser_ney import MAX_ORDER, KneserNey, NgramTally
from kataribe.text.tokenizers import UNCUT, tokenizer

NGRAM = "ngram"


class _Facts(NamedTuple):
    """The language model: its name and, unless it is one of transformers, itself."""

    name: str
    ngram: KneserNey | None
    warnings: list[Caution]


@dataclass(frozen=True)
class Perplexity(Metric):
    name: ClassVar[str] = "ppl"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "PPL"
    columns: ClassVar[tuple[str, ...]] = ("tokens", "log_likelihood", "items", "perplexity")
    lower_is_better: ClassVar[bool] = True
    percent: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)

    model: str = option(NGRAM, "ngram, or a causal language model: a name of the hub or a folder", positional=True)
    order: int = option(MAX_ORDER, "of ngram: the longest n-gram, 1 to 3")
    tok: str = option("ptb", "of ngram: the tokenizer")
    over: Literal["items", "corpus"] = option("items", "the mean over candidates, or all tokens together")

    def __post_init__(self) -> None:
        if not 1 <= self.order <= MAX_ORDER:
            raise UsageError(f"ppl(order={self.order}): n-grams of 1 to {MAX_ORDER} words are counted")

    @property
    def steady_from(self) -> int:  # type: ignore[override]
        """A few texts that the model finds very strange decide the mean of perplexities."""
        return 100 if self.over == "items" else super().steady_from

    @property
    def needs_references(self) -> bool:
        return self.model == NGRAM

    @property
    def tokenizer_name(self) -> str:
        return self.tok if self.model == NGRAM else UNCUT.name

    @property
    def ignores_empty(self) -> bool:
        return True

    def scan_references(self, items: Captions) -> NgramTally | None:
        if self.model != NGRAM:
            return None
        captions = self._captions(items)
        sentences = [text.split() for text in captions.sentences.texts]
        return NgramTally.of([sentences[index] for index in captions.references.values.tolist()], self.order)

    def scan_predictions(self, items: Captions) -> LongTexts | None:
        if self.model == NGRAM:
            return None
        return open_causal(self.model).find_long(self._captions(items).distinct_candidates)

    def conclude(self, references: NgramTally | None, predictions: LongTexts | None) -> _Facts:
        if self.model == NGRAM:
            return _Facts(f"kneser-ney{self.order}-refs", KneserNey(references or [], self.order), [])
        causal = open_causal(self.model)
        return _Facts(causal.signature, None, (predictions or LongTexts()).cautions(causal))

    def _captions(self, items: Captions) -> TokenizedCaptions:
        return items.tokens(self.tokenizer_name, alone=True)

    def stats(self, items: Captions, context: _Facts) -> Array:
        captions = self._captions(items)
        distinct, candidates = np.unique(captions.candidates, return_inverse=True)
        texts = [captions.sentences.texts[index] for index in distinct.tolist()]
        if context.ngram is not None:
            read = context.ngram.score([text.split() for text in texts])
        else:
            read = open_causal(self.model).score(texts)
        tokens, log = read.words[candidates].astype(np.float64), read.log[candidates]
        perplexity = np.exp(-log / np.maximum(tokens, 1))
        is_said = tokens > (1 if self.model == NGRAM else 0)  # ngram counts the end as a token
        return np.column_stack([tokens, log, np.ones(len(items)), perplexity]) * is_said[:, None]

    def measure(self, totals: Floats) -> Measured:
        tokens, log, items, perplexity = (totals[..., column] for column in range(4))
        with np.errstate(invalid="ignore"):  # a text without words has no perplexity: 0/0
            return Measured(np.asarray(perplexity / items if self.over == "items" else np.exp(-log / tokens)), {})

    def signature(self, facts: _Facts) -> dict[str, str]:
        fields = {"model": facts.name, "over": self.over}
        return fields | ({"tok": tokenizer(self.tok).signature} if self.model == NGRAM else {})

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        return facts.warnings
