"""Stories from every form the field uses, gz of any.

    ActivityNet reference   {"v_1": {"duration": 9.5, "timestamps": [[0, 4]], "sentences": ["A dog runs."]}, ...}
    ActivityNet submission  {"version": ..., "results": {"v_1": [{"sentence": "A dog.", "timestamp": [0, 4]}]}, ...}
    JSON lines              one story or one caption on each line, with the names of either form above
    CSV, TSV                a header with video_id, start, end, sentence and, if known, duration
    WebVTT, SRT, ASS        one file for each video, named after it
    a folder                of any of these

The order of videos and of the captions of a video is the file's; ids are compared as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, shorten, some
from kataribe.core.types import Story
from kataribe.formats.source import (
    check_id,
    extension,
    read_json,
    read_json_lines,
    read_table,
    refuse_repeated_keys,
)
from kataribe.formats.storytable import StoryBuilder, StoryTable, sentence, timestamp
from kataribe.formats.subtitles import SUBTITLES, read_subtitles

Source = str | Path | Mapping[str, Any] | Iterable[Story] | StoryTable

VIDEO_FIELDS = ("video_id", "video", "film", "movie_id", "id", "vid", "key", "name")
TEXT_FIELDS = ("sentence", "caption", "text", "title")
TIME_FIELDS = ("timestamp", "segment")

_JSON_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_READABLE = (".json", *_JSON_LINES, *_TABLES, *SUBTITLES)


def read_stories(source: Source) -> StoryTable:
    """
    >>> table = read_stories({"v": {"duration": 9, "timestamps": [[0, 4.5]], "sentences": ["A dog runs."]}})
    >>> table["v"]
    Story(video='v', duration=9.0, captions=(Caption(segment=Segment(start=0.0, end=4.5), text='A dog runs.'),))
    """
    if isinstance(source, StoryTable):
        return source
    if isinstance(source, str | Path):
        path = Path(source)
        builder = StoryBuilder(str(path))
        if path.is_dir():
            _read_folder(builder, path)
        else:
            _read_file(builder, path)
    elif isinstance(source, Mapping):
        builder = StoryBuilder("")
        _add_json(builder, source)
    else:
        stories = list(source)
        strangers = [value for value in stories if not isinstance(value, Story)]
        if strangers:
            raise InputError(
                f"a list holds {shorten(repr(strangers[0]), 40)}, not a Story",
                hint='give a path, {"video": {"timestamps": ..., "sentences": ...}} or Story objects',
            )
        return StoryTable.of(stories)
    table = builder.table()
    if not len(table):
        raise InputError(
            "holds no stories", file=table.source or None, hint="did the program that wrote it stop early?"
        )
    return table


def _read_folder(builder: StoryBuilder, folder: Path) -> None:
    paths = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    for path in paths:
        if extension(path) not in _READABLE:
            raise InputError(
                "is no story file",
                file=path,
                hint=f"a folder of stories holds only {', '.join(_READABLE)}",
            )
        part = StoryBuilder(str(path))
        _read_file(part, path)
        for story in part.table():
            if story.video in builder:
                raise InputError("is in two files of this folder", file=path, id=story.video, hint="keep one")
            row = builder.open(story.video, story.duration)
            for caption in story.captions:
                builder.add(row, caption.segment.start, caption.segment.end, caption.text)


def _read_file(builder: StoryBuilder, path: Path) -> None:
    kind = extension(path)
    if kind in _JSON_LINES:
        for place, entry in read_json_lines(path):
            _add_line(builder, place, entry)
    elif kind in _TABLES:
        for place, row in read_table(path):
            _add_row(builder, place, row)
    elif kind in SUBTITLES:
        name = path.name.removesuffix(".gz")
        video = builder.open(check_id(name[: -len(kind)], file=path, place="the name of the file"))
        for start, end, text in read_subtitles(path):
            builder.add(video, start, end, text)
    else:
        _add_json(builder, read_json(path))


def _add_json(builder: StoryBuilder, data: Any) -> None:
    if isinstance(data, Mapping) and "results" in data:
        builder.form = "submission"
        data = data["results"]
    elif isinstance(data, Mapping) and ("version" in data or "external_data" in data):
        raise InputError(
            f"is a submission without `results` (it has {some(data)})",
            file=builder.source or None,
            hint='put the stories under "results"',
        )
    if not isinstance(data, Mapping):
        raise InputError(
            f"holds a {type(data).__name__}, not stories by video id",
            file=builder.source or None,
            hint='write {"results": {"video": [{"sentence": ..., "timestamp": [start, end]}]}}',
        )
    refuse_repeated_keys(data, builder.source)  # type: ignore[arg-type]
    for key, value in data.items():
        video = check_id(key, file=builder.source or None, place="a key")
        if isinstance(value, Story):
            row = builder.open(video, value.duration)
            for caption in value.captions:
                builder.add(row, caption.segment.start, caption.segment.end, caption.text)
        else:
            _add_story(builder, video, value)


def _add_story(builder: StoryBuilder, video: str, value: Any) -> None:
    source = builder.source
    if isinstance(value, Mapping) and "timestamps" in value and "sentences" in value:
        row = builder.open(video, value.get("duration"))
        if "duration" in value and not builder.form:
            builder.form = "references"
        times, sentences = value["timestamps"], value["sentences"]
        if not (isinstance(times, list | tuple) and isinstance(sentences, list | tuple)):
            raise InputError("timestamps and sentences must be lists", file=source or None, id=video)
        if len(times) != len(sentences):
            raise InputError(
                f"has {len(times)} timestamps but {len(sentences)} sentences",
                file=source or None,
                id=video,
                hint="give one timestamp for each sentence",
            )
        if builder.add_all(row, times, sentences):
            return
        for place, (time, text) in enumerate(zip(times, sentences, strict=True)):
            start, end = timestamp(time, source, video, f"timestamps[{place}]")
            builder.add(row, start, end, sentence(text, source, video, f"sentences[{place}]"))
    elif isinstance(value, list | tuple):
        row = builder.open(video)
        usual = all(type(entry) is dict and "sentence" in entry and "timestamp" in entry for entry in value)
        if usual and builder.add_all(row, [e["timestamp"] for e in value], [e["sentence"] for e in value]):
            return
        for place, entry in enumerate(value):
            _add_caption(builder, row, video, entry, f"[{place}]")
    else:
        raise InputError(
            f"is {shorten(repr(value), 40)}, not a story",
            file=source or None,
            id=video,
            hint="give timestamps and sentences, or a list of {sentence, timestamp}",
        )


def _add_caption(builder: StoryBuilder, row: int, video: str, entry: Any, place: str) -> None:
    source = builder.source
    if not isinstance(entry, Mapping):
        raise InputError(
            f"is {shorten(repr(entry), 40)}, not an object",
            file=source or None,
            id=video,
            field=place,
            hint='write {"sentence": ..., "timestamp": [start, end]}',
        )
    text_field = _field(entry, TEXT_FIELDS)
    time_field = _field(entry, TIME_FIELDS)
    if text_field is None or (time_field is None and not ("start" in entry and "end" in entry)):
        lacks = TEXT_FIELDS[0] if text_field is None else TIME_FIELDS[0]
        raise InputError(
            f"has no {lacks} (it has {some(entry) or 'nothing'})",
            file=source or None,
            id=video,
            field=place,
            hint='write {"sentence": ..., "timestamp": [start, end]}',
        )
    times = entry[time_field] if time_field else (entry["start"], entry["end"])
    start, end = timestamp(times, source, video, f"{place}.{time_field or 'start, end'}")
    builder.add(row, start, end, sentence(entry[text_field], source, video, f"{place}.{text_field}"))


def _add_line(builder: StoryBuilder, place: str, entry: Any) -> None:
    """A line of JSON lines: a whole story, or one caption of a video whose others stand elsewhere in the file."""
    id_field = _field(entry, VIDEO_FIELDS) if isinstance(entry, Mapping) else None
    if id_field is None:
        raise InputError(
            f"{place} names no video", file=builder.source, hint=f"name the field {' or '.join(VIDEO_FIELDS[:3])}"
        )
    video = check_id(entry[id_field], file=builder.source, place=place)
    story = entry if "timestamps" in entry else entry.get("captions")
    if story is None:
        _add_caption(builder, builder.open(video, entry.get("duration")), video, entry, place)
        return
    if video in builder:
        raise InputError("has a second story", file=builder.source, id=video, field=place, hint="keep one")
    _add_story(builder, video, story)
    builder.open(video, entry.get("duration"))


def _add_row(builder: StoryBuilder, place: str, row: Mapping[str, str]) -> None:
    id_field, text_field = _field(row, VIDEO_FIELDS), _field(row, TEXT_FIELDS)
    if id_field is None or text_field is None or not {"start", "end"} <= row.keys():
        raise InputError(
            f"the header ({', '.join(row)}) is not that of stories",
            file=builder.source,
            hint="name the columns video_id, start, end, sentence",
        )
    video = row[id_field]
    times = {name: _number(row[name], builder.source, video, f"{place}, {name}") for name in ("start", "end")}
    duration = row.get("duration")
    opened = builder.open(video, _number(duration, builder.source, video, f"{place}, duration") if duration else None)
    text = sentence(row[text_field], builder.source, video, f"{place}, {text_field}")
    builder.add(opened, times["start"], times["end"], text)


def _number(cell: str, source: str, video: str, field: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(
            f"is {shorten(cell, 30)!r}, not a number of seconds", file=source, id=video, field=field
        ) from None


def _field(entry: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((name for name in names if name in entry), None)
