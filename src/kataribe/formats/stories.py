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
from dataclasses import replace
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, Location, shorten, some
from kataribe.core.types import Story
from kataribe.formats.source import (
    JSON_LINES,
    TABLES,
    check_id,
    check_text,
    entries_by_id,
    extension,
    first_field,
    read_json,
    read_json_lines,
    read_table,
)
from kataribe.formats.storytable import StoryBuilder, StoryTable, parse_seconds, timestamp
from kataribe.formats.subtitles import SUBTITLES, read_subtitles

Source = str | Path | Mapping[str, Any] | Iterable[Story] | StoryTable

VIDEO_FIELDS = ("video_id", "video", "film", "movie_id", "id", "vid", "key", "name")
TEXT_FIELDS = ("sentence", "caption", "text", "title")
TIME_FIELDS = ("timestamp", "segment")

_READABLE = (".json", *JSON_LINES, *TABLES, *SUBTITLES)


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
        raise Location(table.source).error("holds no stories", hint="did the program that wrote it stop early?")
    return table


def _read_folder(builder: StoryBuilder, folder: Path) -> None:
    paths = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    for path in paths:
        if extension(path) not in _READABLE:
            raise Location(path).error(
                "is no story file", hint=f"a folder of stories holds only {', '.join(_READABLE)}"
            )
        part = StoryBuilder(str(path))
        _read_file(part, path)
        for story in part.table():
            if story.video in builder:
                raise Location(path, story.video).error("is in two files of this folder", hint="keep one")
            builder.add_story(story)


def _read_file(builder: StoryBuilder, path: Path) -> None:
    kind = extension(path)
    if kind in JSON_LINES:
        for location, entry in read_json_lines(path):
            _add_line(builder, entry, location)
    elif kind in TABLES:
        for location, row in read_table(path):
            _add_row(builder, row, location)
    elif kind in SUBTITLES:
        name = path.name.removesuffix(".gz")
        video = builder.open(check_id(name[: -len(kind)], Location(path, field="the name of the file")))
        for start, end, text in read_subtitles(path):
            builder.add(video, start, end, text)
    else:
        _add_json(builder, read_json(path))


def _add_json(builder: StoryBuilder, data: Any) -> None:
    if isinstance(data, Mapping) and "results" in data:
        builder.form = "submission"
        data = data["results"]
    elif isinstance(data, Mapping) and ("version" in data or "external_data" in data):
        raise Location(builder.source).error(
            f"is a submission without `results` (it has {some(data)})", hint='put the stories under "results"'
        )
    if not isinstance(data, Mapping):
        raise Location(builder.source).error(
            f"holds a {type(data).__name__}, not stories by video id",
            hint='write {"results": {"video": [{"sentence": ..., "timestamp": [start, end]}]}}',
        )
    for video, value in entries_by_id(data, builder.source):
        if isinstance(value, Story):
            builder.add_story(replace(value, video=video))
        else:
            _add_story(builder, video, value)


def _add_story(builder: StoryBuilder, video: str, value: Any) -> None:
    location = Location(builder.source, video)
    if isinstance(value, Mapping) and "timestamps" in value and "sentences" in value:
        row = builder.open(video, value.get("duration"))
        if "duration" in value and not builder.form:
            builder.form = "references"
        times, sentences = value["timestamps"], value["sentences"]
        if not (isinstance(times, list | tuple) and isinstance(sentences, list | tuple)):
            raise location.error("timestamps and sentences must be lists")
        if len(times) != len(sentences):
            raise location.error(
                f"has {len(times)} timestamps but {len(sentences)} sentences",
                hint="give one timestamp for each sentence",
            )
        if builder.add_all(row, times, sentences):
            return
        for index, (time, text) in enumerate(zip(times, sentences, strict=True)):
            start, end = timestamp(time, location.at(field=f"timestamps[{index}]"))
            builder.add(row, start, end, check_text(text, location.at(field=f"sentences[{index}]")))
    elif isinstance(value, list | tuple):
        row = builder.open(video)
        usual = all(type(entry) is dict and "sentence" in entry and "timestamp" in entry for entry in value)
        if usual and builder.add_all(row, [e["timestamp"] for e in value], [e["sentence"] for e in value]):
            return
        for index, entry in enumerate(value):
            _add_caption(builder, row, entry, location.at(field=f"[{index}]"))
    else:
        raise location.error(
            f"is {shorten(repr(value), 40)}, not a story",
            hint="give timestamps and sentences, or a list of {sentence, timestamp}",
        )


def _add_caption(builder: StoryBuilder, row: int, entry: Any, location: Location) -> None:
    hint = 'write {"sentence": ..., "timestamp": [start, end]}'
    if not isinstance(entry, Mapping):
        raise location.error(f"is {shorten(repr(entry), 40)}, not an object", hint)
    text_field = first_field(entry, TEXT_FIELDS)
    time_field = first_field(entry, TIME_FIELDS)
    if text_field is None or (time_field is None and not ("start" in entry and "end" in entry)):
        lacks = TEXT_FIELDS[0] if text_field is None else TIME_FIELDS[0]
        raise location.error(f"has no {lacks} (it has {some(entry) or 'nothing'})", hint)
    times = entry[time_field] if time_field else (entry["start"], entry["end"])
    start, end = timestamp(times, location.at(field=f"{location.field}.{time_field or 'start, end'}"))
    text = check_text(entry[text_field], location.at(field=f"{location.field}.{text_field}"))
    builder.add(row, start, end, text)


def _add_line(builder: StoryBuilder, entry: Any, location: Location) -> None:
    """A line of JSON lines: a whole story, or one caption of a video whose others are elsewhere in the file."""
    id_field = first_field(entry, VIDEO_FIELDS) if isinstance(entry, Mapping) else None
    if id_field is None:
        raise InputError(f"{location} names no video", hint=f"name the field {' or '.join(VIDEO_FIELDS[:3])}")
    video = check_id(entry[id_field], location)
    story = entry if "timestamps" in entry else entry.get("captions")
    if story is None:
        _add_caption(builder, builder.open(video, entry.get("duration")), entry, location.at(id=video))
        return
    if video in builder:
        raise location.at(id=video).error("has a second story", hint="keep one")
    _add_story(builder, video, story)
    builder.open(video, entry.get("duration"))


def _add_row(builder: StoryBuilder, row: Mapping[str, str], location: Location) -> None:
    id_field, text_field = first_field(row, VIDEO_FIELDS), first_field(row, TEXT_FIELDS)
    if id_field is None or text_field is None or not {"start", "end"} <= row.keys():
        raise Location(builder.source).error(
            f"the header ({', '.join(row)}) is not that of stories",
            hint="name the columns video_id, start, end, sentence",
        )
    video = row[id_field]
    location = location.at(id=video)
    start, end = (parse_seconds(row[name], location.within(name)) for name in ("start", "end"))
    duration = parse_seconds(row["duration"], location.within("duration")) if row.get("duration") else None
    text = check_text(row[text_field], location.within(text_field))
    builder.add(builder.open(video, duration), start, end, text)
