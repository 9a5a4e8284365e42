"""What metrics of spans share: entries of every player, compared chunk by chunk, the mean of each query."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from kataribe.core.metric import option
from kataribe.core.ragged import sum_by
from kataribe.core.types import Floats
from kataribe.grounding.entries import Entries, enter
from kataribe.grounding.items import Queries
from kataribe.grounding.overlap import ORDER_HELP, OVERLAP_HELP, Order, Overlap, in_order
from kataribe.grounding.panel import PanelMetric

Length = Literal["all", "short", "middle", "long"]

# Seconds of a true span, as QVHighlights divides them: longer than the first, at most the second.
LENGTHS: dict[str, tuple[float, float]] = {"short": (0.0, 10.0), "middle": (10.0, 30.0), "long": (30.0, 150.0)}


@dataclass(frozen=True)
class MomentMetric(PanelMetric):
    """`quality` says how good the spans of entries are; everything else is the same for all metrics of spans."""

    length: Length = option("all", "only true spans of (0, 10], (10, 30] or (30, 150] s: short, middle, long")
    overlap: Overlap = option("seconds", OVERLAP_HELP)
    order: Order = option("score", ORDER_HELP)
    trials: int = option(10, "draws of the player `random`")

    @property
    def looks_at(self) -> int | None:
        """How many spans of a prediction can matter, in order; all where it cannot be said."""
        return None

    @property
    def guesses(self) -> int:
        """How many spans a blind guesser offers."""
        return self.looks_at or 10

    @abstractmethod
    def fitted(self, items: Queries) -> Floats:
        """The best blind spans for this metric."""

    @abstractmethod
    def quality(self, entries: Entries, items: Queries) -> Floats:
        """A row for each entry, a column for each threshold; the spans are in order."""

    def rows_of(self, player: str, items: Queries, context: Any) -> Floats:
        entries = enter(player, items, self.guesses, self.trials, lambda: self.fitted(items))
        return self.rows_of_entries(entries, items)

    def rows_of_entries(self, entries: Entries, items: Queries) -> Floats:
        """The mean quality of the entries of each query."""
        if self.length != "all":
            entries = entries.with_truth_between(*LENGTHS[self.length])
        quality = np.zeros((len(entries), len(self.thresholds)))
        for rows, chunk in entries.chunks(self.looks_at):
            seen = self.considered(chunk)
            ranked = in_order(seen.spans, seen.scores, self.order)
            quality[rows] = self.quality(replace(seen, spans=ranked, scores=None), items)
        counts = np.bincount(entries.query, minlength=len(items)).astype(np.float64)
        means = sum_by(entries.query, quality, len(items)) / np.maximum(counts, 1)[:, None]
        return np.column_stack([counts > 0, means])

    def considered(self, entries: Entries) -> Entries:
        """With the spans that are looked at at all, before they are put in order."""
        return entries

    def signature(self, facts: Any) -> dict[str, str]:
        return {
            **self.choices(),
            "length": self.length,
            "overlap": self.overlap,
            "order": self.order,
            "trials": str(self.trials),
        }

    def choices(self) -> dict[str, str]:
        """The options of this metric alone, for the signature."""
        return {}
