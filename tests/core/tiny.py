"""A fifth task, as a room of its own would have it: is the predicted number near the reference?

value = share of numbers that are less than `within` from their reference
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.core import registry
from kataribe.core.join import Joined, Wording, data_fields, describe_unmatched, match_ids
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.options import TaskOptions
from kataribe.core.options import option as declare
from kataribe.core.task import Defaults, Evaluation, Files, Names, Task
from kataribe.core.types import Array, Coverage, Floats


@dataclass(frozen=True)
class Numbers:
    ids: list[str]
    predicted: list[float]
    written: list[float]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: slice) -> Numbers:
        return Numbers(self.ids[rows], self.predicted[rows], self.written[rows])


@dataclass(frozen=True)
class Near(Metric):
    name: ClassVar[str] = "near"
    task: ClassVar[str] = "tiny"
    title: ClassVar[str] = "Near"
    columns: ClassVar[tuple[str, ...]] = ("items", "near")

    within: float = option(1.0, "how far is near", positional=True)

    def stats(self, items: Numbers, context: Any) -> Array:
        away = np.abs(np.array(items.predicted) - np.array(items.written))
        return np.column_stack([np.ones(len(items)), away < self.within])

    def measure(self, totals: Floats) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})


@dataclass(frozen=True)
class TinyOptions(TaskOptions):
    missing: Literal["error", "drop"] = declare("error", "Numbers without prediction: error or drop.", noun="policy")
    scale: int = declare(1, "What predictions are multiplied with.", minimum=1, hint="1 leaves them alone")


WORDS = Wording(
    items="numbers",
    missing={"drop": "left out"},
    hint="<missing drop> leaves them out",
    extra=("number is extra", "numbers are extra"),
    empty=("number is empty", "numbers are empty"),
)


def read(source: Any, options: TinyOptions) -> Mapping[str, float]:
    return source if isinstance(source, Mapping) else json.loads(Path(np.ravel([source])[0]).read_text())


def join(
    predictions: Mapping[str, float], references: Mapping[str, float], options: TinyOptions, seed: int
) -> Joined[Numbers]:
    unmatched = match_ids(predictions, references, options.missing, WORDS.hint)
    ids = [id for id in references if id in predictions]
    items = Numbers(ids, [predictions[id] * options.scale for id in ids], [references[id] for id in ids])
    coverage = Coverage(
        len(references), len(predictions), len(ids), missing=len(unmatched.absent), extra=len(unmatched.extra)
    )
    warnings = describe_unmatched(unmatched, [], len(references), options.missing, WORDS)
    return Joined(
        items, coverage, warnings, data_fields(options.missing, coverage, ((id, str(references[id])) for id in ids))
    )


def parse(names: Names, options: TinyOptions) -> dict[str, Metric]:
    return registry.parse_all(names, "tiny", protocol=options.protocol)


def content(evaluation: Evaluation[TinyOptions, Any, Any, Numbers]) -> dict[str, Any]:
    return dict(zip(evaluation.items.ids, evaluation.items.predicted, strict=True))


TASK = Task(
    name="tiny",
    help="Score numbers.",
    options=TinyOptions,
    predictions=Files("PRED", "The numbers to score: JSON."),
    references=Files("REF", "The true numbers: JSON."),
    read_predictions=read,
    read_references=read,
    join=join,
    parse=parse,
    default_metrics=lambda items, options: Defaults(["near"]),
    content=content,
)
