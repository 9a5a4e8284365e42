"""Hit@1: the share of queries whose highest scored clip is positive for any rater.

Of equal scores the first clip counts. Clips that were not scored are not looked at, unlike in `highlight_map`; a
highest score behind the last rated clip is a miss.

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
class HighlightHit(HighlightMetric):
    name: ClassVar[str] = "highlight_hit"
    title: ClassVar[str] = "Hit@1: the best clip is a highlight"

    def quality(self, scores: Floats, positive: Bools, is_clip: Bools) -> Floats:
        best = scores.argmax(axis=1)
        rows = np.arange(len(scores))
        return np.asarray(positive[rows, best].any(axis=1) & is_clip[rows, best], dtype=np.float64)
