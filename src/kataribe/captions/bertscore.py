"""BERTScore: each token beside the most similar token of the other text, by the cosine of contextual vectors.

    P = sum of w(t) max over reference tokens of cos(t, .) / sum of w(t), over the candidate's tokens t
    R = the same over the reference's tokens, F = 2 P R / (P + R)
    w = 1, or the idf log((N + 1) / (df + 1)) over the N references of the corpus; special tokens weigh 0
    rescaled: (x - b) / (1 - b), b what unrelated texts score

Zhang, T., Kishore, V., Wu, F., Weinberger, K. Q., Artzi, Y. (2020). BERTScore: evaluating text generation with BERT.
ICLR.

Quirks. The number depends on the model and the layer; both are in the signature. Special tokens weigh nothing but may
be what another token matches. With several references the published tool takes the best P, the best R and the best F
each for itself (`refs=separate`, official); `refs=best` (paper) takes those of the reference with the best F. The
tool's `table` baselines exist for some models only and are read from the package bert_score; `own` is computed from
random pairs of this corpus' references. The corpus value is the mean over items; a text without tokens scores 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.captions import bertscore_tables as tables
from kataribe.captions.greedy import Matched, harmonic_mean, look_up_idf, match_texts, token_idf
from kataribe.captions.items import Captions, TokenizedCaptions
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats
from kataribe.encoders import loading
from kataribe.encoders.encoded import EncodedTexts, encode_texts
from kataribe.encoders.protocol import Tokens
from kataribe.encoders.text import open_text

_BASELINE_PAIRS = 5000


@dataclass(frozen=True)
class _Prepared:
    """The encoded corpus, the idf of its tokens, and what unrelated texts score: P, R, F."""

    encoded: EncodedTexts
    layer: int
    dtype: str
    idf: Floats | None
    baseline: Floats
    baseline_name: str


@dataclass(frozen=True)
class BertScore(Metric):
    name: ClassVar[str] = "bertscore"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "BERTScore"
    columns: ClassVar[tuple[str, ...]] = ("items", "f", "precision", "recall")
    protocols: ClassVar[Protocols] = {"paper": {"refs": "best"}}
    prepares_first: ClassVar[bool] = True

    model: str = option(loading.DEFAULT, "a text model: a name of the hub or a folder", positional=True)
    layer: str = option("last", "a number, last, or table: the one that bert_score chose for the model")
    idf: bool = option(False, "weigh tokens by their idf in the references")
    rescale: Literal["none", "table", "own"] = option("none", "no baseline, bert_score's, or one of this corpus")
    lang: str = option("en", "the language whose table is meant by rescale=table")
    refs: Literal["separate", "best"] = option("separate", "best P, R and F separately, or of the best reference")
    half: bool = option(False, "run the model in half precision")

    def __post_init__(self) -> None:
        if self.layer not in ("last", "table") and not self.layer.isdecimal():
            raise UsageError(f"bertscore: layer={self.layer} is no layer", hint="give a number, last or table")

    def prepare(self, items: Captions) -> _Prepared:
        captions = items.uncut()
        encoder = open_text(self.model, self._chosen_layer(), half=self.half, leading_space=True)
        baseline = tables.baseline(self.model, self.lang, encoder.layer) if self.rescale == "table" else None
        encoded = encode_texts(encoder, captions.sentences.texts, "tokens")
        idf = _idf_of_references(encoded, captions) if self.idf else None
        named = f"{self.lang}-table" if self.rescale == "table" else self.rescale
        if self.rescale == "own":
            baseline, pairs = self._own_baseline(encoded, idf, captions)
            named = f"own-{pairs}"  # the references' hash and the pairs' number say which baseline it is
        return _Prepared(encoded, encoder.layer, encoder.dtype, idf, _or_zero(baseline), named)

    def _chosen_layer(self) -> int | None:
        if self.layer == "last":
            return None
        return tables.layer(self.model) if self.layer == "table" else int(self.layer)

    def _own_baseline(
        self, encoded: EncodedTexts, idf: Floats | None, captions: TokenizedCaptions
    ) -> tuple[Floats, int]:
        """The means over references of different items, drawn at random with a fixed seed."""
        owner = np.repeat(np.arange(len(captions.bounds) - 1), np.diff(captions.bounds))
        rng = np.random.default_rng(0)
        one, other = (rng.integers(0, max(len(owner), 1), 2 * _BASELINE_PAIRS) for _ in range(2))
        apart = np.flatnonzero(owner[one] != owner[other])[:_BASELINE_PAIRS] if len(owner) else np.zeros(0, np.int64)
        if not len(apart):
            raise UsageError(
                "bertscore: rescale=own compares references of different items, and there is only one item",
                hint="use rescale=none or more items",
            )
        references = captions.references
        matched = match_texts(encoded, partial(_weigh, idf), references[one[apart]], references[other[apart]])
        means = [values.mean() for values in (*matched, harmonic_mean(*matched))]
        return np.array(means), len(apart)

    def stats(self, items: Captions, context: _Prepared) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        captions = items.uncut()
        matched = match_texts(context.encoded, partial(_weigh, context.idf), *captions.pairs)
        precision, recall, f = self._of_items(matched, captions)
        scores = (np.column_stack([precision, recall, f]) - context.baseline) / (1 - context.baseline)
        return np.column_stack([np.ones(len(items)), scores[:, 2], scores[:, 0], scores[:, 1]])

    def _of_items(self, matched: Matched, captions: TokenizedCaptions) -> tuple[Floats, Floats, Floats]:
        precision, recall, f = *matched, harmonic_mean(*matched)
        if self.refs == "best":
            best = captions.best_pairs(f)
            return precision[best], recall[best], f[best]
        first = captions.bounds[:-1]
        best_p, best_r, best_f = (np.maximum.reduceat(values, first) for values in (precision, recall, f))
        return best_p, best_r, best_f

    def measure(self, totals: Floats) -> Measured:
        count = totals[..., 0]
        f, precision, recall = (totals[..., column] / count for column in (1, 2, 3))
        return Measured(f, {"precision": precision, "recall": recall})

    def signature(self, context: _Prepared) -> dict[str, str]:
        fields = {
            "model": context.encoded.encoder.signature,
            "layer": str(context.layer),
            "idf": "refs" if self.idf else "none",
            "rescale": context.baseline_name,
            "refs": self.refs,
        }
        return fields | ({"dtype": context.dtype} if self.half else {})

    def warnings(self, context: _Prepared) -> Sequence[Caution]:
        return context.encoded.warnings


def _weigh(idf: Floats | None, tokens: Tokens) -> Floats:
    return np.where(tokens.special, 0.0, 1.0) if idf is None else look_up_idf(idf, tokens.ids)


def _idf_of_references(encoded: EncodedTexts, captions: TokenizedCaptions) -> Floats:
    """Every reference is a document, a repeated one as often as it is repeated."""
    places, times = np.unique(captions.references, return_counts=True)
    return token_idf(list(zip(encoded.token_ids(places), times.tolist(), strict=True)))


def _or_zero(baseline: Any) -> Floats:
    return np.zeros(3) if baseline is None else np.asarray(baseline, dtype=np.float64)
