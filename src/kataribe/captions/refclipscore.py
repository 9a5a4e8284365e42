"""RefCLIPScore: CLIPScore and the cosine to the best reference, as a harmonic mean.

    RefCLIPScore(c, R, v) = 2 a b / (a + b), a = CLIPScore(c, v) = 2.5 max(0, cos(c, v)),
                            b = max(0, max over references r of cos(c, r))

Hessel, J., Holtzman, A., Forbes, M., Le Bras, R., Choi, Y. (2021). CLIPScore: a reference-free evaluation metric for
image captioning. EMNLP.

Quirks. As for clipscore. References are encoded after the same words as candidates, and their cosine is not scaled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.captions.clipscore import PromptedMetric, clip_scores
from kataribe.captions.greedy import harmonic_mean
from kataribe.captions.items import Captions
from kataribe.captions.pictured import Pictured, PicturedFacts
from kataribe.core.metric import Measured
from kataribe.core.types import Array, Floats


@dataclass(frozen=True)
class RefClipScore(PromptedMetric):
    name: ClassVar[str] = "refclipscore"
    title: ClassVar[str] = "RefCLIPScore"
    columns: ClassVar[tuple[str, ...]] = ("items", "refclipscore", "clipscore", "reference")
    uses_references: ClassVar[bool] = True

    def stats(self, items: Captions, context: Pictured) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        captions = items.uncut()
        each = captions.references.spread(context.candidates(items))
        cosines = np.einsum("ij,ij->i", each, context.references(items), dtype=np.float64)
        best = np.maximum(captions.of_pairs(cosines).max(), 0)
        scores = clip_scores(items, context)
        return np.column_stack([np.ones(len(items)), harmonic_mean(scores, best), scores, best])

    def measure(self, totals: Floats) -> Measured:
        value, picture, reference = (totals[..., column] / totals[..., 0] for column in (1, 2, 3))
        return Measured(value, {"clipscore": picture, "reference": reference})

    def signature(self, facts: PicturedFacts) -> dict[str, str]:
        return super().signature(facts) | {"refs": "best"}
