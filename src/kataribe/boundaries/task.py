"""The task: predicted boundaries and annotators -> joined videos -> scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from kataribe.boundaries.curves import curves
from kataribe.boundaries.files import Source, Unit, read_predictions
from kataribe.boundaries.items import Videos
from kataribe.boundaries.join import MISSING, Missing, join
from kataribe.boundaries.several_truths import read_truths
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError, shorten
from kataribe.core.join import missing_field
from kataribe.core.metric import Metric
from kataribe.core.progress import Progress
from kataribe.core.result import Result
from kataribe.core.run import run
from kataribe.core.signature import fingerprint_by_id
from kataribe.engines.local import LocalEngine

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
MIN_CONSISTENCY = 0.3


def evaluate(
    predictions: Source,
    references: Source | Sequence[Source],
    metrics: Sequence[str | Metric] | None = None,
    *,
    protocol: str = "official",
    missing: Missing = "zero",
    unit: Unit = "seconds",
    min_consistency: float = MIN_CONSISTENCY,
    engine: LocalEngine | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    details: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Score predicted boundaries against annotators, from files or plain dictionaries.

    Several references are joined: a video that is in more than one has the annotators of all.

    >>> truth = {"v": {"duration": 10.0, "annotators": [[2.0, 5.0, 8.0]]}}
    >>> result = evaluate({"v": [2.1, 4.0, 7.8, 8.3]}, truth, ["boundary_f1"])
    >>> round(result["boundary_f1"].value, 4)
    0.5714
    """
    names = DEFAULT_METRICS if metrics is None else metrics
    chosen = registry.parse_all(names, "boundaries", protocol=protocol)
    if missing not in MISSING:
        raise UsageError(f"no policy is called {shorten(missing)!r}", hint=f"--missing {', '.join(MISSING)}")
    check_unit(unit)
    if seed < 0:
        raise UsageError(f"--seed {seed}: cannot be negative")
    truth, about_truth = read_truths(references)
    videos, coverage, fields, warnings = join(read_predictions(predictions), truth, missing, unit, min_consistency)
    videos, warnings = replace(videos, seed=seed), [*warnings, *about_truth]
    if metrics is None:
        chosen, unfit = _fit(chosen, videos)
        warnings += unfit
    fields |= {
        "floorseed": str(seed),
        "missing": missing_field(missing, coverage.missing),
        "data": f"{coverage.scored}/{coverage.references}",
        "hash": _fingerprint(videos, fields["consistency"] == "stored"),
    }
    result = run(
        "boundaries",
        chosen,
        videos,
        coverage=coverage,
        fields=fields,
        warnings=warnings,
        engine=engine or LocalEngine(),
        bootstrap=bootstrap,
        seed=seed,
        details=details,
        progress=progress,
    )
    return replace(result, curves=curves(videos, protocol)) if details else result


def check_unit(unit: str) -> None:
    if unit not in ("seconds", "frames"):
        raise UsageError(f"no unit is called {shorten(unit)!r}", hint="--unit seconds or frames")


def _fit(metrics: Mapping[str, Metric], videos: Videos) -> tuple[dict[str, Metric], list[Caution]]:
    """The metrics of the usual set that this ground truth can serve, and what is said of the others."""
    reasons: dict[str, str] = {}
    if np.isnan(videos.fps).any():
        reasons |= dict.fromkeys(_COUNT_FRAMES, "the ground truth has no fps")
    if len(videos) < 2 or np.all(videos.annotators.counts < 2):
        reasons["chance_f1"] = "it needs two videos and two annotators"
    if len(videos) < 2:
        reasons["boundary_kappa"] = "it needs two videos"
    warnings = [
        Caution("metric-left-out", f"{name} was left out: {reasons[metric.name]}")
        for name, metric in metrics.items()
        if metric.name in reasons
    ]
    return {name: metric for name, metric in metrics.items() if metric.name not in reasons}, warnings


def _fingerprint(videos: Videos, is_stored: bool) -> str:
    """What tells one ground truth from another: everything in it that can move a number."""
    entries = []
    marked = iter([repr(times.tolist()) for times in videos.truth])
    for row, (id, consistency) in enumerate(zip(videos.ids, videos.annotators, strict=True)):
        annotators = islice(marked, len(consistency))
        # Consistency that was recomputed follows from the boundaries.
        stored = map(repr, consistency.tolist()) if is_stored else ()
        shape = (videos.durations[row], videos.fps[row], videos.frames[row])
        entries.append((id, *(str(value) for value in shape), *annotators, *stored))
    return fingerprint_by_id(entries)
