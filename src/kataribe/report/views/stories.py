"""Stories: reference and predicted captions on a time axis, and which of them a metric aligned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kataribe.report.views import Column, Results, View
from kataribe.report.views.packing import packed_scores, packed_time
from kataribe.stories.result import ScoredStory, StoryAlignment, TimedCaption


def _scored(results: Results) -> dict[str, dict[str, ScoredStory]]:
    return {name: result.scored(ScoredStory, file=name) for name, result in results.items()}


def _pack(results: Results, ids: Sequence[str]) -> dict[str, Any]:
    """References once, as the first system that has them; predictions and alignments for each system."""
    scored = _scored(results)
    first = _first_stories(scored)
    systems = []
    for name, result in results.items():
        stories = scored[name]
        alignments = {metric.metric: metric.documents(StoryAlignment, file=name) for metric in result}
        systems.append(
            {
                "predictions": [_captions(stories[id].predictions) if id in stories else None for id in ids],
                "alignments": {
                    metric: [[_pack_alignment(one) for one in found[id]] if id in found else None for id in ids]
                    for metric, found in alignments.items()
                    if found
                },
            }
        )
    return {
        "durations": [packed_time(first[id].duration) if id in first else None for id in ids],
        "references": [[_captions(story) for story in first[id].references] if id in first else [] for id in ids],
        "systems": systems,
    }


def _first_stories(scored: Mapping[str, dict[str, ScoredStory]]) -> dict[str, ScoredStory]:
    """Of each video as the first system that has it."""
    first: dict[str, ScoredStory] = {}
    for stories in scored.values():
        first = stories | first
    return first


def _captions(captions: Sequence[TimedCaption]) -> list[list[Any]]:
    return [[packed_time(caption.segment[0]), packed_time(caption.segment[1]), caption.text] for caption in captions]


def _pack_alignment(alignment: StoryAlignment) -> list[Any]:
    """[counts, tiou, F1, annotators, [[annotator, reference, prediction, IoU, text], ...]]."""
    pairs = [[p.annotator, p.reference, p.prediction, *packed_scores([p.iou, p.text])] for p in alignment.pairs]
    return [int(alignment.counts), alignment.tiou, *packed_scores([alignment.f1]), alignment.annotators, pairs]


def _properties(results: Results, ids: Sequence[str]) -> dict[str, Column]:
    """What a story's score may depend on: how much there is to tell, and how long it takes."""
    first = _first_stories(_scored(results))
    counts = {id: story.mean_reference_captions for id, story in first.items()}
    captions: Column = [None if (count := counts.get(id)) is None else round(count, 2) for id in ids]
    durations: Column = [packed_time(first[id].duration) if id in first else None for id in ids]
    properties = {"reference captions": captions, "duration (s)": durations}
    return {name: column for name, column in properties.items() if any(value is not None for value in column)}


VIEW = View("stories", lambda result: result.has_scored(ScoredStory), _pack, _properties)
