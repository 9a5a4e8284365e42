"""Grounding: queries on their film's axis with true and predicted spans, the anchor shot and the score over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kataribe.grounding.result import GroundedQuery
from kataribe.report.views import Column, Results, View
from kataribe.report.views.packing import packed_scores, packed_time

# As many moments of a prediction as a reader looks at, and as many points of a curve as a picture can show.
_MOST_MOMENTS, _MOST_POINTS = 20, 600


def _scored(results: Results) -> dict[str, dict[str, GroundedQuery]]:
    return {name: result.scored(GroundedQuery, file=name) for name, result in results.items()}


def _first(scored: dict[str, dict[str, GroundedQuery]]) -> dict[str, GroundedQuery]:
    """Each query as the first system that has it."""
    first: dict[str, GroundedQuery] = {}
    for queries in scored.values():
        first = queries | first
    return first


def _pack(results: Results, ids: Sequence[str]) -> dict[str, Any]:
    """References once; predictions for each system; the scores of films as each result has them."""
    scored = _scored(results)
    first = _first(scored)
    videos = list(dict.fromkeys(first[id].video for id in ids if id in first))
    number = {video: index for index, video in enumerate(videos)}
    return {
        "videos": videos,
        "queries": [_pack_query(first[id], number) if id in first else None for id in ids],
        "systems": [
            [_pack_prediction(queries[id]) if id in queries else None for id in ids] for queries in scored.values()
        ],
        "films": [_pack_films(result.by_group(), videos) for result in results.values()],
    }


def _pack_query(query: GroundedQuery, number: dict[str, int]) -> list[Any]:
    """[video, text, extent, each person's spans]."""
    truth = [[list(map(packed_time, span)) for span in spans] for spans in query.truth]
    return [number[query.video], query.text, list(map(packed_time, query.extent)), truth]


def _pack_prediction(query: GroundedQuery) -> list[Any]:
    """[[start, end, score, IoU], ...], anchor, [[time, score], ...], the answer they were read from."""
    scores = query.scores or [None] * len(query.predicted)
    moments = [
        [*map(packed_time, span), *packed_scores([score, overlap])]
        for span, score, overlap in zip(query.predicted, scores, query.overlaps, strict=True)
    ][:_MOST_MOMENTS]
    anchor = list(map(packed_time, query.anchor)) if query.anchor else None
    return [moments, anchor, _pack_curve(query.curve) if query.curve else None, query.answer]


def _pack_curve(curve: tuple[list[float], list[float]]) -> list[list[float | None]]:
    """Of a long curve evenly spaced points."""
    times, scores = curve
    step = max(1, -(-len(times) // _MOST_POINTS))
    return [[packed_time(times[at]), *packed_scores([scores[at]])] for at in range(0, len(times), step)]


def _pack_films(films: dict[str, dict[str, float]], videos: Sequence[str]) -> dict[str, list[float | None]]:
    """A column of films for each metric."""
    metrics = list(next(iter(films.values()), {}))
    return {name: packed_scores(films.get(video, {}).get(name) for video in videos) for name in metrics}


def _properties(results: Results, ids: Sequence[str]) -> dict[str, Column]:
    """What a score may depend on: how long the moment and the video are."""
    first = _first(_scored(results))
    lengths: Column = []
    extents: Column = []
    for id in ids:
        query = first.get(id)
        spans = [end - start for person in query.truth for start, end in person] if query else []
        lengths.append(round(sum(spans) / len(spans), 2) if spans else None)
        extents.append(packed_time(query.extent[1] - query.extent[0]) if query else None)
    return {"true span (s)": lengths, "searched (s)": extents}


VIEW = View("grounding", lambda result: result.has_scored(GroundedQuery), _pack, _properties)
