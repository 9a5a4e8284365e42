"""Numbers that can be scored but look like a mistake: another unit, segments, the boundaries of another video.

A pattern must hold for a whole file of at least a few boundaries before anything is said, so that one odd video, or a
very small file, raises no alarm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from kataribe.boundaries.files import FRAME_FIELDS, AnnotatedVideo, Prediction, Unit
from kataribe.boundaries.items import Videos
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, some
from kataribe.core.types import Array, Floats

# Fewer boundaries than these show no pattern.
_FEWEST = 5
# Nearly all: a file may have a few boundaries that are wrong in their own way.
_NEARLY_ALL = 0.95
# People mark boundaries all over a video. If all lie in so small a first part, the duration is in another unit.
_FIRST_PART = 0.1
# A video this long has boundaries behind its first second.
_LONG_SECONDS = 3.0
_SAME_SECONDS = 1e-3

_BETWEEN_0_AND_1 = "lie between 0 and 1, in videos of many seconds"


def doubts_about_truth(truth: Mapping[str, AnnotatedVideo]) -> list[Caution]:
    """Durations in milliseconds or frames, boundaries as fractions of the video."""
    marked = [(video, time) for video in truth.values() for annotator in video.annotators for time in annotator.times]
    if len(marked) < _FEWEST:
        return []
    times = np.array([time for _, time in marked])
    durations = np.array([video.duration for video, _ in marked])
    if _are_fractions(times, durations):
        text = f"all true boundaries {_BETWEEN_0_AND_1}: are they fractions of the video? multiply them by its duration"
        return [Caution("fractions-as-times", text)]
    reach = float(np.max(times / durations))
    if reach > _FIRST_PART:
        return []
    unit = _likely_unit_of_duration(reach)
    text = f"all true boundaries lie in the first {_percent(reach)} of their videos: are the durations in {unit}?"
    return [Caution("duration-unit", f"{text} they must be in seconds, since tolerances are fractions of them")]


def doubts_about_predictions(
    predictions: Mapping[str, Prediction], truth: Mapping[str, AnnotatedVideo], unit: Unit
) -> list[Caution]:
    """Times that were probably meant in another unit than they were read in. Predictions are those of known videos."""
    if unit == "seconds" and any(entry.field in FRAME_FIELDS and entry.times for entry in predictions.values()):
        text = "predicted times are called 'frame' and were read as seconds: <unit frames> reads them as frame numbers"
        return [Caution("frame-column", text, options=["unit"])]
    videos = [truth[id] for id, entry in predictions.items() for _ in entry.times]
    times = np.array([time for entry in predictions.values() for time in entry.times])
    if len(times) < _FEWEST:
        return []
    durations = np.array([video.duration for video in videos])
    fps = np.array([video.fps or np.nan for video in videos])
    if unit == "frames":
        return _doubts_about_frames(times, durations, fps)
    return _doubts_about_seconds(times, durations, fps)


def _doubts_about_frames(times: Floats, durations: Floats, fps: Floats) -> list[Caution]:
    if np.nanmedian(fps) > 2 and _nearly_all(times <= durations):
        text = "read as frame numbers, all predictions lie where their videos begin: are they seconds?"
        return [Caution("seconds-as-frames", f"{text} then leave <unit frames> out", options=["unit"])]
    return []


def _doubts_about_seconds(times: Floats, durations: Floats, fps: Floats) -> list[Caution]:
    if _are_fractions(times, durations):
        text = f"all predicted times {_BETWEEN_0_AND_1}: are they fractions of the video? multiply them by its duration"
        return [Caution("fractions-as-times", text)]
    reach = float(np.max(times / durations))
    if 0 < reach <= _FIRST_PART:
        unit = _likely_unit_of_duration(reach)
        text = f"all predictions lie in the first {_percent(reach)} of their videos: is the ground truth in {unit}?"
        return [Caution("duration-unit", f"{text} both must be in seconds")]
    if np.mean(times > durations) <= 0.5:
        return []
    # No video has more than 120 frames a second.
    if _nearly_all(times <= 1.01 * durations * np.where(np.isnan(fps), 120.0, fps)):
        text = "most predicted times lie outside their videos: are they frame numbers? <unit frames>"
        return [Caution("frames-as-seconds", text, options=["unit"])]
    if _nearly_all(times <= 1.01 * durations * 1000):
        text = "most predicted times lie outside their videos: are they milliseconds? divide them by 1,000"
        return [Caution("milliseconds-as-seconds", text)]
    return []


def _are_fractions(times: Floats, durations: Floats) -> bool:
    return bool(times.min() >= 0 and times.max() <= 1 and np.median(durations) > _LONG_SECONDS)


def _likely_unit_of_duration(reach: float) -> str:
    return "milliseconds" if reach < 0.004 else "frames"


def _nearly_all(holds: Array) -> bool:
    return bool(np.mean(holds) >= _NEARLY_ALL)


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%"


def likely_unit(given: float, expected: float, fps: float | None) -> str:
    """A question about a duration that is not what it should be, if its unit explains it.

    >>> likely_unit(10_000, 10, 30), likely_unit(300, 10, 30), likely_unit(12, 10, 30)
    ('is it in milliseconds?', 'is it in frames?', '')
    """
    for factor, unit in ((1000.0, "milliseconds"), (fps, "frames")):
        if factor and factor > 1 and abs(given / factor - expected) <= 0.02 * expected:
            return f"is it in {unit}?"
    return ""


def refuse_segments(predictions: Mapping[str, Prediction], truth: Mapping[str, AnnotatedVideo], unit: Unit) -> None:
    """Pairs are [time, score]; pairs that look like [start, end] are a question only the user can answer."""
    pairs = {id: entry for id, entry in predictions.items() if entry.is_paired}
    if not pairs:
        return
    starts = np.array([time for entry in pairs.values() for time in entry.times])
    ends = np.array([score for entry in pairs.values() for score in entry.scores or ()])
    lasts = [_last(truth[id], unit) for id, entry in pairs.items() for _ in entry.times]
    fits = (starts < ends) & (ends <= 1.02 * np.array(lasts) + 0.1)
    if _nearly_all(fits) and (np.any(ends > 1) or _are_chained(pairs.values())):
        raise InputError(
            "the pairs look like segments [start, end], but are read as [time, score]",
            id=next(iter(pairs)),
            field="boundaries",
            hint='give times {"id": [1.2, 4.0]}, or scores by name {"id": {"boundaries": [1.2], "scores": [3.0]}}',
        )


def _last(video: AnnotatedVideo, unit: Unit) -> float:
    return video.duration * (video.fps or 1.0) if unit == "frames" else video.duration


def _are_chained(pairs: Iterable[Prediction]) -> bool:
    """Whether every segment begins where the one before it ends."""
    junctions = [
        start == end for entry in pairs for start, end in zip(entry.times[1:], (entry.scores or ())[:-1], strict=False)
    ]
    return len(junctions) >= 2 and all(junctions)


def doubts_about_origin(videos: Videos) -> list[Caution]:
    """Predictions that are an annotator's own boundaries."""
    predicted = {row for row, times in enumerate(videos.predictions) if len(times)}
    marked = list(videos.truth)
    annotators = videos.annotators.with_values(np.arange(len(marked)))
    copied = [
        row
        for row, (times, own) in enumerate(zip(videos.predictions, annotators, strict=True))
        if row in predicted and any(_is_same(times, marked[annotator]) for annotator in own.tolist())
    ]
    boundaries = sum(int(videos.predictions.counts[row]) for row in copied)
    if boundaries < _FEWEST or 2 * len(copied) <= len(predicted):
        return []
    names = some(videos.ids[row] for row in copied)
    text = f"in {len(copied):,} of {len(predicted):,} videos the prediction is an annotator's own boundaries: {names}"
    return [Caution("references-as-predictions", text)]


def _is_same(times: Floats, others: Floats) -> bool:
    return len(times) == len(others) and bool(np.max(np.abs(times - others)) <= _SAME_SECONDS)
