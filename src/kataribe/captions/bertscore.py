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
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions import bertscore_tables as tables
from kataribe.captions.greedy import GreedyMatch, TokenCounts, count_tokens, harmonic_mean, look_up_idf, match_texts
from kataribe.captions.items import Captions, TokenizedCaptions
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.types import Array, Floats
from kataribe.encoders import loading
from kataribe.encoders.encoded import EncodedTexts, LongTexts, encode_texts, find_long
from kataribe.encoders.protocol import Tokens
from kataribe.encoders.text import LayeredEncoder, open_text
from kataribe.text.sentences import Sentences

_BASELINE_PAIRS = 5000


class _Scanned(NamedTuple):
    """What must be known of one side's texts; of references also token counts and, for an own baseline, all texts."""

    long: LongTexts
    tokens: TokenCounts | None = None
    # The text and the item's id of each reference.
    texts: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: _Scanned) -> _Scanned:  # type: ignore[override] # not a longer tuple
        tokens = self.tokens + other.tokens if self.tokens is not None and other.tokens is not None else None
        return _Scanned(self.long + other.long, tokens, self.texts + other.texts)


@dataclass(frozen=True)
class _Facts:
    """The encoder in words, the idf of tokens, and what unrelated texts score: P, R, F."""

    model: str
    layer: int
    dtype: str
    idf: Floats | None
    baseline: Floats
    baseline_name: str
    warnings: list[Caution]


class _Context(NamedTuple):
    encoded: EncodedTexts
    facts: _Facts


