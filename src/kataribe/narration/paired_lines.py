"""Lines beside other lines than those they stand with, for metrics that ask a sentence metric about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kataribe.captions.items import CaptionPairs, pool_pairs
from kataribe.core import registry
from kataribe.core.errors import UsageError
from kataribe.core.metric import Metric
from kataribe.core.spec import Spec
from kataribe.narration.items import Narrations
from kataribe.text.pool import TextPool


def sentence_metric(spec: Spec, asked_by: str) -> Metric:
    """The metric that says how similar two lines are."""
    metric = registry.parse(spec)
    if metric.task != "captions":
        raise UsageError(
            f"{asked_by}: {metric} does not score sentences but {metric.task}",
            hint=f"there are: {', '.join(registry.names('captions'))}",
        )
    return metric


def own_pairs(items: Narrations) -> CaptionPairs:
    """Every prediction beside its own reference, each text cut alone: lines meet others than those they stand with."""

    def pair() -> CaptionPairs:
        texts = list(dict.fromkeys([*items.candidates, *items.written]))
        index_of = {text: index for index, text in enumerate(texts)}
        candidates, references = (
            np.array([index_of[text] for text in side], dtype=np.int64) for side in (items.candidates, items.written)
        )
        return replace(pool_pairs(TextPool(texts), candidates, references), ids=items.ids)

    return items.memo.keep("own pairs", pair)
