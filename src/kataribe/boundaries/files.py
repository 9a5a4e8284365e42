"""Event boundaries in and out of files.

Ground truth, several annotators for each video:

    pickle              the Kinetics-GEBD / TAPOS form: id -> {video_duration, fps, num_frames, f1_consis,
                        substages_timestamps[annotator][]}
    JSON                the same, or {"id": {"duration": 10.0, "fps": 30.0, "annotators": [[1.2, 4.0], [1.3]]}}
    JSON lines          {"id": ..., "duration": ..., "fps": ..., "annotators": [[...], ...]}
    CSV, TSV            id, duration, fps, annotator, time: one row for each boundary

Predictions, one list for each video:

    JSON, pickle        {"id": [1.2, 4.0]}, {"id": [[1.2, 0.9], [4.0, 0.4]]} with scores, or
                        {"id": {"boundaries": [1.2], "scores": [0.9]}}, and there also probabilities (of
                        each frame), fps, duration
    JSON lines          {"id": ..., "boundaries": [...], "scores": [...]}
    CSV, TSV            id, time (or frame), score: one row for each boundary
    npz                 for each id an array with the probability of every frame

Times are seconds, or frame numbers where the call says so.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from kataribe.core.errors import InputError, Location, some
from kataribe.core.types import Boundaries, Floats
from kataribe.formats.safepickle import read_pickle
from kataribe.formats.source import (
    check_id,
    entries_by_id,
    extension,
    first_field,
    listed_entries,
    read_by_extension,
)

Source = str | Path | Mapping[Any, Any] | list[Any]
Unit = Literal["seconds", "frames"]
ReadRows = Callable[[Iterable[tuple[Location, dict[str, str]]]], dict[str, Any]]

_Video = TypeVar("_Video")

ID_FIELDS = ("id", "video_id", "video", "name", "key")
FRAME_FIELDS = ("frame", "frames")
TIME_FIELDS = ("boundaries", "times", "timestamps", "predictions", *FRAME_FIELDS)
TIME_COLUMNS = ("time", "frame", "timestamp", "boundary")
SCORE_FIELDS = ("scores", "confidences", "confidence")
DURATION_FIELDS = ("duration", "video_duration")
ANNOTATOR_FIELDS = ("annotators", "substages_timestamps")

# Durations in files are rounded, and a boundary on the last frame may lie half a frame behind the end.
SLACK_SECONDS = 0.05


@dataclass(frozen=True)
class AnnotatedVideo:
    """What people marked in one video; `consistency` is each one's agreement with the others, if the file knows it."""

    video: str
    duration: float
    fps: float | None
    frames: int | None
    annotators: tuple[Boundaries, ...]
    consistency: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Prediction:
    """What was predicted for one video, as it is in the file: the caller must know the unit of `times`.

    `field` is the name under which the file has the times, `is_paired` whether it has them as [time, score].
    """

    times: tuple[float, ...]
    scores: tuple[float, ...] | None = None
    probabilities: Floats | None = None
    fps: float | None = None
    duration: float | None = None
    field: str = "boundaries"
    is_paired: bool = False


def read_truth(source: Source) -> dict[str, AnnotatedVideo]:
    """Every video's annotators, by id."""
    return _read_videos(source, _truth_rows, _annotated, "videos")


def read_predictions(source: Source) -> dict[str, Prediction]:
    """Every video's prediction, by id."""
    if isinstance(source, str | Path) and extension(Path(source)) == ".npz":
        return _read_probabilities(Path(source))
    return _read_videos(source, _prediction_rows, _predicted, "predictions")


def _read_videos(
    source: Source, read_rows: ReadRows, read_entry: Callable[[Any, str, Path | None], _Video], what: str
) -> dict[str, _Video]:
    path, entries = _entries(source, read_rows)
    videos: dict[str, _Video] = {}
    for id, entry in entries:
        if id in videos:
            raise Location(path).error(f"has the video {id!r} more than once", hint="keep one entry for each id")
        videos[id] = read_entry(entry, id, path)
    if not videos:
        raise Location(path).error(f"holds no {what}", hint="did the program that wrote it stop early?")
    return videos


def _entries(source: Source, read_rows: ReadRows) -> tuple[Path | None, Iterator[tuple[str, Any]]]:
    if not isinstance(source, str | Path):
        return None, _from_data(source, None)
    path = Path(source)
    if extension(path) in (".pkl", ".pickle"):
        return path, _from_data(read_pickle(path), path)
    return path, read_by_extension(
        path,
        lines=_from_objects,
        table=lambda rows: iter(read_rows(rows).items()),
        document=lambda data: _from_data(data, path),
    )


def _from_data(data: Any, path: Path | None) -> Iterator[tuple[str, Any]]:
    if isinstance(data, Mapping):
        yield from entries_by_id(data, path)
    elif isinstance(data, list):
        yield from _from_objects(listed_entries(data, path))
    else:
        raise Location(path).error(f"holds a single {type(data).__name__}, not videos", hint='write {"id": [1.2, 4.0]}')


