from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import InputError
from kataribe.core.types import Caption, Segment, Story
from kataribe.formats import source
from kataribe.formats.stories import read_stories

STORY = Story("v", None, (Caption(Segment(0, 4.5), "A dog runs."), Caption(Segment(4, 9), "It jumps.")))
REFERENCE = {"v": {"duration": 9.5, "timestamps": [[0, 4.5], [4, 9]], "sentences": ["A dog runs.", "It jumps."]}}
SUBMISSION = {
    "version": "VERSION 1.0",
    "results": {
        "v": [{"sentence": "A dog runs.", "timestamp": [0, 4.5]}, {"sentence": "It jumps.", "timestamp": [4, 9]}]
    },
    "external_data": {"used": False},
}
STORY_LINES = json.dumps({"id": "v", **REFERENCE["v"]})
CAPTION_LINES = """
{"video_id": "v", "start": 0, "end": 4.5, "sentence": "A dog runs."}
{"video_id": "w", "timestamp": [1, 2], "caption": "Rain."}
{"video_id": "v", "start": 4, "end": 9, "sentence": "It jumps."}
"""
TABLE = "video_id,start,end,sentence\nv,0,4.5,A dog runs.\nw,1,2,Rain.\nv,4,9,It jumps.\n"
VTT = "WEBVTT\n\n00:00.000 --> 00:04.500\n<v Ann>A dog <b>runs.</b>\n\n00:04.000 --> 00:09.000\nIt jumps.\n"
SRT = "1\n00:00:00,000 --> 00:00:04,500\nA dog runs.\n\n2\n00:00:04,000 --> 00:00:09,000\nIt jumps.\n"


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps(REFERENCE)),
        ("a.json", json.dumps(SUBMISSION)),
        ("a.json", json.dumps(SUBMISSION["results"])),
        ("a.json.gz", gzip.compress(json.dumps(SUBMISSION).encode(), mtime=0)),
        ("a.jsonl", STORY_LINES),
        ("a.jsonl", CAPTION_LINES),
        ("a.csv", TABLE),
        ("a.tsv", TABLE.replace(",", "\t")),
        ("v.vtt", VTT),
        ("v.srt", SRT),
        ("v.srt.gz", gzip.compress(SRT.encode(), mtime=0)),
    ],
)
def test_every_format_tells_the_same_story(tmp_path, name, content):
    assert read_stories(written(tmp_path, name, content))["v"].captions == STORY.captions


def test_plain_dictionaries_and_story_objects_are_read_too():
    for data in (REFERENCE, SUBMISSION, [STORY], {"v": STORY}):
        assert read_stories(data)["v"].captions == STORY.captions
    assert read_stories(REFERENCE)["v"].duration == 9.5


def test_a_list_of_something_else_is_refused():
    with pytest.raises(InputError, match="not a Story"):
        read_stories([{"sentence": "a dog"}])


def test_a_folder_holds_one_file_for_each_video(tmp_path):
    written(tmp_path, "v.vtt", VTT)
    written(tmp_path, "w.srt", SRT)
    written(tmp_path, "silent.vtt", "WEBVTT\n")
    written(tmp_path, ".hidden", "")
    table = read_stories(tmp_path)
    assert sorted(table.videos) == ["silent", "v", "w"]
    assert table["w"].captions == STORY.captions
    assert table["silent"].captions == ()


def test_what_subtitles_escape_is_unescaped(tmp_path):
    path = written(tmp_path, "v.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\ncats &amp; dogs\nrun\n")
    assert read_stories(path)["v"].captions[0].text == "cats & dogs\nrun"


def test_times_that_are_no_numbers_are_left_to_the_tasks_policy(tmp_path):
    path = written(tmp_path, "a.json", '{"v": {"timestamps": [[NaN, 4], [0, Infinity]], "sentences": ["a", "b"]}}')
    segments = read_stories(path).captions.segments.values
    assert np.isnan(segments[0, 0])
    assert np.isinf(segments[1, 1])


