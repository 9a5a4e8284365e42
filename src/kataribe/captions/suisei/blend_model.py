"""A blend that scores: other metrics' values of each caption, and their weighted sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.suisei.blend import Blended
from kataribe.captions.suisei.model import CardOptions, member_tensors
from kataribe.captions.suisei.options import ModelOptions
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError
from kataribe.core.metric import Metric
from kataribe.core.types import Floats
from kataribe.learning.folder import Model


@dataclass(frozen=True, eq=False)
class BlendModel:
    """A weighted sum of other metrics."""

    folder: str
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
    def members(self) -> list[Blended]:
        try:
            own = [member_tensors(self.model.tensors, member) for member in range(self.about.members)]
            return [Blended.from_tensors(tensors) for tensors in own]
        except KeyError:
            raise InputError("its weights do not fit its card", file=self.folder, hint="train it again") from None

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:
        wanted = {metric.vectors for metric in self.metrics.values()}
        return "tokens" if "tokens" in wanted else "sentences" if "sentences" in wanted else None

    @property
    def needs_references(self) -> bool:
        return any(metric.needs_references for metric in self.metrics.values())

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
        lines = [line for name, metric in self.metrics.items() for line in metric.warnings(facts[name])]
        return list(dict.fromkeys(lines))

    def prepare(self, items: Captions, facts: dict[str, Any]) -> dict[str, Any]:
        return {name: metric.prepare(items, facts[name]) for name, metric in self.metrics.items()}

    def scores(self, items: Captions, context: dict[str, Any], draws: int = 0) -> Floats:
        columns = metric_columns(self.metrics, items, context)
        return np.stack([blended(columns) for blended in self.members])


def metric_columns(metrics: Mapping[str, Metric], items: Captions, contexts: Mapping[str, Any]) -> Floats:
    """Each metric's value and parts of each item, side by side; what is not defined or infinite counts as 0."""
    columns = []
    for name, metric in metrics.items():
        measured = metric.per_item(metric.stats(items, contexts[name]))
        columns += [measured.value, *measured.parts.values()]
    return np.nan_to_num(np.column_stack(columns), nan=0.0, posinf=0.0, neginf=0.0)
