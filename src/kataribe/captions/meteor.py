"""METEOR 1.5: words of candidate and reference are aligned - same word, same stem, synonym, paraphrase.

    P, R   = matched words / words of the candidate, of the reference; stages weigh 1, .6, .8, .6, content words
             .75 and function words .25
    Fmean  = P R / (a P + (1 - a) R), a = .85
    METEOR = Fmean * (1 - g * frag^b), frag = chunks / matched words, b = .2, g = .6

Denkowski, M., Lavie, A. (2014). Meteor universal: language specific translation evaluation for any target language.
WMT.

Quirks. With several references each is scored alone and the best counts, the first of equals. The corpus value is
the formula on the summed counts, not the mean of the items. Other languages than English match equal words only,
with a = .75, b = 1.4, g = .7 and no function words; their text is segmented first (`meteor(ja)`, `meteor(zh)`).

Bounds. A text may have 32,767 words. Two texts that repeat the same words over and over take time in proportion to the
product of their lengths, a fraction of a second for thousands of words. Where they repeat paraphrases instead, more
than 16,777,216 places to choose from are refused, and the message names the item: no number is approximated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe import _native
from kataribe.captions.items import CaptionPairs, Captions, TokenizedCaptions
from kataribe.captions.meteor_resource import open_and_tell
from kataribe.captions.result import WordAlignment, WordMatch
from kataribe.core.caution import remark
from kataribe.core.errors import InputError, shorten
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.progress import report
from kataribe.core.types import Array, Floats
from kataribe.text.tokenizers import tokenizer

Language = Literal["auto", "en", "ja", "zh", "other"]

_TOKENIZER_OF = {"en": "ptb", "ja": "ja", "zh": "zh", "other": "none"}
_LANGUAGE_OF = {"ptb": "en", "letters": "en", "ja": "ja", "ja-mecab": "ja", "zh": "zh"}


class _Sentences(NamedTuple):
    """Texts as METEOR reads them, and how it splits one of them."""

    sentences: _native.MeteorSentences
    tokenize: Callable[[str], list[str]]


@dataclass(frozen=True)
class Meteor(Metric):
    name: ClassVar[str] = "meteor"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "METEOR"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = _native.METEOR_COLUMNS

    lang: Language = option("auto", "the language; auto: the tokenizer's", positional=True)
    tok: str = option("auto", "the tokenizer; auto: the language's")

    @property
    def language(self) -> str:
        if self.lang != "auto":
            return self.lang
        return "en" if self.tok == "auto" else _LANGUAGE_OF.get(self.tok, "other")

    @property
    def tokenizer_name(self) -> str:
        return _TOKENIZER_OF[self.language] if self.tok == "auto" else self.tok

    @property
    def parameters(self) -> str:
        """Which of METEOR's two sets of parameters applies."""
        return "en" if self.language == "en" else "other"

    def conclude(self, references: None, predictions: None) -> None:
        """Nothing is known of the corpus; but METEOR's data is compiled once, not by every thread."""
        if self.language == "en":
            _open_resource()

    def prepare(self, items: Captions, facts: None) -> _Sentences:
        texts = items.tokens(self.tokenizer_name).sentences.texts
        if self.language != "en":
            return _Sentences(_sentences(None, texts), str.split)
        resource = _open_resource()
        tokenize = lambda text: _native.meteor_normalize(resource, text).split()  # noqa: E731
        return _Sentences(_sentences(resource, texts), tokenize)

    def stats(self, items: Captions, context: _Sentences) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)), dtype=np.int32)
        captions = items.tokens(self.tokenizer_name)
        try:
            return _native.meteor_best_statistics(
                context.sentences, *captions.pairs, captions.references.offsets, self.parameters
            )
        except _native.MeteorTooMuchWork as error:
            raise _too_much_work(items, captions, error.args[0]) from None

    def measure(self, totals: Floats) -> Measured:
        return Measured(self._scores(totals), {})

    def signature(self, facts: Any) -> dict[str, str]:
        return {"v": "1.5", "lang": self.language, "tok": tokenizer(self.tokenizer_name).signature}

    def details(self, items: Captions, context: _Sentences) -> list[WordAlignment]:
        """For each item the reference that counted and which words were matched."""
        if not len(items):
            return []
        captions = items.tokens(self.tokenizer_name)
        candidates, references = captions.pairs
        scores = _native.meteor_pair_scores(context.sentences, candidates, references, self.parameters)
        texts = captions.sentences.texts
        details = []
        best = captions.of_pairs(scores).first_best().tolist()
        for pair, first in zip(best, captions.references.starts.tolist(), strict=True):
            candidate, reference = int(candidates[pair]), int(references[pair])
            details.append(
                WordAlignment(
                    reference=pair - first,
                    candidate_tokens=context.tokenize(texts[candidate]),
                    reference_tokens=context.tokenize(texts[reference]),
                    matches=[
                        WordMatch(candidate=(i, n), reference=(j, m), stage=_native.METEOR_STAGES[stage])
                        for i, n, j, m, stage in _native.meteor_alignment(context.sentences, candidate, reference)
                    ],
                )
            )
        return details

    def _scores(self, statistics: Array) -> Floats:
        rows = np.ascontiguousarray(statistics).reshape(-1, len(self.columns))
        return _native.meteor_scores(rows, self.parameters).reshape(statistics.shape[:-1])


def _open_resource() -> _native.MeteorResource:
    resource, remarks = open_and_tell(lambda done, total: report("compiling METEOR's data, once", done, total))
    remark(*remarks)
    return resource


def _sentences(resource: _native.MeteorResource | None, texts: list[str]) -> _native.MeteorSentences:
    try:
        return _native.MeteorSentences(resource, texts, normalize=resource is not None)
    except ValueError as error:
        longest = max(texts, key=len)
        raise InputError(f"meteor: {error}: {shorten(longest)!r}", hint="is this really one text?") from None


def _too_much_work(items: Captions, captions: TokenizedCaptions, pair: int) -> InputError:
    """METEOR would have to choose among millions of paraphrases: no text that a person wrote comes near."""
    item = int(captions.references.owners[pair])
    text = captions.sentences.texts[int(captions.candidates[item])]
    return InputError(
        f"meteor: {shorten(text)!r} and its reference repeat so many paraphrases that they cannot be aligned",
        id=None if isinstance(items, CaptionPairs) else items.ids[item],
        hint="shorten the text, or leave meteor out",
    )
