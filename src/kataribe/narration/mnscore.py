"""MNScore: content of the pictures, content of the text and roles, in one number.

    MNScore = (EMScore + 4 BERTScore + RoleF1) / 6, of the three corpus scores
    weights = a+b+c gives them other weights: (a EMScore + b BERTScore + c RoleF1) / (a + b + c)

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL. Its
weights agree best with people's rankings of 150 narrations.

Quirks. The paper prints it times 100, as tables do here. It is as comparable as its parts: EMScore with a ChineseCLIP
fine-tuned on Movie101, BERTScore of bert-base-chinese rescaled by bert_score's table. Other models are options of the
parts, `mnscore(bertscore=bertscore(bert-base-chinese, rescale=table, lang=zh))`, and are named in the signature.
EMScore needs the frames: videos, pictures or features. `kataribe agree --fit mnscore` finds the weights that agree
best with other people's rankings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Floats, Score
from kataribe.narration.items import Narrations

# What was scanned or concluded or prepared, of each part.
Parts = dict[str, Any]

PARTS = ("EMScore", "BERTScore", "RoleF1")
PAPER = (1.0, 4.0, 1.0)


def mnscore_of(emscore: float, bertscore: float, role_f1: float, *, weights: Sequence[float] = PAPER) -> float:
    """MNScore of its three parts, for whoever has them already.

    >>> [round(100 * mnscore_of(*row), 2) for row in [(0.153, 0.15, 0), (0.153, 0.185, 0.195), (0.154, 0.188, 0.238)]]
    [12.55, 18.13, 19.07]
    """
    parts = zip(weights, (emscore, bertscore, role_f1), strict=True)
    return sum(weight * part for weight, part in parts) / sum(weights)


@dataclass(frozen=True)
class MNScore(Metric):
    name: ClassVar[str] = "mnscore"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "MNScore"

    emscore: Spec = option(Spec("emscore", named=(("variant", "movie101"),)), "the metric beside the pictures")
    bertscore: Spec = option(Spec("bertscore"), "the metric beside the reference's text")
    role_f1: Spec = option(Spec("role_f1"), "the metric of roles")
    weights: tuple[float, ...] = option(PAPER, "of the three parts; they are divided by their sum")

    def __post_init__(self) -> None:
        is_usable = all(0 <= weight < math.inf for weight in self.weights) and sum(self.weights) > 0
        if len(self.weights) != len(PARTS) or not is_usable:
            written = "+".join(map(_short, self.weights))
            raise UsageError(
                f"mnscore(weights={written}): three weights are needed, none negative and not all 0",
                hint="the paper's are weights=1+4+1",
            )

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        specs = (self.emscore, self.bertscore, self.role_f1)
        metrics = {part: registry.parse(spec) for part, spec in zip(PARTS, specs, strict=True)}
        for metric in metrics.values():
            if metric.task not in ("captions", "narration"):
                raise UsageError(f"mnscore: {metric} does not score narrations but {metric.task}")
        return metrics

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"{part} {column}" for part, metric in self.metrics.items() for column in metric.columns)

    @property
    def group_by(self) -> str | None:  # type: ignore[override]
        return next((metric.group_by for metric in self.metrics.values() if metric.group_by), None)

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:  # type: ignore[override]
        wanted = {metric.vectors for metric in self.metrics.values()}
        return "tokens" if "tokens" in wanted else "sentences" if "sentences" in wanted else None

    def scan_references(self, items: Narrations) -> Parts:
        return {part: metric.scan_references(items) for part, metric in self.metrics.items()}

    def scan_predictions(self, items: Narrations) -> Parts:
        return {part: metric.scan_predictions(items) for part, metric in self.metrics.items()}

    def merge(self, scanned: Sequence[Parts]) -> Parts:
        return {part: metric.merge([shard[part] for shard in scanned]) for part, metric in self.metrics.items()}

    def conclude(self, references: Parts, predictions: Parts) -> Parts:
        return {part: metric.conclude(references[part], predictions[part]) for part, metric in self.metrics.items()}

    def prepare(self, items: Narrations, facts: Parts) -> Parts:
        return {part: metric.prepare(items, facts[part]) for part, metric in self.metrics.items()}

    def stats(self, items: Narrations, context: Parts) -> Array:
        rows = [metric.stats(items, context[part]) for part, metric in self.metrics.items()]
        return np.hstack([np.asarray(table, dtype=np.float64) for table in rows])

    def measure(self, totals: Floats) -> Measured:
        values = {part: metric.measure(columns).value for part, metric, columns in self._parts_of(totals)}
        return Measured(self._weigh(values), values)

    def reduce(self, statistics: Array) -> Score:
        values = {part: metric.reduce(columns).value for part, metric, columns in self._parts_of(statistics)}
        return Score(mnscore_of(*values.values(), weights=self.weights), values)

    def per_item(self, statistics: Array) -> Measured:
        values = {part: metric.per_item(columns).value for part, metric, columns in self._parts_of(statistics)}
        return Measured(self._weigh(values), values)

    def replicates(self, statistics: Array, weights: Array) -> Floats:
        parts = self._parts_of(statistics)
        return self._weigh({part: metric.replicates(columns, weights) for part, metric, columns in parts})

    def signature(self, facts: Parts) -> dict[str, str]:
        fields = {"weights": "+".join(map(_short, self.weights))}
        for part, metric in self.metrics.items():
            short = part.removesuffix("Score").removesuffix("F1").lower()
            fields[short] = metric.name
            fields |= {f"{short}.{key}": value for key, value in metric.signature(facts[part]).items()}
        return fields

    def warnings(self, facts: Parts) -> Sequence[Caution]:
        return [line for part, metric in self.metrics.items() for line in metric.warnings(facts[part])]

    def _parts_of(self, table: Array) -> Iterator[tuple[str, Metric, Array]]:
        """Each part with its columns."""
        start = 0
        for part, metric in self.metrics.items():
            end = start + len(metric.columns)
            yield part, metric, table[..., start:end]
            start = end

    def _weigh(self, values: dict[str, Floats]) -> Floats:
        parts = zip(self.weights, values.values(), strict=True)
        return np.asarray(sum(weight * value for weight, value in parts) / sum(self.weights))


def _short(weight: float) -> str:
    """
    >>> _short(4.0), _short(0.123)
    ('4', '0.123')
    """
    return str(int(weight)) if weight.is_integer() else repr(weight)