def story(**changes: object) -> str:
    return json.dumps({"v": REFERENCE["v"] | changes})


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", '{"version": "1", "external_data": {}}', "without `results`"),
        ("a.json", "[1, 2]", "not stories by video id"),
        ("a.json", "", "is empty"),
        ("a.json", "{}", "holds no stories"),
        ("a.json", '{"results": {}}', "holds no stories"),
        ("a.json", '{"v": 3}', "id 'v': is 3, not a story"),
        ("a.json", '{"v": [], "v": []}', "the same id more than once: 'v'"),
        ("a.json", story(timestamps=[[0, 1]]), "id 'v': has 1 timestamps but 2 sentences"),
        ("a.json", story(timestamps=[["0", 1], [0, 1]]), "timestamps[0]: is '0', not a number of seconds"),
        ("a.json", story(timestamps=[[0, 1], [0, True]]), "timestamps[1]: is True, not a number"),
        ("a.json", story(timestamps=[[0, 1], [0, 10**400]]), "timestamps[1]: is 1000"),
        ("a.json", story(timestamps=[[0, 1], [0, 1, 2]]), "timestamps[1]: is [0, 1, 2], not [start, end]"),
        ("a.json", story(timestamps=[[0, 1], 7]), "timestamps[1]: is 7, not [start, end]"),
        ("a.json", story(timestamps={"a": 1}), "must be lists"),
        ("a.json", story(sentences=["a", None]), "sentences[1]: is null"),
        ("a.json", story(sentences=["a", 3]), "sentences[1]: is a number"),
        ("a.json", story(sentences=["a", "\ud800"]), "surrogate"),
        ("a.json", story(sentences=["a", "x" * 40_000]), "characters, more than"),
        ("a.json", story(duration="long"), "duration: is 'long', not a number of seconds"),
        ("a.json", '{"v": [{"timestamp": [0, 1]}]}', "[0]: has no sentence (it has 'timestamp')"),
        ("a.json", '{"v": [{"sentence": "a"}]}', "[0]: has no timestamp"),
        ("a.json", '{"v": ["a"]}', "[0]: is 'a', not an object"),
        ("a.jsonl", '{"sentence": "a"}', "line 1 names no video"),
        ("a.jsonl", f"{STORY_LINES}\n{STORY_LINES}", "id 'v': line 2: has a second story"),
        ("a.csv", "id,from,to,text\nv,0,1,a\n", "the header (id, from, to, text)"),
        ("a.csv", "video_id,start,end,sentence\nv,soon,1,a\n", "line 2, start: is 'soon'"),
        ("v.srt", "no subtitles at all", "has no cue"),
    ],
)
def test_every_mistake_is_one_line_that_says_where(tmp_path, name, content, said):
    path = written(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read_stories(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert said in message
    assert "\n" not in message


def test_a_folder_with_something_else_in_it_is_refused(tmp_path):
    written(tmp_path, "v.vtt", VTT)
    written(tmp_path, "notes.txt", "hello")
    with pytest.raises(InputError, match=r"notes\.txt: is no story file"):
        read_stories(tmp_path)


def test_two_files_for_one_video_are_refused(tmp_path):
    written(tmp_path, "v.vtt", VTT)
    written(tmp_path, "v.srt", SRT)
    with pytest.raises(InputError, match="id 'v': is in two files"):
        read_stories(tmp_path)


def test_a_json_document_beyond_the_limit_is_refused_and_lines_are_not(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "MAX_JSON_CHARACTERS", 50)
    for name, content in (("a.json", json.dumps(REFERENCE)), ("b.json.gz", gzip.compress(b'{"v": []}' + b" " * 99))):
        with pytest.raises(InputError, match="write it as JSON lines"):
            read_stories(written(tmp_path, name, content))
    assert read_stories(written(tmp_path, "a.jsonl", STORY_LINES))["v"].captions == STORY.captions
