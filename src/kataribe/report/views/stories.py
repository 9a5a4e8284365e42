"""Stories: reference and predicted captions on a time axis, and which of them a metric aligned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kataribe.core.result import MetricResult, Result
from kataribe.report.views import Fact, Results, View
from kataribe.report.views.packing import packed_scores, packed_time, read_as


class _Caption(msgspec.Struct):
    # A segment that was no number is null in the file.
    segment: tuple[float | None, float | None]
    text: str


class _Story(msgspec.Struct):
    references: list[list[_Caption]]
    predictions: list[_Caption]
    duration: float | None = None


class _Pair(msgspec.Struct):
    annotator: int
    reference: int
    prediction: int
    iou: float
    text: float


class _Reading(msgspec.Struct):
    counts: bool
    f1: float | None
    pairs: list[_Pair]
    unmatched_references: list[dict[str, int]]
    tiou: float | None = None


def _fits(result: Result) -> bool:
    return any(isinstance(entry, dict) and "predictions" in entry for entry in (result.content or {}).values())


def _content(results: Results) -> dict[str, dict[str, _Story]]:
    return {name: read_as(result.content or {}, dict[str, _Story], name, "content") for name, result in results.items()}


def _pack(results: Results, ids: Sequence[str]) -> dict[str, Any]:
    """References once, as the first system that has them; predictions and alignments for each system."""
    contents = _content(results)
    first = _first_stories(contents)
    systems = []
    for name, result in results.items():
        stories = contents[name]
        systems.append(
            {
                "predictions": [_captions(stories[id].predictions) if id in stories else None for id in ids],
                "alignments": {
                    metric.metric: _pack_alignments(name, metric, ids) for metric in result if _has_alignments(metric)
                },
            }
        )
    return {
        "durations": [packed_time(first[id].duration) if id in first else None for id in ids],
        "references": [[_captions(told) for told in first[id].references] if id in first else [] for id in ids],
        "systems": systems,
    }


def _first_stories(contents: dict[str, dict[str, _Story]]) -> dict[str, _Story]:
    first: dict[str, _Story] = {}
    for stories in contents.values():
        first = stories | first
    return first


def _captions(captions: Sequence[_Caption]) -> list[list[Any]]:
    return [[packed_time(caption.segment[0]), packed_time(caption.segment[1]), caption.text] for caption in captions]


def _has_alignments(metric: MetricResult) -> bool:
    readings = next((entry for entry in metric.details or () if entry), None)
    return isinstance(readings, list) and isinstance(readings[0], dict) and "pairs" in readings[0]


def _pack_alignments(system: str, metric: MetricResult, ids: Sequence[str]) -> list[Any]:
    """For each video its readings: [counts, tiou, F1, annotators, [[annotator, reference, prediction, iou, f]]]."""
    details = read_as(metric.details, list[list[_Reading]], system, f"details of {metric.metric}")
    by_id = dict(zip(metric.ids, details, strict=True))
    return [[_pack_reading(reading) for reading in by_id[id]] if id in by_id else None for id in ids]


def _pack_reading(reading: _Reading) -> list[Any]:
    annotators = {pair.annotator for pair in reading.pairs} | {
        reference["annotator"] for reference in reading.unmatched_references
    }
    pairs = [[p.annotator, p.reference, p.prediction, *packed_scores([p.iou, p.text])] for p in reading.pairs]
    return [int(reading.counts), reading.tiou, *packed_scores([reading.f1]), sorted(annotators), pairs]


def _facts(results: Results, ids: Sequence[str]) -> dict[str, Fact]:
    """What a story's score may depend on: how much there is to tell, and how long it takes."""
    first = _first_stories(_content(results))
    captions: Fact = [_mean_captions(first[id]) if id in first else None for id in ids]
    durations: Fact = [packed_time(first[id].duration) if id in first else None for id in ids]
    facts = {"reference captions": captions, "duration (s)": durations}
    return {name: fact for name, fact in facts.items() if any(value is not None for value in fact)}


def _mean_captions(story: _Story) -> float | None:
    """Annotators who did not tell the video do not count."""
    counts = [len(told) for told in story.references if told]
    return round(sum(counts) / len(counts), 2) if counts else None


VIEW = View("stories", _fits, _pack, _facts)
