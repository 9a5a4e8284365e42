"""EMScore: a caption beside a video, token by frame and as a whole.

    fine    P = sum of w(t) max over frames f of cos(t, f) / sum of w(t), over the caption's tokens t
            R = mean over frames f of the max over tokens t of cos(t, f), F = 2 P R / (P + R)
    coarse  cos(caption, mean frame)
    full    (fine F + coarse) / 2
    refs    the same beside each reference (its tokens weighted too), the best of each, then the mean with the video's
    w(t)    idf log((N + 1) / (df + 1)) over the N references (candidates where there are none), or 1

Shi, Y., Yang, X., Xu, H., Yuan, C., Li, B., Hu, W., Zha, Z.-J. (2022). EMScore: evaluating video captioning via
coarse-grained and fine-grained embedding matching. CVPR. The variant movie101, fine F without idf, is the one in Yue et
al. (2023), Movie101. ACL.

Quirks. Special tokens take part; under idf the start token weighs 0 and the end token, which stands for the whole
caption, weighs as much as the mean token (padding counted as one, as in the published tool). A picture is a video of
one frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.captions.greedy import (
    Weighted,
    harmonic_mean,
    look_up_idf,
    match,
    match_texts,
    token_idf,
    unit,
)
from kataribe.captions.items import Captions
from kataribe.captions.pictured import Pictured, look_at
from kataribe.captions.sentence_cosine import cosines_of_pairs
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats
from kataribe.encoders.clip import DEFAULT
from kataribe.encoders.protocol import Tokens

# Captions and frames of this many items are in memory at a time.
_ITEMS_AT_ONCE = 256


@dataclass(frozen=True)
class _Prepared:
    pictured: Pictured
    idf: Floats | None
    idf_source: str


@dataclass(frozen=True)
class EmScore(Metric):
    name: ClassVar[str] = "emscore"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "EMScore"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("items", "precision", "recall", "f", "coarse")

    variant: Literal["full", "movie101"] = option("full", "fine F and coarse, or fine F without idf", positional=True)
    refs: Literal["none", "best"] = option("none", "the video alone, or also the best reference")
    idf: bool = option(True, "weigh tokens by their idf; movie101 never does")
    model: str = option(DEFAULT, "a model of texts and pictures: a name of the hub or a folder")

    @property
    def needs_references(self) -> bool:
        return self.refs == "best"

    @property
    def _uses_idf(self) -> bool:
        return self.idf and self.variant == "full"

    def prepare(self, items: Captions) -> _Prepared:
        if items.media is not None and items.media.texts is not None and (self._uses_idf or self.refs == "best"):
            raise UsageError(
                "emscore: vectors of texts do not tell which tokens they stand for, which idf and references need",
                hint="leave --text-features out, or use emscore(movie101) or emscore(idf=false)",
            )
        pictured = look_at(items, self.model, self.name, kind="tokens")
        if not self._uses_idf:
            return _Prepared(pictured, None, "none")
        captions = items.uncut()
        has_references = len(captions.references) > 0
        corpus = captions.references if has_references else captions.candidates
        return _Prepared(pictured, _idf(pictured, corpus), "refs" if has_references else "candidates")

    def stats(self, items: Captions, context: _Prepared) -> Array:
        parts = [
            self._beside_videos(items[start : start + _ITEMS_AT_ONCE], context)
            for start in range(0, len(items), _ITEMS_AT_ONCE)
        ]
        if not parts:
            return np.zeros((0, len(self.columns)))
        scores = np.concatenate(parts)
        if self.refs == "best":
            scores = (scores + self._beside_references(items, context)) / 2
        return np.column_stack([np.ones(len(items)), scores])

    def _beside_videos(self, items: Captions, context: _Prepared) -> Floats:
        """P, R, F and coarse of each item."""
        pictured = context.pictured
        texts = self._weighted(items, context)
        frames = [pictured.frames(id) for id in items.ids]
        matched = match(texts, [Weighted(each, np.ones(len(each))) for each in frames])
        coarse = np.einsum("ij,ij->i", pictured.candidates(items), pictured.pictures(items.ids), dtype=np.float64)
        return np.column_stack([*matched, harmonic_mean(*matched), coarse])

    def _weighted(self, items: Captions, context: _Prepared) -> list[Weighted]:
        pictured = context.pictured
        if pictured.encoded is not None:
            tokens = pictured.encoded.tokens(items.uncut().candidates)
            return [Weighted(unit(each.vectors), _weigh(context.idf, each)) for each in tokens]
        assert pictured.given is not None
        vectors = [unit(pictured.given[f"{id}/candidate"]) for id in items.ids]
        return [Weighted(each, np.ones(len(each))) for each in vectors]

    def _beside_references(self, items: Captions, context: _Prepared) -> Floats:
        encoded = context.pictured.encoded
        assert encoded is not None
        captions = items.uncut()
        matched = match_texts(encoded, lambda tokens: _weigh(context.idf, tokens), *captions.pairs)
        cosines = cosines_of_pairs(encoded, *captions.pairs)
        columns = (*matched, harmonic_mean(*matched), cosines)
        return np.column_stack([np.maximum.reduceat(values, captions.bounds[:-1]) for values in columns])

    def measure(self, totals: Floats) -> Measured:
        precision, recall, f, coarse = (totals[..., column] / totals[..., 0] for column in (1, 2, 3, 4))
        parts = {"fine precision": precision, "fine recall": recall, "fine f": f}
        if self.variant == "movie101":
            return Measured(f, parts)
        return Measured((f + coarse) / 2, parts | {"coarse": coarse})

    def signature(self, context: _Prepared) -> dict[str, str]:
        fields: dict[str, Any] = {"v": self.variant, **context.pictured.signature}
        return fields | {"idf": context.idf_source, "refs": self.refs}

    def warnings(self, context: _Prepared) -> Sequence[Caution]:
        return context.pictured.warnings


def _weigh(idf: Floats | None, tokens: Tokens) -> Floats:
    return np.ones(len(tokens.ids)) if idf is None else look_up_idf(idf, tokens.ids)


def _idf(pictured: Pictured, corpus: Any) -> Floats:
    """The idf of every token; the end token is in every text, and is given the mean of all instead of 0."""
    encoded, encoder = pictured.encoded, pictured.encoder
    assert encoded is not None
    assert encoder is not None
    places, times = np.unique(corpus, return_counts=True)
    idf = token_idf(list(zip(encoded.token_ids(places), times.tolist(), strict=True)))
    if encoder.end_id is not None and encoder.end_id < len(idf) - 1:
        occurring = idf[:-1][idf[:-1] < idf[-1]]
        idf[encoder.end_id] = occurring.sum() / (len(occurring) + 1)
    return idf
