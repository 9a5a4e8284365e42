"""The task: predicted and reference stories -> joined items -> scores, and where people and chance stand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError, shorten
from kataribe.core.metric import Metric
from kataribe.core.progress import Progress
from kataribe.core.result import Result
from kataribe.core.run import run
from kataribe.core.signature import fingerprint_by_id, with_field
from kataribe.core.types import Anchors, Story
from kataribe.engines.local import LocalEngine
from kataribe.formats.stories import Source, read_stories
from kataribe.formats.storytable import StoryTable
from kataribe.stories.anchors import describe_chance, describe_rounds, null_predictions, rounds
from kataribe.stories.describe import content
from kataribe.stories.doubts import doubts
from kataribe.stories.items import Missing, Stories
from kataribe.stories.join import (
    SegmentPolicy,
    join,
    odd_segments,
    refuse_repeated_references,
    usable_durations,
    with_durations_of,
)
from kataribe.stories.segments import Segments
from kataribe.stories.soda import Soda

DEFAULT_METRICS = ("soda(c)", "activitynet(2018)", "localisation")

REFS = ("pooled", "best", "mean")
MISSING: tuple[Missing, ...] = ("zero", "drop", "error")
SEGMENTS: tuple[SegmentPolicy, ...] = ("zero", "error")


def evaluate(
    predictions: Source,
    references: Source | Sequence[Source],
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    protocol: str = "official",
    refs: str | None = None,
    missing: Missing | None = None,
    segments: SegmentPolicy = "zero",
    anchors: bool = False,
    engine: LocalEngine | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    details: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Score predicted stories against one annotator's or several annotators', from files or plain dictionaries.

    `refs` and `missing` override what the protocol has for each metric. With `anchors` every metric also says what
    people and chance score on the same data, and the system against the references that people are scored against.
    """
    _check("--refs", refs, REFS)
    _check("--missing", missing, MISSING)
    _check("--segments", segments, SEGMENTS)
    sentence_hint = "soda(c, text={metric}), paragraph({metric}) or segments({metric}) do"
    parsed = registry.parse_all(metrics, "stories", protocol=protocol, hint=sentence_hint)
    chosen = {name: _with_refs(metric, refs) for name, metric in parsed.items()}
    predicted, oddities = usable_durations(read_stories(predictions), "predicted")
    told = []
    for source in _sources(references):
        table, found = usable_durations(read_stories(source), "reference")
        told.append(table)
        oddities += found + odd_segments(table, "reference", segments)
    oddities += odd_segments(with_durations_of(told, predicted), "predicted", segments)
    refuse_repeated_references(told)
    items, coverage, warnings = join(predicted, told, missing, seed)
    result = run(
        "stories",
        chosen,
        items,
        coverage=coverage,
        fields={"hash": _fingerprint(items)},
        warnings=[*warnings, *oddities, *doubts(predicted, told, items, chosen)],
        engine=engine or LocalEngine(),
        bootstrap=bootstrap,
        seed=seed,
        details=details,
        progress=progress,
    )
    in_some_score = np.any([metric.statistics.any(axis=1) for metric in result], axis=0)
    result = replace(result, coverage=replace(coverage, scored=int(in_some_score.sum())))
    if anchors:
        result = _with_anchors(result, chosen, predicted, told, missing, engine, seed, progress)
    return replace(result, content=content(items, _durations([*told, predicted]))) if details else result


def _with_refs(metric: Metric, refs: str | None) -> Metric:
    """SODA with the annotators as the user wants them, where the metric does not say it itself.

    Sentence metrics inside others have an option of the same name, for something else.
    """
    if refs is None or not isinstance(metric, Soda) or metric.refs is not None:
        return metric
    chosen: dict[str, Any] = {"refs": refs}
    return replace(metric, **chosen)


def _sources(references: Source | Sequence[Source]) -> list[Any]:
    """One source or several: a list of stories is one, a list of files or dictionaries is several."""
    if isinstance(references, str | Path | Mapping | StoryTable):
        return [references]
    sources = list(references)
    if not sources:
        raise UsageError("there are no references", hint="give at least one file with -r")
    return [sources] if isinstance(sources[0], Story) else sources


def _durations(tables: Sequence[StoryTable]) -> dict[str, float]:
    """How long each video is, as the first file that tells it says."""
    durations: dict[str, float] = {}
    for table in tables:
        for video, duration in zip(table.videos, table.durations.tolist(), strict=True):
            if not math.isnan(duration):
                durations.setdefault(video, duration)
    return durations


def _check(option: str, value: str | None, allowed: Iterable[str]) -> None:
    if value is not None and value not in allowed:
        raise UsageError(f"{option} {shorten(value)}: there is no such choice", hint=f"{option} {', '.join(allowed)}")


def _fingerprint(items: Stories) -> str:
    """Of the references, whatever the order of the videos.

    The order of a video's captions and of the annotators is in it: captions that start together keep that order.
    """
    references, texts = items.references, items.pool.texts
    by_video = zip(items.ids, references.segments, items.annotator, references.texts, strict=True)
    return fingerprint_by_id(
        (video, segments.tobytes().hex(), annotator.tobytes().hex(), *(texts[index] for index in indices.tolist()))
        for video, segments, annotator, indices in by_video
    )


def _with_anchors(
    result: Result,
    metrics: Mapping[str, Metric],
    predicted: StoryTable,
    references: Sequence[StoryTable],
    missing: Missing | None,
    engine: LocalEngine | None,
    seed: int,
    progress: Progress | None,
) -> Result:
    # Only a captioner that was told the segments can be scored on given segments: people and chance cannot.
    metrics = {name: metric for name, metric in metrics.items() if not isinstance(metric, Segments)}
    if not metrics:
        raise UsageError("segments(...) has no anchors: nobody told people the segments", hint="leave --anchors out")

    def mean(scored: Sequence[tuple[StoryTable, Sequence[StoryTable]]]) -> dict[str, float]:
        runs = []
        for predictions, against in scored:
            items, coverage, _ = join(predictions, against, missing, seed)
            runs.append(
                run(
                    "stories",
                    metrics,
                    items,
                    coverage=coverage,
                    fields={},
                    engine=engine or LocalEngine(),
                    progress=progress,
                )
            )
        return {name: float(np.mean([found.metrics[name].value for found in runs])) for name in metrics}

    turns = rounds(references, predicted.videos)
    against: list[Sequence[StoryTable]] = [turn.references for turn in turns] or [references]
    chance = null_predictions(references, seed)
    people = mean([(turn.left_out, turn.references) for turn in turns]) if turns else None
    null = mean([(chance, stories) for stories in against])
    system = mean([(predicted, stories) for stories in against])
    said = describe_rounds(len(references), len(turns))
    conditions = describe_chance(chance, len(turns), seed)
    anchored = {
        name: replace(
            metric,
            anchors=Anchors(people[name] if people else None, null[name], system[name], said),
            signature=with_field(metric.signature, "anchors", conditions),
        )
        for name, metric in result.metrics.items()
        if name in metrics
    }
    warnings = result.warnings
    if not turns:
        text = "no video was told by two annotators, which says nothing about how well people agree: no human anchor"
        warnings += (Caution("no-human-anchor", text),)
    return replace(result, metrics={**result.metrics, **anchored}, warnings=warnings)
