"""What metrics of highlights share: clips of two seconds that three people rated from 0 to 4.

A clip is positive for a rater who gave at least 2 (fair), 3 (good) or 4 (very_good). `random` scores clips at random;
`human` is each rater against every other one.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.metric import option
from kataribe.core.types import Bools, Floats
from kataribe.grounding.items import Highlights, Queries
from kataribe.grounding.panel import SYSTEM, PanelMetric

# Seconds of a clip.
CLIP_SECONDS = 2.0

Level = Literal["fair", "good", "very_good"]
LEVELS: dict[str, int] = {"fair": 2, "good": 3, "very_good": 4}
_TRIALS = 5


@dataclass(frozen=True)
class HighlightMetric(PanelMetric):
    players: ClassVar[tuple[str, ...]] = ("random", "human")

    level: Level = option("very_good", "from which rating a clip is positive: 2, 3 or 4", positional=True, always=True)

    @abstractmethod
    def quality(self, scores: Floats, positive: Bools, is_clip: Bools) -> Floats:
        """Of scores[query, clip] against positive[query, clip, rater]; where `is_clip` is false there is no clip.

        The score of a clip that was left out is -inf.
        """

    def scan_references(self, items: Queries) -> int:
        """How many queries are rated at all."""
        return 0 if items.highlights is None else int(np.count_nonzero(items.highlights.ratings.counts))

    def conclude(self, references: Any, predictions: Any) -> Any:
        if not references:
            raise UsageError(
                f"{self.name} needs clips that people rated", hint="give saliency_scores in the references"
            )
        return references

    def rows_of(self, player: str, items: Queries, context: Any) -> Floats:
        rows = np.zeros((len(items), 2))
        highlights = items.highlights
        if highlights is None:
            return rows
        chosen = np.flatnonzero(highlights.ratings.counts)
        if not len(chosen):
            return rows
        table = _Table(highlights[chosen])
        positive = table.ratings >= LEVELS[self.level]
        rows[chosen, 0] = 1.0
        if player == SYSTEM:
            quality = self.quality(table.saliency, positive, table.is_clip)
            rows[chosen, 1] = np.where(highlights.is_predicted[chosen], quality, 0.0)
        elif player == "random":
            clips = table.is_clip.shape[1]
            drawn = items[chosen].draws(np.arange(_TRIALS), clips, salt=1)
            drawn = np.where(table.is_clip[:, None], drawn, -np.inf)
            draws = [self.quality(drawn[:, draw], positive, table.is_clip) for draw in range(_TRIALS)]
            rows[chosen, 1] = np.mean(draws, axis=0)
        else:
            rows[chosen, 1] = self._people(table, positive)
            rows[chosen, 0] = positive.shape[2] > 1
        return rows

    def _people(self, table: _Table, positive: Bools) -> Floats:
        raters = positive.shape[2]
        others = [[other for other in range(raters) if other != rater] for rater in range(raters)]
        if raters < 2:
            return np.zeros(len(positive))
        each = [
            self.quality(table.ratings[:, :, rater], positive[:, :, others[rater]], table.is_clip)
            for rater in range(raters)
        ]
        return np.asarray(np.mean(each, axis=0))

    def signature(self, facts: Any) -> dict[str, str]:
        return {"level": self.level, "from": str(LEVELS[self.level]), "clip": f"{CLIP_SECONDS:g}s"}


class _Table:
    """Ratings and scores of queries x clips; the scores of clips that the system left out are -inf."""

    def __init__(self, highlights: Highlights) -> None:
        counts = highlights.ratings.counts
        # The published scorer looks at the clip of the highest score even where it lies behind the last rated one.
        width = int(max(counts.max(initial=0), highlights.saliency.counts.max(initial=0)))
        self.is_clip = np.arange(width) < counts[:, None]
        raters = highlights.ratings.values.shape[1]
        self.ratings = np.zeros((len(counts), width, raters))
        self.ratings[self.is_clip] = highlights.ratings.values
        self.saliency = np.full((len(counts), width), -np.inf)
        is_scored = np.arange(width) < highlights.saliency.counts[:, None]
        self.saliency[is_scored] = highlights.saliency.values
