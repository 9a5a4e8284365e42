"""Models that are a weighted sum of other metrics' scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.suisei.blend import Blended
from kataribe.captions.suisei.model import CardOptions, Scored
from kataribe.captions.suisei.options import ModelOptions
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.metric import Metric
from kataribe.core.types import Floats
from kataribe.learning.folder import Model


@dataclass(frozen=True, eq=False)
class BlendModel:
    """A weighted sum of other metrics."""

    model: Model
    about: CardOptions
    options: ModelOptions

    @property
    def signature(self) -> str:
        return self.model.signature

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        return {name: registry.parse(name) for name in self.about.metrics}

    @cached_property
    def blended(self) -> list[Blended]:
        return [
            Blended.from_tensors(
                {
                    name.removeprefix(f"member{member}."): tensor
                    for name, tensor in self.model.tensors.items()
                    if name.startswith(f"member{member}.")
                }
            )
            for member in range(self.about.members)
        ]

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:
        wanted = {metric.vectors for metric in self.metrics.values()}
        return "tokens" if "tokens" in wanted else "sentences" if "sentences" in wanted else None

    def scan_references(self, items: Captions) -> dict[str, Any]:
        return {name: metric.scan_references(items) for name, metric in self.metrics.items()}

    def scan_predictions(self, items: Captions) -> dict[str, Any]:
        return {name: metric.scan_predictions(items) for name, metric in self.metrics.items()}

    def merge(self, scanned: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {name: metric.merge([shard[name] for shard in scanned]) for name, metric in self.metrics.items()}

    def conclude(self, references: dict[str, Any], predictions: dict[str, Any]) -> dict[str, Any]:
        return {name: metric.conclude(references[name], predictions[name]) for name, metric in self.metrics.items()}

    def fields(self, facts: dict[str, Any]) -> dict[str, str]:
        signed = {name: metric.signature(facts[name]) for name, metric in self.metrics.items()}
        return {"of": "+".join(f"{name}[{','.join(f'{k}={v}' for k, v in s.items())}]" for name, s in signed.items())}

    def warnings(self, facts: dict[str, Any]) -> Sequence[Caution]:
        return [line for name, metric in self.metrics.items() for line in metric.warnings(facts[name])]

    def prepare(self, items: Captions, facts: dict[str, Any]) -> Scored:
        return Scored({name: metric.prepare(items, facts[name]) for name, metric in self.metrics.items()}, facts)

    def scores(self, items: Captions, context: Scored, draws: int = 0) -> Floats:
        columns = metric_columns(self.metrics, items, context.source)
        return np.stack([blended(columns) for blended in self.blended])


def metric_columns(metrics: Mapping[str, Metric], items: Captions, contexts: Mapping[str, Any]) -> Floats:
    """Each metric's value and parts of each item, side by side; what is not defined counts as 0."""
    columns = []
    for name, metric in metrics.items():
        measured = metric.per_item(metric.stats(items, contexts[name]))
        columns += [measured.value, *measured.parts.values()]
    return np.nan_to_num(np.column_stack(columns)) if len(items) else np.zeros((0, len(columns)))
