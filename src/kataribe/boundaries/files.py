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
from typing import Any, Literal

import numpy as np

from kataribe.core.errors import InputError, some
from kataribe.core.types import Boundaries, Floats
from kataribe.formats.safepickle import read_pickle
from kataribe.formats.source import (
    check_id,
    extension,
    read_json,
    read_json_lines,
    read_table,
    refuse_repeated_keys,
)

Source = str | Path | Mapping[Any, Any] | list[Any]
Unit = Literal["seconds", "frames"]
ReadRows = Callable[[Iterable[tuple[str, dict[str, str]]], Path], dict[str, Any]]

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
    """What was predicted for one video, as the file says it: the unit of `times` is the caller's to know.

    `field` is the name under which the file has the times, `is_paired` whether it has them as [time, score].
    """

    times: tuple[float, ...]
    scores: tuple[float, ...] | None = None
    probabilities: Floats | None = None
    fps: float | None = None
    duration: float | None = None
    field: str = "boundaries"
    is_paired: bool = False


@dataclass(frozen=True)
class _Location:
    """Where in the input a value stands, for messages."""

    file: Path | None
    id: str

    def error(self, field: str, message: str, hint: str = "") -> InputError:
        return InputError(message, file=self.file, id=self.id, field=field, hint=hint)


def read_truth(source: Source) -> dict[str, AnnotatedVideo]:
    """Every video's annotators, by id."""
    path, entries = _entries(source, _truth_rows)
    videos: dict[str, AnnotatedVideo] = {}
    for id, entry in entries:
        if id in videos:
            raise InputError(f"has the video {id!r} more than once", file=path, hint="keep one entry for each id")
        videos[id] = _annotated(entry, _Location(path, id))
    if not videos:
        raise InputError("holds no videos", file=path, hint="did the program that wrote it stop early?")
    return videos


def read_predictions(source: Source) -> dict[str, Prediction]:
    """Every video's prediction, by id."""
    if isinstance(source, str | Path) and extension(Path(source)) == ".npz":
        return _read_probabilities(Path(source))
    path, entries = _entries(source, _prediction_rows)
    predictions: dict[str, Prediction] = {}
    for id, entry in entries:
        if id in predictions:
            raise InputError(f"has the video {id!r} more than once", file=path, hint="keep one entry for each id")
        predictions[id] = _predicted(entry, _Location(path, id))
    if not predictions:
        raise InputError("holds no predictions", file=path, hint="did the program that wrote it stop early?")
    return predictions


def _entries(source: Source, rows: ReadRows) -> tuple[Path | None, Iterator[tuple[str, Any]]]:
    if not isinstance(source, str | Path):
        return None, _from_data(source, None)
    path = Path(source)
    kind = extension(path)
    if kind in (".pkl", ".pickle"):
        return path, _from_data(read_pickle(path), path)
    if kind in (".jsonl", ".ndjson"):
        return path, _from_objects(read_json_lines(path), path)
    if kind in (".csv", ".tsv"):
        return path, iter(rows(read_table(path), path).items())
    return path, _from_data(read_json(path), path)


def _from_data(data: Any, path: Path | None) -> Iterator[tuple[str, Any]]:
    if isinstance(data, Mapping):
        refuse_repeated_keys(data, path)  # type: ignore[arg-type]
        for id, entry in data.items():
            yield check_id(id, file=path, place="a key"), entry
    elif isinstance(data, list):
        yield from _from_objects(((f"entry {row}", entry) for row, entry in enumerate(data, start=1)), path)
    else:
        raise InputError(
            f"holds a single {type(data).__name__}, not videos", file=path, hint='write {"id": [1.2, 4.0]}'
        )


def _from_objects(entries: Iterable[tuple[str, Any]], path: Path | None) -> Iterator[tuple[str, Any]]:
    for location, entry in entries:
        name = _field(entry, ID_FIELDS) if isinstance(entry, Mapping) else None
        if name is None:
            raise InputError(f"{location} is not an object with an id", file=path, hint='write {"id": ..., ...}')
        yield check_id(entry[name], file=path, place=location), entry


