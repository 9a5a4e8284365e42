"""Shot recall: how often a shot that shows what is told is among the first k that were retrieved from its film.

    R@k = mean over films f of (queries of f with a true shot among their first k / queries of f)

The first stage of grounding in whole films. Every film counts the same, however many queries it has. `random` is what
shuffling the film's shots would give on average: 1 - C(N - T, k) / C(N, k), for T true shots of N.

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL.

Quirk: N counts the shots of the film that any query is about: Movie101-GSR does not search shots without narration.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.types import Floats
from kataribe.grounding.items import Queries
from kataribe.grounding.panel import SYSTEM, PanelMetric, check_positive, count_option


@dataclass(frozen=True)
class ShotRecall(PanelMetric):
    name: ClassVar[str] = "shot_recall"
    title: ClassVar[str] = "R@k of shots, film by film"
    players: ClassVar[tuple[str, ...]] = ("random",)

    k: int = count_option(1, "how many shots may be tried")

    def __post_init__(self) -> None:
        check_positive(self, k=self.k)

    def scan_references(self, items: Queries) -> Counter[str]:
        """How many queries each film has."""
        if items.shots is None:
            return Counter()
        return Counter(items.videos[row] for row in np.flatnonzero(items.shots.true).tolist())

    def conclude(self, references: Any, predictions: Any) -> Any:
        if not references:
            raise UsageError("shot_recall needs the shots that show each query", hint="give `shots` in the references")
        return references

    def rows_of(self, player: str, items: Queries, context: Counter[str]) -> Floats:
        if items.shots is None:
            return np.zeros((len(items), 2))
        # A query weighs one of so many in its film: weights add up to the number of films.
        weights = np.array([1 / max(context[film], 1) for film in items.videos])
        weights = np.where(items.shots.true > 0, weights, 0.0)
        found = items.shots.rank < self.k if player == SYSTEM else self._by_chance(items.shots.true, items.shots.pool)
        return np.column_stack([weights, weights * found])

    def _by_chance(self, true: np.ndarray, pool: np.ndarray) -> Floats:
        missed = np.ones(len(true))
        for draw in range(self.k):
            left = np.maximum(pool - draw, 1)
            missed *= np.clip((pool - true - draw) / left, 0.0, 1.0)
        return np.asarray(np.where(true > 0, 1 - missed, 0.0))

    def signature(self, facts: Any) -> dict[str, str]:
        return {"k": str(self.k), "average": "film"}
