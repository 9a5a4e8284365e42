"""A mix that scores: the mean of a blend and of networks, both of one folder.

    score = (blend(x) + residual(c, r, v)) / 2

Member k of the mix is the mean of member k of both. The tensors of the two stand under names of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.suisei.blend_model import BlendModel
from kataribe.captions.suisei.model import CardOptions, under
from kataribe.captions.suisei.network_model import NetworkModel
from kataribe.captions.suisei.options import ModelOptions
from kataribe.core.caution import Caution
from kataribe.core.types import Floats
from kataribe.learning.folder import Model

BLEND, NETWORKS = "blend.", "networks."


class Both(NamedTuple):
    """What a step gives for the blend, and for the networks."""

    blend: Any
    networks: Any


@dataclass(frozen=True, eq=False)
class MeanModel:
    """`moved_encoder` is where the networks' text encoder is now."""

    folder: str
    model: Model
    about: CardOptions
    options: ModelOptions
    moved_encoder: str = ""
    vectors: Literal["tokens", "sentences"] | None = "tokens"
    needs_references: bool = True

    @property
    def signature(self) -> str:
        return self.model.signature

    @cached_property
    def blend(self) -> BlendModel:
        return BlendModel(self.folder, self._half(BLEND), self.about, ModelOptions(head="blend"))

    @cached_property
    def networks(self) -> NetworkModel:
        options = replace(self.options, head="residual")
        return NetworkModel(self.folder, self._half(NETWORKS), self.about, options, self.moved_encoder)

    def _half(self, start: str) -> Model:
        return Model(self.model.card, under(self.model.tensors, start), self.model.parts)

    def scan_references(self, items: Captions) -> Both:
        return Both(self.blend.scan_references(items), self.networks.scan_references(items))

    def scan_predictions(self, items: Captions) -> Both:
        return Both(self.blend.scan_predictions(items), self.networks.scan_predictions(items))

    def merge(self, scanned: Sequence[Both]) -> Both:
        return Both(
            self.blend.merge([shard.blend for shard in scanned]),
            self.networks.merge([shard.networks for shard in scanned]),
        )

    def conclude(self, references: Both, predictions: Both) -> Both:
        return Both(
            self.blend.conclude(references.blend, predictions.blend),
            self.networks.conclude(references.networks, predictions.networks),
        )

    def fields(self, facts: Both) -> dict[str, str]:
        return {**self.blend.fields(facts.blend), **self.networks.fields(facts.networks)}

    def warnings(self, facts: Both) -> Sequence[Caution]:
        found = [*self.blend.warnings(facts.blend), *self.networks.warnings(facts.networks)]
        return list(dict.fromkeys(found))

    def prepare(self, items: Captions, facts: Both) -> Both:
        return Both(self.blend.prepare(items, facts.blend), self.networks.prepare(items, facts.networks))

    def scores(self, items: Captions, context: Both, draws: int = 0) -> Floats:
        # First: it says which items lack a reference.
        networks = self.networks.scores(items, context.networks, draws)
        blend = self.blend.scores(items, context.blend)
        return mean_of_draws(blend, networks) if draws else mean_of(blend, networks)


def mean_of(blend: Floats, networks: Floats) -> Floats:
    """Of the scores of each member, (members, items)."""
    return (blend + networks) / 2


def mean_of_draws(blend: Floats, draws: Floats) -> Floats:
    """The members of the blend take turns, as those of the networks do."""
    return (blend[np.arange(len(draws)) % len(blend)] + draws) / 2
