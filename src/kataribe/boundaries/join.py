"""Predictions beside the ground truth, by id: units converted, everything per video checked, what is odd counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kataribe.boundaries import confidence
from kataribe.boundaries.comparison import compare
from kataribe.boundaries.doubts import (
    doubts_about_origin,
    doubts_about_predictions,
    doubts_about_truth,
    likely_unit,
    refuse_segments,
)
from kataribe.boundaries.f1 import match_counts
from kataribe.boundaries.files import AnnotatedVideo, Prediction, Unit
from kataribe.boundaries.items import Videos
from kataribe.boundaries.peaks import run_centres
from kataribe.boundaries.players import human
from kataribe.boundaries.tolerance import Distance
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, JoinError, some
from kataribe.core.join import Unmatched, Wording, describe_unmatched, match_ids
from kataribe.core.ragged import Ragged
from kataribe.core.types import Coverage, Floats

Missing = Literal["zero", "error", "drop"]

_WORDS = Wording(
    items="videos",
    missing={"zero": "their boundaries count as misses", "drop": "left out"},
    hint="<missing zero> counts their boundaries as misses, <missing drop> leaves them out",
    extra=(
        "prediction is for an unknown video and was not scored",
        "predictions are for unknown videos and were not scored",
    ),
    empty=("prediction has no boundary", "predictions have no boundary"),
)

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
    is_stored, doubtful = _inconsistent(truth, min_consistency)
    skipped = set(doubtful)
    kept = [id for id in truth if id not in skipped]
    if not kept:
        raise JoinError("no video is left to score", hint="lower <min_consistency>", options=["min_consistency"])
    extra = match_ids(predictions, truth, None, _WORDS.hint).extra
    # A video that is skipped anyway needs no prediction.
    absent = match_ids(predictions, kept, missing, _WORDS.hint).absent
    expected = len(kept)
    if missing == "drop":
        kept = [id for id in kept if id in predictions]
    known = {id: predictions[id] for id in kept if id in predictions}
    refuse_segments(known, truth, unit)
    known, rules = _with_positive_confidences(known)
    lowest = _lowest_probability(known)
    found = [
        _converted(known[id], truth[id], unit, rules.curves) if id in known else _silent(truth[id], lowest)
        for id in kept
    ]
    videos = _columns([truth[id] for id in kept], found, is_stored)
    empty = [entry.video for entry in found if entry.video in known and not entry.times]
    about_truth = doubts_about_truth(truth)
    warnings = [
        *describe_unmatched(Unmatched(absent, extra), empty, expected, missing, _WORDS),
        *_outside(found),
        *_skipped(doubtful, min_consistency),
        *about_truth,
        # Times cannot be judged by durations that are themselves in doubt.
        *([] if about_truth else doubts_about_predictions(known, truth, unit)),
        *doubts_about_origin(videos),
        *confidence.caution(rules.scores, "confidences"),
        *confidence.caution(rules.curves, "probabilities of frames"),
    ]
    coverage = Coverage(len(truth), len(predictions), len(kept), len(absent), len(extra), len(empty))
    fields = {
        "consistency": "stored" if is_stored else "recomputed",
        "filter": f"{min_consistency:g}" if is_stored and min_consistency > 0 else "none",
        **rules.fields,
    }
    return videos, coverage, fields, warnings


def annotated_videos(truth: Mapping[str, AnnotatedVideo], min_consistency: float) -> Videos:
    """The ground truth alone, with nothing predicted: where audits start."""
    is_stored, doubtful = _inconsistent(truth, min_consistency)
    skipped = set(doubtful)
    kept = [video for id, video in truth.items() if id not in skipped]
    if not kept:
        raise JoinError("no video is left", hint="lower <min_consistency>", options=["min_consistency"])
    return _columns(kept, [_Converted(video.video, ()) for video in kept], is_stored)


def doubts_about_references(truth: Mapping[str, AnnotatedVideo], min_consistency: float) -> list[Caution]:
    """What is said of the ground truth itself, whatever was predicted."""
    return [*_skipped(_inconsistent(truth, min_consistency)[1], min_consistency), *doubts_about_truth(truth)]


def _inconsistent(truth: Mapping[str, AnnotatedVideo], min_consistency: float) -> tuple[bool, list[str]]:
    """Whether the file knows how consistent annotators are, and the videos in which they are not enough."""
    is_stored = all(video.consistency is not None for video in truth.values())
    if not is_stored:
        return False, []
    return True, [id for id, video in truth.items() if np.mean(video.consistency or 0) < min_consistency]


def _outside(found: list[_Converted]) -> list[Caution]:
    dropped = sum(entry.outside for entry in found)
    if not dropped:
        return []
    videos = some(entry.video for entry in found if entry.outside)
    boundaries = dropped + sum(len(entry.times) for entry in found)
    text = f"{dropped:,} of {boundaries:,} predicted boundaries lie outside their video and were dropped: {videos}"
    return [Caution("outside-video", text)]


def _skipped(doubtful: list[str], min_consistency: float) -> list[Caution]:
    if not doubtful:
        return []
    text = (
        f"{len(doubtful):,} videos whose annotators agree less than {min_consistency:g} were skipped, as the "
        f"published tool does (<min_consistency 0> keeps them)"
    )
    return [Caution("inconsistent-videos", text, options=["min_consistency"])]


@dataclass(frozen=True)
class _Rules:
    """How negative confidences, and negative probabilities of frames, were read."""

    scores: confidence.Rule
    curves: confidence.Rule

    @property
    def fields(self) -> dict[str, str]:
        """For the signature: only what moved a number."""
        named = {"confidence": self.scores, "curve": self.curves}
        return {name: rule for name, rule in named.items() if rule != "given"}


def _with_positive_confidences(predictions: dict[str, Prediction]) -> tuple[dict[str, Prediction], _Rules]:
    """Confidences are mapped here. Probabilities of frames stay as they are, because most metrics only rank them; where
    a threshold makes boundaries of them, their rule is needed."""
    flat = np.array([score for entry in predictions.values() for score in entry.scores or ()])
    curves = [entry.probabilities for entry in predictions.values() if entry.probabilities is not None]
    rule_of_curves = confidence.rule_for(np.concatenate(curves)) if curves else "given"
    mapped, rule = confidence.positive(flat)
    if rule != "given":
        remaining = iter(mapped.tolist())
        predictions = {
            id: replace(entry, scores=tuple(next(remaining) for _ in entry.scores)) if entry.scores else entry
            for id, entry in predictions.items()
        }
    return predictions, _Rules(rule, rule_of_curves)


def _lowest_probability(predictions: Mapping[str, Prediction]) -> float | None:
    """Where predictions have curves, a level that ranks below all of them; 0 where none is negative."""
    curves = [entry.probabilities for entry in predictions.values() if entry.probabilities is not None]
    if not curves:
        return None
    lowest = min(float(curve.min()) for curve in curves)
    return float(np.nextafter(lowest, -np.inf)) if lowest < 0 else 0.0


@dataclass(frozen=True)
class _Converted:
    """A prediction in seconds of the video, without the boundaries `outside` it, which are counted."""

    video: str
    times: tuple[float, ...]
    scores: tuple[float, ...] | None = None
    probabilities: Floats | None = None
    outside: int = 0


def _silent(video: AnnotatedVideo, probability: float | None) -> _Converted:
    """What stands in for a video without prediction."""
    has_curve = probability is not None and video.frames
    return _Converted(video.video, (), None, np.full(video.frames or 0, probability) if has_curve else None)


def _converted(prediction: Prediction, video: AnnotatedVideo, unit: Unit, curve_rule: confidence.Rule) -> _Converted:
    """In seconds of the video, checked against what the ground truth knows of it."""
    _check_rate_and_duration(prediction, video)
    fps = video.fps or prediction.fps
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
        centres, peaks = run_centres(confidence.apply(curve_rule, probabilities))
        times, scores = tuple((centres / fps).tolist()), tuple(peaks.tolist())
    is_inside = [0 <= time <= video.duration for time in times]
    return _Converted(
        video.video,
        tuple(time for time, inside in zip(times, is_inside, strict=True) if inside),
        None if scores is None else tuple(score for score, inside in zip(scores, is_inside, strict=True) if inside),
        probabilities,
        len(times) - sum(is_inside),
    )


def _check_rate_and_duration(prediction: Prediction, video: AnnotatedVideo) -> None:
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
            hint=likely_unit(prediction.duration, video.duration, video.fps)
            or "was it made from another cut of the video?",
        )


def _columns(truth: list[AnnotatedVideo], found: list[_Converted], is_stored: bool) -> Videos:
    is_scored = _all_or_none([entry.scores is not None for entry in found if entry.times], "scores")
    is_dense = _all_or_none([entry.probabilities is not None for entry in found], "probabilities")
    videos = Videos(
        ids=[video.video for video in truth],
        durations=np.array([video.duration for video in truth]),
        fps=np.array([video.fps or np.nan for video in truth]),
        frames=np.array([video.frames or 0 for video in truth], dtype=np.int64),
        annotators=Ragged.of([video.consistency or [0.0] * len(video.annotators) for video in truth]),
        truth=Ragged.of([annotator.times for video in truth for annotator in video.annotators]),
        predictions=Ragged.of([entry.times for entry in found]),
        scores=np.array([score for entry in found for score in entry.scores or ()]) if is_scored else None,
        probabilities=Ragged.of([entry.probabilities for entry in found]) if is_dense else None,  # type: ignore[misc]
    )
    return videos if is_stored else _with_consistency(videos)


def _all_or_none(has: list[bool], what: str) -> bool:
    if any(has) and not all(has):
        raise InputError(f"some predictions have {what}, others have none", hint="give them for all videos or for none")
    return bool(has) and all(has)


def _with_consistency(videos: Videos) -> Videos:
    """Each annotator's mean F1 against the others; 0 for one who is alone."""
    comparison = compare(human(videos), videos, "mean", _CONSISTENCY_DISTANCE)
    scores = match_counts(comparison, videos, _CONSISTENCY_DISTANCE, "official", "closed").f1
    annotator = comparison.entries.without[comparison.entry]
    count = len(videos.truth)
    sums, pairs = np.bincount(annotator, scores, minlength=count), np.bincount(annotator, minlength=count)
    return replace(videos, annotators=videos.annotators.with_values(sums / np.maximum(pairs, 1)))