def _field(entry: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((name for name in names if name in entry), None)


def _annotated(entry: Any, location: _Location) -> AnnotatedVideo:
    hint = 'write {"duration": 10.0, "fps": 30.0, "annotators": [[1.2, 4.0], [1.3]]}'
    if not isinstance(entry, Mapping):
        raise location.error("annotators", "is not an object", hint)
    marked = _field(entry, ANNOTATOR_FIELDS)
    if marked is None:
        raise location.error("annotators", "is missing", hint)
    fps = _positive(entry["fps"], location, "fps") if entry.get("fps") is not None else None
    duration = _duration(entry, location)
    frames = _frames(entry, location)
    if duration is None:
        if fps is None or frames is None:
            raise location.error("duration", "is missing, and so is what it could be told from", hint)
        duration = frames / fps
    elif fps is not None and frames is not None and abs(frames / fps - duration) > max(1.0 / fps, 0.01 * duration):
        raise location.error(
            "fps",
            f"{frames} frames at {fps:g} a second are {frames / fps:.2f} s, but duration says {duration:.2f} s",
            "a variable frame rate? give times in seconds and leave num_frames out",
        )
    lists = _list(entry[marked], location, marked)
    if not lists:
        raise location.error(marked, "has no annotator", "remove the video")
    annotators = tuple(
        Boundaries(location.id, duration, _inside(_numbers(times, location, f"annotator {number}"), duration, location))
        for number, times in enumerate(lists, start=1)
    )
    if frames is None and fps is not None:
        frames = max(1, round(duration * fps))
    return AnnotatedVideo(location.id, duration, fps, frames, annotators, _consistency(entry, len(lists), location))


def _consistency(entry: Mapping[str, Any], annotators: int, location: _Location) -> tuple[float, ...] | None:
    if entry.get("f1_consis") is None:
        return None
    values = _numbers(entry["f1_consis"], location, "f1_consis")
    if len(values) != annotators:
        raise location.error("f1_consis", f"has {len(values)} values for {annotators} annotators")
    return values


def _predicted(entry: Any, location: _Location) -> Prediction:
    if not isinstance(entry, Mapping):
        times, scores, is_paired = _times_and_scores(entry, None, location, "boundaries")
        return Prediction(times, scores, is_paired=is_paired)
    probabilities = None
    if entry.get("probabilities") is not None:
        probabilities = check_probabilities(entry["probabilities"], location.id, location.file)
    named = _field(entry, TIME_FIELDS)
    if named is None and probabilities is None:
        raise location.error("boundaries", "is missing", 'write {"boundaries": [1.2, 4.0]}')
    fps = _positive(entry["fps"], location, "fps") if entry.get("fps") is not None else None
    score_field = _field(entry, SCORE_FIELDS)
    field = named or "boundaries"
    times, scores, is_paired = _times_and_scores(
        entry[named] if named else [], entry[score_field] if score_field else None, location, field
    )
    return Prediction(times, scores, probabilities, fps, _duration(entry, location), field, is_paired)


def _times_and_scores(
    value: Any, given: Any, location: _Location, field: str
) -> tuple[tuple[float, ...], tuple[float, ...] | None, bool]:
    entries = _list(value, location, field)
    has_pairs = bool(entries) and all(isinstance(entry, list | tuple | np.ndarray) for entry in entries)
    is_paired = given is None and has_pairs
    if is_paired:
        if any(len(entry) != 2 for entry in entries):
            raise location.error(field, "has entries that are not [time, score]")
        times, scores = zip(*(_numbers(entry, location, field) for entry in entries), strict=True)
    else:
        times = _numbers(entries, location, field)
        scores = None if given is None else _numbers(given, location, "scores")  # type: ignore[assignment]
    if scores is not None and len(scores) != len(times):
        raise location.error("scores", f"has {len(scores)} values for {len(times)} boundaries")
    # Files are free to list the most confident first; everything behind this point is in order of time.
    order = sorted(range(len(times)), key=times.__getitem__)
    return tuple(times[i] for i in order), None if scores is None else tuple(scores[i] for i in order), is_paired


def _truth_rows(rows: Iterable[tuple[str, dict[str, str]]], path: Path) -> dict[str, Any]:
    videos: dict[str, dict[str, Any]] = {}
    for where, row in rows:
        id = check_id(_cell(row, ID_FIELDS, path, "an id"), file=path, place=where)
        location = _Location(path, id)
        video = videos.setdefault(id, {"annotators": {}})
        for field in ("duration", "fps"):
            if row.get(field):
                value = _number(row[field], location, f"{where}: {field}")
                if video.setdefault(field, value) != value:
                    raise location.error(field, f"{where} says {value:g}, an earlier line {video[field]:g}")
        times = video["annotators"].setdefault(row.get("annotator", "1"), [])
        if (time := _cell(row, ("time", "timestamp", "boundary"), path, "a time")) != "":
            times.append(_number(time, location, f"{where}: time"))
    return {id: video | {"annotators": list(video["annotators"].values())} for id, video in videos.items()}


def _prediction_rows(rows: Iterable[tuple[str, dict[str, str]]], path: Path) -> dict[str, Any]:
    videos: dict[str, dict[str, list[float]]] = {}
    for where, row in rows:
        id = check_id(_cell(row, ID_FIELDS, path, "an id"), file=path, place=where)
        location = _Location(path, id)
        time = _cell(row, TIME_COLUMNS, path, "a time")
        column = _field(row, TIME_COLUMNS)
        field = "frame" if column == "frame" else "boundaries"
        video = videos.setdefault(id, {field: [], **({"scores": []} if "score" in row else {})})
        if time == "":  # a video in which nothing was found
            continue
        video[field].append(_number(time, location, f"{where}: {column}"))
        if "score" in row:
            video["scores"].append(_number(row["score"], location, f"{where}: score"))
    return videos


def _cell(row: Mapping[str, str], names: Iterable[str], path: Path, what: str) -> str:
    name = _field(row, names)
    if name is None:
        raise InputError(
            f"the header ({', '.join(row)}) has no column for {what}", file=path, hint="name the columns id and time"
        )
    return row[name].strip()


def _read_probabilities(path: Path) -> dict[str, Prediction]:
    """An npz file: for each id the probability of every frame. Pickled objects inside are refused."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {id: archive[id] for id in archive.files}
    except FileNotFoundError:
        raise InputError("there is no such file", file=path, hint="check the path") from None
    except (ValueError, zipfile.BadZipFile, EOFError, OSError, KeyError) as error:
        raise InputError(
            f"is not an npz file of plain arrays ({type(error).__name__})", file=path, hint="write it with numpy.savez"
        ) from None
    if not arrays:
        raise InputError("holds no predictions", file=path)
    return {id: Prediction((), None, check_probabilities(array, id, path)) for id, array in arrays.items()}


def check_probabilities(values: Any, id: str, file: Path | None = None) -> Floats:
    """A finite number for every frame."""
    location = _Location(file, id)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise location.error("probabilities", "are not numbers") from None
    if array.ndim != 1 or not len(array):
        raise location.error("probabilities", f"have the shape {array.shape}", "give one number for each frame")
    if not np.isfinite(array).all():
        frame = int(np.flatnonzero(~np.isfinite(array))[0])
        raise location.error("probabilities", f"are {array[frame]} at frame {frame}", "give finite numbers")
    return array


def inside(times: tuple[float, ...], duration: float, id: str, file: Path | None = None) -> tuple[float, ...]:
    """The times, after a check that the video has them."""
    return _inside(times, duration, _Location(file, id))


def _inside(times: tuple[float, ...], duration: float, location: _Location) -> tuple[float, ...]:
    outside = [time for time in times if not -SLACK_SECONDS <= time <= duration + SLACK_SECONDS]
    if outside:
        raise location.error(
            "boundaries",
            f"{outside[0]:g} s lies outside the video of {duration:g} s",
            "are these frames or milliseconds? give seconds" if outside[0] > 0 else "remove it",
        )
    return tuple(sorted(times))


def _duration(entry: Mapping[str, Any], location: _Location) -> float | None:
    name = _field(entry, DURATION_FIELDS)
    if name is None or entry[name] is None:
        return None
    duration = _number(entry[name], location, name)
    if duration <= 0:
        raise location.error(name, f"is {duration:g}: a video without length has no boundaries", "remove the video")
    return duration


def _frames(entry: Mapping[str, Any], location: _Location) -> int | None:
    if entry.get("num_frames") is None:
        return None
    frames = _positive(entry["num_frames"], location, "num_frames")
    if frames != int(frames):
        raise location.error("num_frames", f"is {frames:g}, not a whole number")
    return int(frames)


def _positive(value: Any, location: _Location, field: str) -> float:
    number = _number(value, location, field)
    if number <= 0:
        raise location.error(field, f"is {number:g}", "it must be greater than 0")
    return number


def _list(value: Any, location: _Location, field: str) -> list[Any]:
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return list(value)
    if isinstance(value, list | tuple):
        return list(value)
    raise location.error(field, "is not a list", "write times as [1.2, 4.0]")


def _numbers(values: Any, location: _Location, field: str) -> tuple[float, ...]:
    return tuple(_number(value, location, field) for value in _list(values, location, field))


def _number(value: Any, location: _Location, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float | np.integer | np.floating):
        raise location.error(field, f"holds {some([value])}, not a number")
    try:
        number = float(value)
    except ValueError:
        raise location.error(field, f"holds {some([value])}, not a number") from None
    if not math.isfinite(number):
        raise location.error(field, f"holds {number}", "give finite numbers")
    return number
