"""The task: predicted and reference stories -> joined items -> scores, and where people and chance stand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.join import Joined
from kataribe.core.metric import Metric
from kataribe.core.options import TaskOptions, option
from kataribe.core.result import Result
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.task import Defaults, Evaluation, Files, Names, Task
from kataribe.core.types import Story
from kataribe.formats.stories import Source, read_stories
from kataribe.formats.storytable import StoryTable
from kataribe.stories.anchored import with_anchors
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
from kataribe.stories.soda import Soda

DEFAULT_METRICS = ("soda(c)", "activitynet(2018)", "localisation")

Refs = Literal["pooled", "best", "mean"]


@dataclass(frozen=True)
class StoryOptions(TaskOptions):
    """`refs` and `missing` override what the protocol has for each metric. With `anchors` every metric also says what
    people and chance score on the same data, and the system against the references that people are scored against.
    """

    refs: Refs | None = option(None, "Several annotators in SODA: pooled, best or mean; default: the protocol's.")
    missing: Missing | None = option(
        None, "Videos without prediction: zero, drop or error; default: each metric's.", noun="policy"
    )
    segments: SegmentPolicy = option(
        "zero", "Reversed, empty or outside segments: zero (score 0) or error.", noun="policy"
    )
    anchors: bool = option(False, "Also score people and chance on the same data.")


class Usable(NamedTuple):
    """Stories whose durations can be used, and what was said of those that could not."""

    stories: StoryTable
    warnings: list[Caution]


def _read_predictions(source: Source, options: StoryOptions) -> Usable:
    return Usable(*usable_durations(read_stories(source), "predicted"))


def _read_references(source: Source | Sequence[Source], options: StoryOptions) -> list[Usable]:
    """One table for each annotator."""
    references = [Usable(*usable_durations(read_stories(each), "reference")) for each in _sources(source)]
    refuse_repeated_references([each.stories for each in references])
    return references


def _sources(references: Source | Sequence[Source]) -> list[Any]:
    """One source or several: a list of stories is one, a list of files or dictionaries is several."""
    if isinstance(references, str | Path | Mapping | StoryTable):
        return [references]
    sources = list(references)
    if not sources:
        raise UsageError("there are no references", hint="give <references>", options=["references"])
    return [sources] if isinstance(sources[0], Story) else sources


def _join(predictions: Usable, references: Sequence[Usable], options: StoryOptions, seed: int) -> Joined[Stories]:
    tables = [each.stories for each in references]
    oddities = list(predictions.warnings)
    for each in references:
        oddities += each.warnings + odd_segments(each.stories, "reference", options.segments)
    oddities += odd_segments(with_durations_of(tables, predictions.stories), "predicted", options.segments)
    items, coverage, warnings = join(predictions.stories, tables, options.missing, seed)
    # What was missing, and how much was scored, is each metric's own.
    return Joined(items, coverage, [*warnings, *oddities], {"hash": fingerprint_by_id(_entries(items))})


def _entries(items: Stories) -> Iterator[tuple[str, ...]]:
    """The references, video by video.

    The order of a video's captions and of the annotators is in it: captions that start together keep that order.
    """
    references, texts = items.references, items.pool.texts
    by_video = zip(items.ids, references.segments, items.annotator, references.texts, strict=True)
    for video, segments, annotator, indices in by_video:
        numbers = segments.tobytes().hex(), annotator.tobytes().hex()
        yield (video, *numbers, *(texts[index] for index in indices.tolist()))


def _parse(names: Names, options: StoryOptions) -> dict[str, Metric]:
    hint = "soda(c, text={metric}), paragraph({metric}) or segments({metric}) do"
    parsed = registry.parse_all(names, "stories", protocol=options.protocol, hint=hint)
    return {name: _with_refs(metric, options.refs) for name, metric in parsed.items()}


def _with_refs(metric: Metric, refs: Refs | None) -> Metric:
    """SODA with the annotators as the user wants them, where the metric does not say it itself.

    Sentence metrics inside others have an option of the same name, for something else.
    """
    if refs is None or not isinstance(metric, Soda) or metric.refs is not None:
        return metric
    return replace(metric, refs=refs)


_Evaluation = Evaluation[StoryOptions, Usable, list[Usable], Stories]


def _tables(evaluation: _Evaluation) -> list[StoryTable]:
    return [each.stories for each in evaluation.references]


def _cautions(evaluation: _Evaluation) -> Iterable[Caution]:
    return doubts(evaluation.predictions.stories, _tables(evaluation), evaluation.items, evaluation.metrics)


def _finish(result: Result, evaluation: _Evaluation) -> Result:
    """What was scored is known once metrics have left videos out; then people and chance, if they are asked for."""
    in_some_score = np.any([metric.statistics.any(axis=1) for metric in result], axis=0)
    result = replace(result, coverage=replace(result.coverage, scored=int(in_some_score.sum())))
    options, stories = evaluation.options, evaluation.predictions.stories
    if not options.anchors:
        return result
    return with_anchors(result, evaluation.metrics, stories, _tables(evaluation), options.missing, evaluation.run)


def _content(evaluation: _Evaluation) -> dict[str, Any]:
    """What was scored, by video, with durations as the first file that has one says."""
    durations: dict[str, float] = {}
    for table in [*_tables(evaluation), evaluation.predictions.stories]:
        for video, duration in zip(table.videos, table.durations.tolist(), strict=True):
            if not math.isnan(duration):
                durations.setdefault(video, duration)
    return content(evaluation.items, durations)


TASK = Task(
    name="stories",
    help="Score dense video captions: SODA c, ActivityNet 2018 and localisation unless -m says otherwise.",
    options=StoryOptions,
    predictions=Files("PRED", "The stories to score: JSON, JSONL, CSV, TSV, VTT, SRT or a folder; gz."),
    references=Files("REF", "One annotator's stories; repeatable."),
    read_predictions=_read_predictions,
    read_references=_read_references,
    join=_join,
    parse=_parse,
    default_metrics=lambda items, options: Defaults(DEFAULT_METRICS),
    cautions=_cautions,
    finish=_finish,
    content=_content,
)
