"""What an evaluation returns: scores, the items behind them, the statistics behind those, and what was chosen.

A result survives a round trip through JSON, so that comparing, resampling and drawing never score anything twice.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.document import D, Document, any_of_kind, read_documents
from kataribe.core.errors import InputError, UsageError, nearest
from kataribe.core.groups import Groups
from kataribe.core.older_results import anchors_of, fill_directions_and_units, number_of, warning_of
from kataribe.core.tables import render
from kataribe.core.types import Anchors, Array, Coverage, Curve, Floats, Score
from kataribe.core.unit import Direction, Unit, checked


@dataclass(frozen=True)
class MetricResult:
    """One metric on one set of items. Row i of every array belongs to ids[i].

    `metric` is what was asked for, `spec` what that came to under the protocol and the options of the task; a metric
    parsed from `spec` can reduce the statistics again. `direction` and `unit` are the metric's own words, so that
    whoever reads a result needs no metric for them.
    """

    metric: str
    spec: str
    score: Score
    interval: tuple[float, float] | None
    signature: str
    direction: Direction
    unit: Unit
    ids: tuple[str, ...]
    item_values: Floats
    item_parts: Mapping[str, Floats]
    columns: tuple[str, ...]
    statistics: Array
    details: Sequence[Any] | None = None
    anchors: Anchors | None = None

    @property
    def value(self) -> float:
        return self.score.value

    @property
    def parts(self) -> Mapping[str, float]:
        return self.score.parts

    @cached_property
    def items(self) -> dict[str, Score]:
        """The score of each item by its id."""
        values = self.item_values.tolist()
        parts = {name: part.tolist() for name, part in self.item_parts.items()}
        return {
            id: Score(values[row], {name: part[row] for name, part in parts.items()}) for row, id in enumerate(self.ids)
        }

    @property
    def lower_is_better(self) -> bool:
        return self.direction == "lower"

    @property
    def normalised(self) -> float | None:
        """Where the system stands between chance (0) and people (1), all scored against the same references."""
        return self.anchors.normalised if self.anchors else None

    def has_documents(self, kind: type[Document]) -> bool:
        return any_of_kind(self.details or (), kind)

    def documents(self, kind: type[D], *, file: str | None = None) -> dict[str, list[D]]:
        """For each item what the metric has to show, where it is of this kind: word alignments, say."""
        by_id = dict(zip(self.ids, self.details or (), strict=self.details is not None))
        return read_documents(by_id, kind, file=file, field=f"details of {self.metric}")

    def summary(self) -> dict[str, Any]:
        summary = {
            "value": self.value,
            "parts": dict(self.parts),
            "interval": list(self.interval) if self.interval else None,
            "signature": self.signature,
            "direction": self.direction,
            "unit": self.unit,
        }
        if self.anchors:
            summary["anchors"] = asdict(self.anchors) | {"normalised": self.normalised}
        return summary

    def to_dict(self) -> dict[str, Any]:
        rows = zip(self.ids, self.statistics.tolist(), strict=True)
        full = self.summary() | {
            "spec": self.spec,
            "items": {id: {"value": score.value, **score.parts} for id, score in self.items.items()},
            "statistics": {"columns": list(self.columns), "rows": dict(rows)},
        }
        if self.details is not None:
            full["details"] = dict(zip(self.ids, self.details, strict=True))
        return full

    @classmethod
    def from_dict(cls, metric: str, data: Mapping[str, Any]) -> MetricResult:
        items, rows = data["items"], data["statistics"]["rows"]
        ids = tuple(items)
        names = list(data["parts"])
        columns = tuple(data["statistics"]["columns"])
        details, anchors = data.get("details"), data.get("anchors")
        return cls(
            metric=metric,
            spec=data["spec"],
            score=Score(number_of(data["value"]), {name: number_of(part) for name, part in data["parts"].items()}),
            interval=tuple(data["interval"]) if data["interval"] else None,
            signature=data["signature"],
            direction=checked(data["direction"], Direction),
            unit=checked(data["unit"], Unit),
            ids=ids,
            item_values=np.array([items[id]["value"] for id in ids], dtype=np.float64),
            item_parts={name: np.array([items[id].get(name) for id in ids], dtype=np.float64) for name in names},
            columns=columns,
            statistics=np.array([rows[id] for id in ids]).reshape(len(ids), len(columns)),
            details=[details[id] for id in ids] if details is not None else None,
            anchors=anchors_of(anchors) if anchors else None,
        )


@dataclass(frozen=True)
class Result:
    """All metrics of one evaluation.

    `result["meteor"].value`, `result["meteor"].items["some id"]`, `result.table()`, `result.to_json()`. `content`
    is what was scored, by id, for whoever wants to show it (`scored` gives it typed); `curves` are scores under
    changed conditions; `groups` are items that belong together, such as the queries of one film.
    """

    task: str
    metrics: Mapping[str, MetricResult]
    coverage: Coverage
    warnings: tuple[Caution, ...]
    version: str
    content: Mapping[str, Any] | None = None
    curves: tuple[Curve, ...] = ()
    groups: Groups | None = None

    def __getitem__(self, metric: str) -> MetricResult:
        if metric in self.metrics:
            return self.metrics[metric]
        try:
            return self.metrics[str(registry.parse(metric))]
        except (KeyError, UsageError):
            raise UsageError(f"this result has no {metric!r}", hint=nearest(metric, self.metrics)) from None

    def __iter__(self) -> Iterator[MetricResult]:
        return iter(self.metrics.values())

    def has_scored(self, kind: type[Document]) -> bool:
        return any_of_kind((self.content or {}).values(), kind)

    def scored(self, kind: type[D], *, file: str | None = None) -> dict[str, D]:
        """What was scored, by id, where it is of this kind: captions with their references, say."""
        found = read_documents(self.content or {}, kind, file=file, field="content")
        return {id: documents[0] for id, documents in found.items() if documents}

    def by_group(self) -> dict[str, dict[str, float]]:
        """The value of every metric for each group of items; nothing where items have no groups."""
        if self.groups is None:
            return {}
        values = {
            result.metric: self.groups.values(metric, result.ids, result.statistics)
            for result in self
            if (metric := registry.find(result.spec)) and tuple(metric.columns) == result.columns
        }
        return {group: {name: of[group] for name, of in values.items()} for group in self.groups.names}

    def summary(self) -> dict[str, Any]:
        """The answer without the items: what the command line prints as JSON."""
        summary = {
            "kataribe": self.version,
            "task": self.task,
            "metrics": {name: metric.summary() for name, metric in self.metrics.items()},
            "coverage": asdict(self.coverage),
            "warnings": [warning.to_dict() for warning in self.warnings],
        }
        if self.groups is not None:
            summary["groups"] = {"kind": self.groups.kind, "scores": self.by_group()}
        return summary

    def to_json(self) -> str:
        """Everything, as `-o` writes it and `from_json` reads it."""
        full = self.summary() | {"metrics": {name: metric.to_dict() for name, metric in self.metrics.items()}}
        if self.content is not None:
            full["content"] = self.content
        if self.curves:
            full["curves"] = [asdict(curve) for curve in self.curves]
        if self.groups is not None:
            full["groups"] |= {"of": dict(self.groups.of)}
        return msgspec.json.encode(full).decode()

    @classmethod
    def from_json(cls, text: str | bytes, *, file: str | Path | None = None) -> Result:
        hint = "give a file that `kataribe score ... -o` wrote"
        try:
            data = msgspec.json.decode(text)
            unknown = fill_directions_and_units(data["metrics"])
            return cls(
                task=data["task"],
                metrics={name: MetricResult.from_dict(name, metric) for name, metric in data["metrics"].items()},
                coverage=Coverage(**data["coverage"]),
                warnings=(*map(warning_of, data["warnings"]), *unknown),
                version=data["kataribe"],
                content=data.get("content"),
                curves=tuple(Curve(**curve) for curve in data.get("curves", ())),
                groups=Groups(data["groups"]["kind"], data["groups"]["of"]) if "groups" in data else None,
            )
        except msgspec.DecodeError as error:
            raise InputError(f"is not JSON ({error})", file=file, hint=hint) from None
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError("is not a kataribe result", file=file, hint=hint) from None

    def table(self, format: str = "table") -> str:
        return render(self, format)

    def to_csv(self) -> str:
        """One row per item, one column per metric and part: what `-o FILE.csv` writes and `agree` reads."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        columns = {name: column.tolist() for name, column in self._item_columns().items()}
        writer.writerow(["item", *columns])
        ids = next(iter(self)).ids if self.metrics else ()
        writer.writerows([id, *(column[row] for column in columns.values())] for row, id in enumerate(ids))
        return out.getvalue()

    def _item_columns(self) -> dict[str, Floats]:
        columns: dict[str, Floats] = {}
        for metric in self:
            columns[metric.metric] = metric.item_values
            columns |= {f"{metric.metric}.{name}": part for name, part in metric.item_parts.items()}
        return columns

    def to_pandas(self) -> Any:
        """One row per item, one column per metric and part; needs pandas."""
        import pandas as pd

        index = next(iter(self)).ids if self.metrics else ()
        return pd.DataFrame(self._item_columns(), index=pd.Index(index, name="id"))
