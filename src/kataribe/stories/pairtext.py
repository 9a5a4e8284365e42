"""The text half of a story metric: any sentence metric, as a function of one reference and one predicted caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kataribe.captions.cider import Cider
from kataribe.captions.items import CaptionPairs, pool_pairs
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Metric
from kataribe.core.spec import Spec
from kataribe.core.types import Floats, Int64s
from kataribe.stories.inner import InnerFacts, InnerScan, conclude_inner, prepare_inner, scan_captions
from kataribe.stories.items import CellCaptions, Stories

# About 24 MB of METEOR rows at a time; more at once only costs memory.
_PAIRS_AT_ONCE = 1 << 18


def sentence_metric(spec: Spec, asked_by: str) -> Metric:
    metric = registry.parse(spec)
    if metric.task != "captions":
        raise UsageError(
            f"{asked_by}: {metric} does not score sentences but {metric.task}",
            hint=f"there are: {', '.join(registry.names('captions'))}",
        )
    return metric


def reads_english(metric: Metric) -> bool:
    """Whether a sentence metric cuts its texts as the published caption tools cut English."""
    return getattr(metric, "tokenizer_name", getattr(metric, "tok", "")) in ("ptb", "letters")


def text_signature(metric: Metric, facts: Any) -> dict[str, str]:
    """A nested metric's choices, each under a name that says whose they are."""
    inner = metric.signature(facts)
    return {"text": metric.name, **{f"text.{key}": value for key, value in inner.items()}}


@dataclass(frozen=True)
class PairText:
    """f(g, p). With `swapped` the prediction is given as the reference; CIDEr's idf comes from the reference
    captions of the corpus or, as in the published tool, from the predictions of the video. With `plain` characters
    outside ASCII count as blanks."""

    metric: Metric
    swapped: bool = False
    idf: Literal["references", "predictions"] = "references"
    plain: bool = False

    @property
    def own_corpus_per_video(self) -> bool:
        return isinstance(self.metric, Cider) and not self.metric.idf and self.idf == "predictions"

    @property
    def _inner(self) -> tuple[Metric, ...]:
        """The metrics that must know the corpus."""
        return () if self.own_corpus_per_video else (self.metric,)

    def scan_references(self, items: Stories) -> InnerScan:
        """Every reference caption of the corpus is a document."""
        return scan_captions(self._inner, items, "references", plain=self.plain)

    def scan_predictions(self, items: Stories) -> InnerScan:
        return scan_captions(self._inner, items, "predictions", plain=self.plain)

    def facts(self, items: Stories) -> InnerFacts:
        """The facts of items that are a whole corpus."""
        return conclude_inner(self.scan_references(items), self.scan_predictions(items))

    def signature(self, facts: InnerFacts) -> dict[str, str]:
        if self.own_corpus_per_video:
            return text_signature(self.metric, None) | {"text.idf": "video-predictions"}
        return text_signature(self.metric, facts.of(self.metric))

    def warnings(self, facts: InnerFacts) -> Sequence[Caution]:
        return () if self.own_corpus_per_video else self.metric.warnings(facts.of(self.metric))

    def table(self, items: Stories, facts: InnerFacts, ious: Floats) -> Floats:
        """f in every cell whose segments overlap, 0 elsewhere; computed once for a shard."""

        def table() -> Floats:
            overlapping = np.flatnonzero(ious)
            scores = np.zeros(len(ious))
            scores[overlapping] = self._of(items, overlapping, facts)
            return scores

        key = b"" if self.own_corpus_per_video else facts.key(self.metric)
        return items.memo.keep((self, key), table)

    def of_pairs(self, items: Stories, cells: Int64s, facts: InnerFacts, ious: Floats) -> Floats:
        """f in any cells, in any order."""
        scores = self.table(items, facts, ious)[cells]
        apart = ious[cells] == 0
        missing, where = np.unique(cells[apart], return_inverse=True)
        scores[apart] = self._of(items, missing, facts)[where]
        return scores

    def _of(self, items: Stories, cells: Int64s, facts: InnerFacts) -> Floats:
        """f in distinct cells in ascending order."""
        pairs = items.cell_captions(cells)
        if self.own_corpus_per_video:
            scores = self._cider_of_videos(items, pairs)
        else:
            context = prepare_inner(self.metric, items.pool, facts)
            steps = range(0, len(cells), _PAIRS_AT_ONCE)
            parts = [self._score(items, pairs, slice(at, at + _PAIRS_AT_ONCE), context) for at in steps]
            scores = np.concatenate(parts) if parts else np.zeros(0)
        if np.isnan(scores).any():
            raise UsageError(f"{self.metric} gives no number for some pair of captions", hint="use another text metric")
        return scores

    def _score(self, items: Stories, pairs: CellCaptions, some: slice, context: Any) -> Floats:
        captions = self._captions(items, pairs.reference[some], pairs.prediction[some])
        return self.metric.per_item(self.metric.stats(captions, context)).value

    def _captions(self, items: Stories, references: Int64s, predictions: Int64s) -> CaptionPairs:
        reference = items.versions(items.references.texts.values[references], plain=self.plain)
        prediction = items.versions(items.predictions.texts.values[predictions], plain=self.plain)
        pair = (reference, prediction) if self.swapped else (prediction, reference)
        return pool_pairs(items.pool, *pair)

    @property
    def _cider(self) -> Cider:
        if not isinstance(self.metric, Cider):
            raise TypeError(f"{self.metric} has no idf")
        return self.metric

    def _cider_of_videos(self, items: Stories, pairs: CellCaptions) -> Floats:
        cider = self._cider
        _, sentence_of = items.pool.tokens(cider.tok)
        return cider.of_groups(
            self._captions(items, pairs.reference, pairs.prediction).tokens(cider.tok),
            np.searchsorted(pairs.video, np.arange(len(items) + 1)),
            sentence_of[items.versions(items.predictions.texts.values, plain=self.plain)],
            items.predictions.offsets,
        )
