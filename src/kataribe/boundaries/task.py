"""The task: predicted boundaries and annotators -> joined videos -> scores.

Several references are joined: a video that is in more than one has the annotators of all.

>>> import kataribe
>>> truth = {"v": {"duration": 10.0, "annotators": [[2.0, 5.0, 8.0]]}}
>>> result = kataribe.evaluate("boundaries", {"v": [2.1, 4.0, 7.8, 8.3]}, truth, ["boundary_f1"])
>>> round(result["boundary_f1"].value, 4)
0.5714
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from kataribe.boundaries.curves import curves
from kataribe.boundaries.files import Prediction, Unit, read_predictions
from kataribe.boundaries.items import Videos
from kataribe.boundaries.join import Missing, join
from kataribe.boundaries.several_truths import Truth, read_truths
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.join import Joined, data_fields
from kataribe.core.metric import Metric
from kataribe.core.options import TaskOptions, option
from kataribe.core.task import Defaults, Evaluation, Files, Names, Task
from kataribe.core.types import Curve

DEFAULT_METRICS = (
    "boundary_f1",
    "boundary_f1(confident)",
    "chance_f1",
    "boundary_kappa",
    "boundary_ap",
    "frame_ap",
    "informedness",
)
_COUNT_FRAMES = ("frame_ap", "informedness")


@dataclass(frozen=True)
class BoundaryOptions(TaskOptions):
    missing: Missing = option("zero", "Videos without prediction: zero, error or drop.", noun="policy")
    unit: Unit = option("seconds", "What predicted times are: seconds or frames.", noun="unit")
    min_consistency: float = option(0.3, "Skip videos whose annotators agree less; the published tool uses 0.3.")


class References(NamedTuple):
    """Every video's annotators, and what should be known about the joining of several files."""

    truth: Truth
    warnings: list[Caution]


def _read_references(source: Any, options: BoundaryOptions) -> References:
    return References(*read_truths(source))


def _join(
    predictions: Mapping[str, Prediction], references: References, options: BoundaryOptions, seed: int
) -> Joined[Videos]:
    videos, coverage, fields, warnings = join(
        predictions, references.truth, options.missing, options.unit, options.min_consistency
    )
    entries = _entries(videos, is_stored=fields["consistency"] == "stored")
    fields |= {"floorseed": str(seed), **data_fields(options.missing, coverage, entries)}
    return Joined(replace(videos, seed=seed), coverage, [*warnings, *references.warnings], fields)


def _entries(videos: Videos, *, is_stored: bool) -> Iterator[tuple[str, ...]]:
    """What tells one ground truth from another: everything in it that can move a number."""
    boundaries = iter([repr(times.tolist()) for times in videos.truth])
    for row, (id, consistency) in enumerate(zip(videos.ids, videos.annotators, strict=True)):
        annotators = islice(boundaries, len(consistency))
        # Consistency that was recomputed follows from the boundaries.
        stored = map(repr, consistency.tolist()) if is_stored else ()
        shape = (videos.durations[row], videos.fps[row], videos.frames[row])
        yield (id, *(str(value) for value in shape), *annotators, *stored)


def _parse(names: Names, options: BoundaryOptions) -> dict[str, Metric]:
    return registry.parse_all(names, "boundaries", protocol=options.protocol)


def _default_metrics(videos: Videos, options: BoundaryOptions) -> Defaults:
    """The metrics of the usual set that this ground truth can serve, and what is said of the others."""
    reasons: dict[str, str] = {}
    if np.isnan(videos.fps).any():
        reasons |= dict.fromkeys(_COUNT_FRAMES, "the ground truth has no fps")
    if len(videos) < 2 or np.all(videos.annotators.counts < 2):
        reasons["chance_f1"] = "it needs two videos and two annotators"
    if len(videos) < 2:
        reasons["boundary_kappa"] = "it needs two videos"
    left_out = [name for name in DEFAULT_METRICS if name in reasons]
    return Defaults(
        [name for name in DEFAULT_METRICS if name not in reasons],
        [Caution("metric-left-out", f"{name} was left out: {reasons[name]}") for name in left_out],
    )


def _curves(evaluation: Evaluation[BoundaryOptions, dict[str, Prediction], References, Videos]) -> tuple[Curve, ...]:
    return curves(evaluation.items, evaluation.options.protocol)


TASK = Task(
    name="boundaries",
    help="Score event boundaries: F1, chance-corrected F1 and average precision, beside people and blind guessing.",
    options=BoundaryOptions,
    predictions=Files("PRED", "The boundaries to score: JSON, JSONL, CSV, TSV, npz."),
    references=Files("TRUTH", "The annotators' boundaries: pickle, JSON, CSV; repeatable."),
    read_predictions=lambda source, options: read_predictions(source),
    read_references=_read_references,
    join=_join,
    parse=_parse,
    default_metrics=_default_metrics,
    curves=_curves,
)