@dataclass(frozen=True)
class BertScore(Metric):
    name: ClassVar[str] = "bertscore"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "BERTScore"
    columns: ClassVar[tuple[str, ...]] = ("items", "f", "precision", "recall")
    protocols: ClassVar[Protocols] = {"paper": {"refs": "best"}}
    vectors: ClassVar[Literal["tokens", "sentences"] | None] = "tokens"

    model: str = option(loading.DEFAULT, "a text model: minilm, e5, a name of the hub or a folder", positional=True)
    layer: str = option("last", "a number, last, or table: the one that bert_score chose for the model")
    idf: bool = option(False, "weigh tokens by their idf in the references")
    rescale: Literal["none", "table", "own"] = option("none", "no baseline, bert_score's, or one of this corpus")
    lang: str = option("en", "the language whose table is meant by rescale=table")
    refs: Literal["separate", "best"] = option("separate", "best P, R and F separately, or of the best reference")
    half: bool = option(False, "run the model in half precision")

    def __post_init__(self) -> None:
        if self.layer not in ("last", "table") and not self.layer.isdecimal():
            raise UsageError(f"bertscore: layer={self.layer} is no layer", hint="give a number, last or table")

    def scan_references(self, items: Captions) -> _Scanned:
        captions, encoder = items.uncut(), self._encoder()
        texts = captions.sentences.texts
        tokens = count_tokens(encoder, texts, captions.references.values) if self.idf else None
        written: tuple[tuple[str, str], ...] = ()
        if self.rescale == "own":
            owners = captions.references.spread(np.arange(len(items))).tolist()
            indices = captions.references.values.tolist()
            written = tuple((texts[index], items.ids[owner]) for index, owner in zip(indices, owners, strict=True))
        return _Scanned(find_long(encoder, captions.distinct_references), tokens, written)

    def scan_predictions(self, items: Captions) -> _Scanned:
        return _Scanned(find_long(self._encoder(), items.uncut().distinct_candidates))

    def conclude(self, references: _Scanned | None, predictions: _Scanned | None) -> _Facts:
        encoder = self._encoder()
        idf = references.tokens.idf if references and references.tokens else None
        baseline, named = None, str(self.rescale)
        if self.rescale == "table":
            baseline, named = tables.baseline(self.model, self.lang, encoder.layer), f"{self.lang}-table"
        if self.rescale == "own":
            baseline, pairs = self._own_baseline(encoder, idf, references.texts if references else ())
            named = f"own-{pairs}"  # the references' hash and the pairs' number say which baseline it is
        scanned = [side.long for side in (references, predictions) if side is not None]
        warnings = sum(scanned, LongTexts()).cautions(encoder)
        return _Facts(encoder.signature, encoder.layer, encoder.dtype, idf, _or_zero(baseline), named, warnings)

    def prepare(self, items: Captions, facts: _Facts) -> _Context:
        return _Context(encode_texts(self._encoder(), items.uncut().sentences.texts, "tokens"), facts)

    def _encoder(self) -> LayeredEncoder:
        return open_text(self.model, self._chosen_layer(), half=self.half, leading_space=True)

    def _chosen_layer(self) -> int | None:
        if self.layer == "last":
            return None
        return tables.layer(self.model) if self.layer == "table" else int(self.layer)

    def _own_baseline(
        self, encoder: LayeredEncoder, idf: Floats | None, references: Sequence[tuple[str, str]]
    ) -> tuple[Floats, int]:
        """The means over references of different items, drawn at random with a fixed seed.

        They are drawn from the sorted references: the order of the items must not choose the pairs.
        """
        written = sorted(references)
        rng = np.random.default_rng(0)
        draws = [rng.integers(0, max(len(written), 1), 2 * _BASELINE_PAIRS).tolist() for _ in range(2)]
        drawn = zip(*draws, strict=True) if written else ()
        pairs = [(one, other) for one, other in drawn if written[one][1] != written[other][1]][:_BASELINE_PAIRS]
        if not pairs:
            raise UsageError(
                "bertscore: rescale=own compares references of different items, and there is only one item",
                hint="use rescale=none or more items",
            )
        sentences, indices = Sentences.unique(written[row][0] for pair in pairs for row in pair)
        encoded = encode_texts(encoder, sentences.texts, "tokens")
        matched = match_texts(encoded, partial(_weigh, idf), indices[::2], indices[1::2])
        means = [values.mean() for values in (*matched, harmonic_mean(*matched))]
        return np.array(means), len(pairs)

    def stats(self, items: Captions, context: _Context) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        captions, baseline = items.uncut(), context.facts.baseline
        matched = match_texts(context.encoded, partial(_weigh, context.facts.idf), *captions.pairs)
        precision, recall, f = self._of_items(matched, captions)
        scores = (np.column_stack([precision, recall, f]) - baseline) / (1 - baseline)
        return np.column_stack([np.ones(len(items)), scores[:, 2], scores[:, 0], scores[:, 1]])

    def _of_items(self, matched: GreedyMatch, captions: TokenizedCaptions) -> tuple[Floats, Floats, Floats]:
        precision, recall, f = *matched, harmonic_mean(*matched)
        if self.refs == "best":
            best = captions.of_pairs(f).first_best()
            return precision[best], recall[best], f[best]
        best_p, best_r, best_f = (captions.of_pairs(values).max() for values in (precision, recall, f))
        return best_p, best_r, best_f

    def measure(self, totals: Floats) -> Measured:
        count = totals[..., 0]
        f, precision, recall = (totals[..., column] / count for column in (1, 2, 3))
        return Measured(f, {"precision": precision, "recall": recall})

    def signature(self, facts: _Facts) -> dict[str, str]:
        fields = {
            "model": facts.model,
            "layer": str(facts.layer),
            "idf": "refs" if self.idf else "none",
            "rescale": facts.baseline_name,
            "refs": self.refs,
        }
        return fields | ({"dtype": facts.dtype} if self.half else {})

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        return facts.warnings


def _weigh(idf: Floats | None, tokens: Tokens) -> Floats:
    return np.where(tokens.special, 0.0, 1.0) if idf is None else look_up_idf(idf, tokens.ids)


def _or_zero(baseline: Any) -> Floats:
    return np.zeros(3) if baseline is None else np.asarray(baseline, dtype=np.float64)
