"""Predictions beside the ground truth, by id: units converted, everything per video checked, what is odd counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from kataribe.boundaries.comparison import compare
from kataribe.boundaries.f1 import match_table
from kataribe.boundaries.items import Videos
from kataribe.boundaries.peaks import run_centres
from kataribe.boundaries.players import human
from kataribe.boundaries.ragged import Lists
from kataribe.boundaries.tolerance import Distance
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, JoinError, some
from kataribe.core.join import match_ids
from kataribe.core.types import Boundaries, Coverage, Floats
from kataribe.formats.boundaries import AnnotatedVideo, Prediction, Unit, inside

Missing = Literal["zero", "error", "drop"]
MISSING: tuple[Missing, ...] = ("zero", "error", "drop")

# How much of a difference between two files' fps or duration is rounding.
_RATE_SLACK, _DURATION_SLACK = 0.01, 0.02
_CONSISTENCY_DISTANCE = Distance(0.05)


def join(
    predictions: Mapping[str, Prediction],
    truth: Mapping[str, AnnotatedVideo],
    missing: Missing,
    unit: Unit,
    min_consistency: float,
) -> tuple[Videos, Coverage, dict[str, str], list[Caution]]:
    """The videos to score, in the ground truth's order, with coverage, signature fields and warnings."""
    hint = "--missing zero counts their boundaries as misses, --missing drop leaves them out"
    absent, extra = match_ids(predictions, truth, refuse_absent=missing == "error", hint=hint)
    is_stored = all(video.consistency is not None for video in truth.values())
    doubtful = [id for id, video in truth.items() if is_stored and np.mean(video.consistency or 0) < min_consistency]
    left_out = {*doubtful, *(absent if missing == "drop" else ())}
    kept = [id for id in truth if id not in left_out]
    if not kept:
        raise JoinError("no video is left to score", hint="lower --min-consistency")
    has_curves = any(prediction.probabilities is not None for prediction in predictions.values())
    found = {
        id: _converted(predictions[id] if id in predictions else _silence(truth[id], has_curves), truth[id], unit)
        for id in kept
    }
    videos = _columns([truth[id] for id in kept], list(found.values()), is_stored)
    empty = [id for id in kept if id in predictions and not found[id][0].times]
    warnings = []
    if absent:
        action = "left out" if missing == "drop" else "their boundaries count as misses"
        text = f"{len(absent):,} of {len(truth):,} videos have no prediction, {action}: {some(absent)}"
        warnings.append(Caution("missing", text))
    if extra:
        text = f"{len(extra):,} predictions are for unknown videos and were not scored: {some(extra)}"
        warnings.append(Caution("extra", text))
    if empty:
        warnings.append(Caution("empty", f"{len(empty):,} predictions have no boundary: {some(empty)}"))
    if doubtful:
        text = (
            f"{len(doubtful):,} videos whose annotators agree less than {min_consistency:g} were skipped, as the "
            f"published tool does (--min-consistency 0 keeps them)"
        )
        warnings.append(Caution("inconsistent-videos", text))
    coverage = Coverage(len(truth), len(predictions), len(kept), len(absent), len(extra), len(empty))
    fields = {
        "consistency": "stored" if is_stored else "recomputed",
        "filter": f"{min_consistency:g}" if is_stored and min_consistency > 0 else "none",
    }
    return videos, coverage, fields, warnings


def annotated_videos(truth: Mapping[str, AnnotatedVideo], min_consistency: float) -> Videos:
    """The ground truth alone, with nothing predicted: where audits start."""
    is_stored = all(video.consistency is not None for video in truth.values())
    kept = [video for video in truth.values() if not is_stored or np.mean(video.consistency or 0) >= min_consistency]
    if not kept:
        raise JoinError("no video is left", hint="lower --min-consistency")
    return _columns(kept, [(Boundaries(video.video, video.duration, ()), None) for video in kept], is_stored)


Converted = tuple[Boundaries, Floats | None]


