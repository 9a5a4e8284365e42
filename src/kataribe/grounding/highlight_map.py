"""Highlight mAP: average precision of the clips of a query by their scores, for each rater.

    AP = mean over the recalls that are reached of max precision at this recall or a greater one
    HL-mAP = mean over raters, then over queries

Recalls count once each, however many clips of equal score reach them together. Where a rater found no clip positive, AP
is 0. Quirk: clips that were not scored have score 0 here, which a clip of a negative score lies below.

Lei, J., Berg, T., Bansal, M. (2021). QVHighlights: detecting moments and highlights in videos via natural language
queries. NeurIPS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.core.types import Bools, Floats
from kataribe.grounding.highlights import HighlightMetric


@dataclass(frozen=True)
class HighlightMAP(HighlightMetric):
    name: ClassVar[str] = "highlight_map"
    title: ClassVar[str] = "mean average precision of highlights"

    def quality(self, scores: Floats, positive: Bools, is_clip: Bools) -> Floats:
        key = np.where(is_clip, -np.where(np.isneginf(scores), 0.0, scores), np.inf)
        order = np.argsort(key, axis=1, kind="stable")
        ranked = np.take_along_axis(key, order, axis=1)
        right = np.take_along_axis(positive & is_clip[:, :, None], order[:, :, None], axis=1)
        hits = right.cumsum(axis=1)
        # Clips of equal score are taken together: precision and recall are known behind the last of them.
        is_last = np.ones(ranked.shape, dtype=bool)
        is_last[:, :-1] = ranked[:, :-1] != ranked[:, 1:]
        is_last &= np.isfinite(ranked)
        precision = np.where(is_last[:, :, None], hits / np.arange(1, ranked.shape[1] + 1)[:, None], 0.0)
        monotone = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        at_steps = np.where(is_last[:, :, None], hits, 0)
        before = np.maximum.accumulate(at_steps, axis=1)
        before = np.concatenate([np.zeros_like(before[:, :1]), before[:, :-1]], axis=1)
        rises = at_steps > before
        steps = rises.sum(axis=1)
        return np.asarray(((monotone * rises).sum(axis=1) / np.maximum(steps, 1)).mean(axis=1))
