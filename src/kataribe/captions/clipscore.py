"""CLIPScore: how near a caption is to its picture in the space of a model that knows both. No references.

    CLIPScore(c, v) = w max(0, cos(c, v)), w = 2.5; c is encoded after the words "A photo depicts"

Hessel, J., Holtzman, A., Forbes, M., Le Bras, R., Choi, Y. (2021). CLIPScore: a reference-free evaluation metric for
image captioning. EMNLP.

Quirks. The number depends on the model; the paper's is openai/clip-vit-base-patch32. Values may exceed 1. For a clip of
several frames v is the mean of the frames' vectors. The corpus value is the mean over items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.pictured import Pictured, PicturedFacts, PicturedMetric
from kataribe.core.metric import Measured, option
from kataribe.core.types import Array, Floats
from kataribe.encoders.clip import DEFAULT

WEIGHT = 2.5
PREFIX = "A photo depicts"


@dataclass(frozen=True)
class PromptedMetric(PicturedMetric):
    """What CLIPScore and RefCLIPScore share: a model, and words that every text is encoded after."""

    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    vectors: ClassVar[Literal["tokens", "sentences"] | None] = "sentences"

    model: str = option(DEFAULT, "a model of texts and pictures: a name of the hub or a folder", positional=True)
    prefix: str = option(PREFIX, "the words before every text")

    @property
    def encoder_name(self) -> str:
        return self.model

    @property
    def words_before(self) -> str:
        return spaced(self.prefix)

    def prepare(self, items: Captions, facts: PicturedFacts) -> Pictured:
        return self.look_at(items)

    def signature(self, facts: PicturedFacts) -> dict[str, str]:
        return facts.signature | {"w": str(WEIGHT), "prefix": "given" if facts.is_given else self.prefix}


@dataclass(frozen=True)
class ClipScore(PromptedMetric):
    name: ClassVar[str] = "clipscore"
    title: ClassVar[str] = "CLIPScore"
    columns: ClassVar[tuple[str, ...]] = ("items", "clipscore")

    @property
    def needs_references(self) -> bool:
        return False

    def stats(self, items: Captions, context: Pictured) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        return np.column_stack([np.ones(len(items)), clip_scores(items, context)])

    def measure(self, totals: Floats) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})


def clip_scores(items: Captions, pictured: Pictured) -> Floats:
    """CLIPScore of each item."""
    cosines = np.einsum("ij,ij->i", pictured.candidates(items), pictured.pictures(items.ids), dtype=np.float64)
    scores: Floats = WEIGHT * np.maximum(cosines, 0)
    return scores


def spaced(prefix: str) -> str:
    """
    >>> spaced("A photo depicts"), spaced("")
    ('A photo depicts ', '')
    """
    return f"{prefix.rstrip()} " if prefix.strip() else ""