def _silence(video: AnnotatedVideo, has_curve: bool) -> Prediction:
    """What stands in for a video without prediction."""
    return Prediction((), probabilities=np.zeros(video.frames) if has_curve and video.frames else None)


def _converted(prediction: Prediction, video: AnnotatedVideo, unit: Unit) -> Converted:
    """In seconds of the video, checked against what the ground truth knows of it."""
    fps = video.fps or prediction.fps
    if video.fps and prediction.fps and abs(video.fps - prediction.fps) > _RATE_SLACK * video.fps:
        raise InputError(
            f"the prediction says {prediction.fps:g}, the ground truth {video.fps:g}",
            id=video.video,
            field="fps",
            hint="was it made from another copy of the video?",
        )
    if prediction.duration and abs(prediction.duration - video.duration) > max(0.1, _DURATION_SLACK * video.duration):
        raise InputError(
            f"the prediction says {prediction.duration:g} s, the ground truth {video.duration:g} s",
            id=video.video,
            field="duration",
            hint="was it made from another cut of the video?",
        )
    probabilities = prediction.probabilities
    if ((unit == "frames" and prediction.times) or probabilities is not None) and not fps:
        raise InputError(
            "is missing, so frames have no time", id=video.video, field="fps", hint="add fps to the ground truth"
        )
    if probabilities is not None and len(probabilities) != video.frames:
        raise InputError(
            f"there are {len(probabilities):,} for a video of {video.frames or 0:,} frames",
            id=video.video,
            field="probabilities",
            hint="give one for each frame of the original video",
        )
    times, scores = prediction.times, prediction.scores
    if unit == "frames" and fps:
        times = tuple(time / fps for time in times)
    if probabilities is not None and not times and fps:
        centres, peaks = run_centres(probabilities)
        times, scores = tuple((centres / fps).tolist()), tuple(peaks.tolist())
    times = inside(times, video.duration, video.video)
    return Boundaries(video.video, video.duration, times, scores), probabilities


def _columns(truth: list[AnnotatedVideo], found: list[Converted], is_stored: bool) -> Videos:
    annotators = [annotator.times for video in truth for annotator in video.annotators]
    is_scored = _all_or_none([entry.scores is not None for entry, _ in found if entry.times], "scores")
    is_dense = _all_or_none([curve is not None for _, curve in found], "probabilities")
    videos = Videos(
        ids=[video.video for video in truth],
        durations=np.array([video.duration for video in truth]),
        fps=np.array([video.fps or np.nan for video in truth]),
        frames=np.array([video.frames or 0 for video in truth], dtype=np.int64),
        raters=np.cumsum([0, *(len(video.annotators) for video in truth)], dtype=np.int64),
        truth=Lists.of(annotators),
        consistency=np.array(
            [value for video in truth for value in video.consistency or [0.0] * len(video.annotators)]
        ),
        predictions=Lists.of([entry.times for entry, _ in found]),
        scores=np.array([score for entry, _ in found for score in entry.scores or ()]) if is_scored else None,
        probabilities=Lists.of([curve for _, curve in found if curve is not None]) if is_dense else None,  # type: ignore[misc]
    )
    return videos if is_stored else _with_consistency(videos)


def _all_or_none(has: list[bool], what: str) -> bool:
    if any(has) and not all(has):
        raise InputError(f"some predictions have {what}, others have none", hint="give them for all videos or for none")
    return bool(has) and all(has)


def _with_consistency(videos: Videos) -> Videos:
    """Each annotator's mean F1 against the others; 0 for one who is alone."""
    comparison = compare(human(videos), videos, "mean", _CONSISTENCY_DISTANCE)
    scores = match_table(comparison, videos, _CONSISTENCY_DISTANCE, "official", "closed")[:, 3]
    annotator = comparison.entries.without[comparison.entry]
    count = len(videos.truth)
    sums, pairs = np.bincount(annotator, scores, minlength=count), np.bincount(annotator, minlength=count)
    return Videos(**vars(videos) | {"consistency": sums / np.maximum(pairs, 1)})