def _from_objects(entries: Iterable[tuple[Location, Any]]) -> Iterator[tuple[str, Any]]:
    for location, entry in entries:
        name = first_field(entry, ID_FIELDS) if isinstance(entry, Mapping) else None
        if name is None:
            raise InputError(f"{location} is not an object with an id", hint='write {"id": ..., ...}')
        yield check_id(entry[name], location), entry


def _annotated(entry: Any, id: str, path: Path | None) -> AnnotatedVideo:
    location = Location(path, id)
    hint = 'write {"duration": 10.0, "fps": 30.0, "annotators": [[1.2, 4.0], [1.3]]}'
    if not isinstance(entry, Mapping):
        raise location.at(field="annotators").error("is not an object", hint)
    annotators_field = first_field(entry, ANNOTATOR_FIELDS)
    if annotators_field is None:
        raise location.at(field="annotators").error("is missing", hint)
    fps = _positive(entry, "fps", location)
    duration = _duration(entry, location)
    frames = _frames(entry, location)
    if duration is None:
        if fps is None or frames is None:
            raise location.at(field="duration").error("is missing, and so is what it could be told from", hint)
        duration = frames / fps
    elif fps is not None and frames is not None and abs(frames / fps - duration) > max(1.0 / fps, 0.01 * duration):
        raise location.at(field="fps").error(
            f"{frames} frames at {fps:g} a second are {frames / fps:.2f} s, but duration says {duration:.2f} s",
            "a variable frame rate? give times in seconds and leave num_frames out",
        )
    lists = _list(entry[annotators_field], location.at(field=annotators_field))
    if not lists:
        raise location.at(field=annotators_field).error("has no annotator", "remove the video")
    annotators = []
    for number, times in enumerate(lists, start=1):
        numbers = _numbers(times, location.at(field=f"annotator {number}"))
        annotators.append(Boundaries(id, duration, check_inside(numbers, duration, location)))
    if frames is None and fps is not None:
        frames = max(1, round(duration * fps))
    consistency = _consistency(entry, len(lists), location.at(field="f1_consis"))
    return AnnotatedVideo(id, duration, fps, frames, tuple(annotators), consistency)


def _consistency(entry: Mapping[str, Any], annotators: int, location: Location) -> tuple[float, ...] | None:
    if entry.get("f1_consis") is None:
        return None
    values = _numbers(entry["f1_consis"], location)
    if len(values) != annotators:
        raise location.error(f"has {len(values)} values for {annotators} annotators")
    return values


def _predicted(entry: Any, id: str, path: Path | None) -> Prediction:
    location = Location(path, id)
    if not isinstance(entry, Mapping):
        times, scores, is_paired = _times_and_scores(entry, None, location.at(field="boundaries"))
        return Prediction(times, scores, is_paired=is_paired)
    probabilities = None
    if entry.get("probabilities") is not None:
        probabilities = check_probabilities(entry["probabilities"], location)
    time_field = first_field(entry, TIME_FIELDS)
    if time_field is None and probabilities is None:
        raise location.at(field="boundaries").error("is missing", 'write {"boundaries": [1.2, 4.0]}')
    fps = _positive(entry, "fps", location)
    score_field = first_field(entry, SCORE_FIELDS)
    field = time_field or "boundaries"
    times, scores, is_paired = _times_and_scores(
        entry[time_field] if time_field else [],
        entry[score_field] if score_field else None,
        location.at(field=field),
    )
    return Prediction(times, scores, probabilities, fps, _duration(entry, location), field, is_paired)


def _times_and_scores(
    value: Any, given: Any, location: Location
) -> tuple[tuple[float, ...], tuple[float, ...] | None, bool]:
    entries = _list(value, location)
    has_pairs = bool(entries) and all(isinstance(entry, list | tuple | np.ndarray) for entry in entries)
    is_paired = given is None and has_pairs
    if is_paired:
        if any(len(entry) != 2 for entry in entries):
            raise location.error("has entries that are not [time, score]")
        times, scores = zip(*(_numbers(entry, location) for entry in entries), strict=True)
    else:
        times = _numbers(entries, location)
        scores = None if given is None else _numbers(given, location.at(field="scores"))  # type: ignore[assignment]
    if scores is not None and len(scores) != len(times):
        raise location.at(field="scores").error(f"has {len(scores)} values for {len(times)} boundaries")
    # Files may list the most confident boundary first; from here on everything is in order of time.
    order = sorted(range(len(times)), key=times.__getitem__)
    return tuple(times[i] for i in order), None if scores is None else tuple(scores[i] for i in order), is_paired


def _truth_rows(rows: Iterable[tuple[Location, dict[str, str]]]) -> dict[str, Any]:
    videos: dict[str, dict[str, Any]] = {}
    for line, row in rows:
        id = check_id(_cell(row, ID_FIELDS, line.file, "an id"), line)
        location = line.at(id=id)
        video = videos.setdefault(id, {"annotators": {}})
        for field in ("duration", "fps"):
            if row.get(field):
                value = _number(row[field], location.at(field=f"{line.field}: {field}"))
                if video.setdefault(field, value) != value:
                    raise location.at(field=field).error(
                        f"{line.field} says {value:g}, an earlier line {video[field]:g}"
                    )
        times = video["annotators"].setdefault(row.get("annotator", "1"), [])
        if (time := _cell(row, ("time", "timestamp", "boundary"), line.file, "a time")) != "":
            times.append(_number(time, location.at(field=f"{line.field}: time")))
    return {id: video | {"annotators": list(video["annotators"].values())} for id, video in videos.items()}


