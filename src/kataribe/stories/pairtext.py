"""The text half of a story metric: any sentence metric, as a function of one reference and one predicted caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kataribe.captions.cider import Cider
from kataribe.captions.items import CaptionPairs
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Metric
from kataribe.core.spec import Spec
from kataribe.core.types import Floats, Int64s
from kataribe.stories.items import Cells, Stories

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


def text_signature(metric: Metric, context: Any) -> dict[str, str]:
    """A nested metric's choices, each under a name that says whose they are."""
    inner = metric.signature(context)
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

    def prepare(self, items: Stories) -> Any:
        if not self.own_corpus_per_video:
            return items.text_context(self.metric, plain=self.plain)
        sentences, _ = items.pool.tokens(self._cider.tok)
        sentences.ngrams  # noqa: B018 - computed here once, shared by all shards
        return None

    def signature(self, context: Any) -> dict[str, str]:
        fields = text_signature(self.metric, context)
        if self.own_corpus_per_video:
            fields["text.idf"] = "video-predictions"
        return fields

    def warnings(self, context: Any) -> Sequence[Caution]:
        return () if self.own_corpus_per_video else self.metric.warnings(context)

    def table(self, items: Stories, context: Any, ious: Floats) -> Floats:
        """f in every cell whose segments overlap, 0 elsewhere; computed once for a shard."""

        def table() -> Floats:
            overlapping = np.flatnonzero(ious)
            scores = np.zeros(len(ious))
            scores[overlapping] = self._of(items, overlapping, context)
            return scores

        return items.keep(self, table)

    def of_pairs(self, items: Stories, cells: Int64s, context: Any, ious: Floats) -> Floats:
        """f in any cells, in any order."""
        scores = self.table(items, context, ious)[cells]
        apart = ious[cells] == 0
        missing, where = np.unique(cells[apart], return_inverse=True)
        scores[apart] = self._of(items, missing, context)[where]
        return scores

    def _of(self, items: Stories, cells: Int64s, context: Any) -> Floats:
        """f in distinct cells in ascending order."""
        pairs = items.spell(cells)
        if self.own_corpus_per_video:
            scores = self._cider_of_videos(items, pairs)
        else:
            steps = range(0, len(cells), _PAIRS_AT_ONCE)
            parts = [self._score(items, pairs, slice(at, at + _PAIRS_AT_ONCE), context) for at in steps]
            scores = np.concatenate(parts) if parts else np.zeros(0)
        if np.isnan(scores).any():
            raise UsageError(f"{self.metric} gives no number for some pair of captions", hint="use another text metric")
        return scores

    def _score(self, items: Stories, pairs: Cells, some: slice, context: Any) -> Floats:
        captions = self._captions(items, pairs.reference[some], pairs.prediction[some])
        return self.metric.per_item(self.metric.stats(captions, context)).value

    def _captions(self, items: Stories, references: Int64s, predictions: Int64s) -> CaptionPairs:
        reference = items.spelling(items.references.texts[references], plain=self.plain)
        prediction = items.spelling(items.predictions.texts[predictions], plain=self.plain)
        return items.pool.pairs(reference, prediction) if self.swapped else items.pool.pairs(prediction, reference)

    @property
    def _cider(self) -> Cider:
        if not isinstance(self.metric, Cider):
            raise TypeError(f"{self.metric} has no idf")
        return self.metric

    def _cider_of_videos(self, items: Stories, pairs: Cells) -> Floats:
        cider = self._cider
        _, places = items.pool.tokens(cider.tok)
        return cider.of_groups(
            self._captions(items, pairs.reference, pairs.prediction).tokens(cider.tok),
            np.searchsorted(pairs.video, np.arange(len(items) + 1)),
            places[items.spelling(items.predictions.texts, plain=self.plain)],
            items.predictions.bounds,
        )
