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

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions.greedy import (
    TokenCounts,
    Weighted,
    harmonic_mean,
    look_up_idf,
    match,
    match_texts,
    unit,
)
from kataribe.captions.items import Captions
from kataribe.captions.pictured import MediaScan, Pictured, PicturedFacts, PicturedMetric
from kataribe.captions.sentence_cosine import cosines_of_pairs
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, option
from kataribe.core.types import Array, Floats
from kataribe.encoders.clip import DEFAULT, open_clip
from kataribe.encoders.protocol import Tokens

# Captions and frames of this many items are in memory at a time.
_ITEMS_AT_ONCE = 256


class _Context(NamedTuple):
    pictured: Pictured
    idf: Floats | None


@dataclass(frozen=True)
class EmScore(PicturedMetric):
    name: ClassVar[str] = "emscore"
    title: ClassVar[str] = "EMScore"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("items", "precision", "recall", "f", "coarse")
    vectors: ClassVar[Literal["tokens", "sentences"] | None] = "tokens"

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

    @property
    def encoder_name(self) -> str:
        return self.model

    @property
    def counts_tokens(self) -> bool:
        return self._uses_idf

    def scan_references(self, items: Captions) -> MediaScan:
        if items.media is not None and items.media.texts is not None and (self._uses_idf or self.refs == "best"):
            raise UsageError(
                "emscore: vectors of texts do not tell which tokens they stand for, which idf and references need",
                hint="leave <text_features> out, or use emscore(movie101) or emscore(idf=false)",
                options=["text_features"],
            )
        return super().scan_references(items)

    def prepare(self, items: Captions, facts: PicturedFacts) -> _Context:
        counts = self._counts(facts)
        return _Context(self.look_at(items), None if counts is None else self._idf(counts))

    def _counts(self, facts: PicturedFacts) -> TokenCounts | None:
        """Of the references, or of the candidates where there are none."""
        counts = facts.reference_tokens
        return counts if counts is not None and counts.documents else facts.candidate_tokens

    def _idf(self, counts: TokenCounts) -> Floats:
        """The idf of every token; the end token is in every text, and is given the mean of all instead of 0."""
        idf, end = counts.idf, open_clip(self.model).end_id
        if end is not None and end < len(idf) - 1:
            occurring = idf[:-1][idf[:-1] < idf[-1]]
            idf[end] = occurring.sum() / (len(occurring) + 1)
        return idf

    def stats(self, items: Captions, context: _Context) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        parts = [
            self._beside_videos(items, range(start, min(start + _ITEMS_AT_ONCE, len(items))), context)
            for start in range(0, len(items), _ITEMS_AT_ONCE)
        ]
        pictured = context.pictured
        coarse = np.einsum("ij,ij->i", pictured.candidates(items), pictured.pictures(items.ids), dtype=np.float64)
        scores = np.column_stack([np.concatenate(parts), coarse])
        if self.refs == "best":
            scores = (scores + self._beside_references(items, context)) / 2
        return np.column_stack([np.ones(len(items)), scores])

    def _beside_videos(self, items: Captions, rows: range, context: _Context) -> Floats:
        """P, R and F of some of the items."""
        frames = [context.pictured.frames(items.ids[row]) for row in rows]
        matched = match(self._weighted(items, rows, context), [Weighted(each, np.ones(len(each))) for each in frames])
        return np.column_stack([*matched, harmonic_mean(*matched)])

    def _weighted(self, items: Captions, rows: range, context: _Context) -> list[Weighted]:
        pictured = context.pictured
        if pictured.encoded is not None:
            tokens = pictured.encoded.tokens(items.uncut().candidates[rows.start : rows.stop])
            return [Weighted(unit(each.vectors), _weigh(context.idf, each)) for each in tokens]
        assert pictured.given is not None
        vectors = [unit(pictured.given[f"{items.ids[row]}/candidate"]) for row in rows]
        return [Weighted(each, np.ones(len(each))) for each in vectors]

    def _beside_references(self, items: Captions, context: _Context) -> Floats:
        encoded = context.pictured.encoded
        assert encoded is not None
        captions = items.uncut()
        matched = match_texts(encoded, lambda tokens: _weigh(context.idf, tokens), *captions.pairs)
        cosines = cosines_of_pairs(encoded, *captions.pairs)
        columns = (*matched, harmonic_mean(*matched), cosines)
        return np.column_stack([captions.of_pairs(values).max() for values in columns])

    def measure(self, totals: Floats) -> Measured:
        precision, recall, f, coarse = (totals[..., column] / totals[..., 0] for column in (1, 2, 3, 4))
        parts = {"fine precision": precision, "fine recall": recall, "fine f": f}
        if self.variant == "movie101":
            return Measured(f, parts)
        return Measured((f + coarse) / 2, parts | {"coarse": coarse})

    def signature(self, facts: PicturedFacts) -> dict[str, str]:
        counts = self._counts(facts)
        source = "none" if counts is None else "refs" if counts is facts.reference_tokens else "candidates"
        return {"v": self.variant, **facts.signature, "idf": source, "refs": self.refs}


def _weigh(idf: Floats | None, tokens: Tokens) -> Floats:
    return np.ones(len(tokens.ids)) if idf is None else look_up_idf(idf, tokens.ids)