def _prediction_rows(rows: Iterable[tuple[Location, dict[str, str]]]) -> dict[str, Any]:
    videos: dict[str, dict[str, list[float]]] = {}
    for line, row in rows:
        id = check_id(_cell(row, ID_FIELDS, line.file, "an id"), line)
        location = line.at(id=id)
        time = _cell(row, TIME_COLUMNS, line.file, "a time")
        column = first_field(row, TIME_COLUMNS)
        field = "frame" if column == "frame" else "boundaries"
        video = videos.setdefault(id, {field: [], **({"scores": []} if "score" in row else {})})
        if time == "":  # a video in which nothing was found
            continue
        video[field].append(_number(time, location.at(field=f"{line.field}: {column}")))
        if "score" in row:
            video["scores"].append(_number(row["score"], location.at(field=f"{line.field}: score")))
    return videos


def _cell(row: Mapping[str, str], names: Iterable[str], file: str | Path | None, what: str) -> str:
    name = first_field(row, names)
    if name is None:
        raise Location(file).error(
            f"the header ({', '.join(row)}) has no column for {what}", hint="name the columns id and time"
        )
    return row[name].strip()


def _read_probabilities(path: Path) -> dict[str, Prediction]:
    """An npz file: for each id the probability of every frame. Pickled objects inside are refused."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {id: archive[id] for id in archive.files}
    except FileNotFoundError:
        raise Location(path).error("there is no such file", hint="check the path") from None
    except (ValueError, zipfile.BadZipFile, EOFError, OSError, KeyError) as error:
        raise Location(path).error(
            f"is not an npz file of plain arrays ({type(error).__name__})", hint="write it with numpy.savez"
        ) from None
    if not arrays:
        raise Location(path).error("holds no predictions")
    return {id: Prediction((), None, check_probabilities(array, Location(path, id))) for id, array in arrays.items()}


def check_probabilities(values: Any, location: Location) -> Floats:
    """A finite number for every frame."""
    location = location.at(field="probabilities")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise location.error("are not numbers") from None
    if array.ndim != 1 or not len(array):
        raise location.error(f"have the shape {array.shape}", "give one number for each frame")
    if not np.isfinite(array).all():
        frame = int(np.flatnonzero(~np.isfinite(array))[0])
        raise location.error(f"are {array[frame]} at frame {frame}", "give finite numbers")
    return array


def check_inside(times: tuple[float, ...], duration: float, location: Location) -> tuple[float, ...]:
    """The times in order, after a check that the video is long enough for them."""
    outside = [time for time in times if not -SLACK_SECONDS <= time <= duration + SLACK_SECONDS]
    if outside:
        raise location.at(field="boundaries").error(
            f"{outside[0]:g} s lies outside the video of {duration:g} s",
            "are these frames or milliseconds? give seconds" if outside[0] > 0 else "remove it",
        )
    return tuple(sorted(times))


def _duration(entry: Mapping[str, Any], location: Location) -> float | None:
    name = first_field(entry, DURATION_FIELDS)
    if name is None or entry[name] is None:
        return None
    location = location.at(field=name)
    duration = _number(entry[name], location)
    if duration <= 0:
        raise location.error(f"is {duration:g}: a video without length has no boundaries", "remove the video")
    return duration


def _frames(entry: Mapping[str, Any], location: Location) -> int | None:
    frames = _positive(entry, "num_frames", location)
    if frames is not None and frames != int(frames):
        raise location.at(field="num_frames").error(f"is {frames:g}, not a whole number")
    return None if frames is None else int(frames)


def _positive(entry: Mapping[str, Any], field: str, location: Location) -> float | None:
    """A number greater than 0, if the entry has one."""
    if entry.get(field) is None:
        return None
    location = location.at(field=field)
    number = _number(entry[field], location)
    if number <= 0:
        raise location.error(f"is {number:g}", "it must be greater than 0")
    return number


def _list(value: Any, location: Location) -> list[Any]:
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return list(value)
    if isinstance(value, list | tuple):
        return list(value)
    raise location.error("is not a list", "write times as [1.2, 4.0]")


def _numbers(values: Any, location: Location) -> tuple[float, ...]:
    return tuple(_number(value, location) for value in _list(values, location))


def _number(value: Any, location: Location) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float | np.integer | np.floating):
        raise location.error(f"holds {some([value])}, not a number")
    try:
        number = float(value)
    except ValueError:
        raise location.error(f"holds {some([value])}, not a number") from None
    if not math.isfinite(number):
        raise location.error(f"holds {number}", "give finite numbers")
    return number
