"""Narrations in every form, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kataribe.core.errors import InputError
from kataribe.core.types import Narration, Segment
from kataribe.formats.stories import read_stories
from kataribe.narration.files import read_narrations, read_predictions

FIRST = Narration("f_51-57", "f", Segment(51, 57), "Maria waits.")
SECOND = Narration("f_59.5-64", "f", Segment(59.5, 64), "She leaves, at last.")
LINES = [
    {"movie_id": "f", "start_time": 51, "end_time": 57, "content": "Maria waits."},
    {"movie_id": "f", "start_time": 59.5, "end_time": 64, "content": "She leaves, at last."},
]
VTT = "WEBVTT\n\n00:51.000 --> 00:57.000\nMaria waits.\n\n00:59.500 --> 01:04.000\nShe leaves, at last.\n"
SRT = "1\n00:00:51,000 --> 00:00:57,000\nMaria waits.\n\n2\n00:00:59,500 --> 00:01:04,000\nShe leaves, at last.\n"
ASS = """[Script Info]
ScriptType: v4.00+

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:51.00,0:00:57.00,Default,,0,0,0,,{\\i1}Maria waits.{\\i0}
Comment: 0,0:00:58.00,0:00:59.00,Default,,0,0,0,,a note that nobody says
Dialogue: 0,0:00:59.50,0:01:04.00,Default,,0,0,0,,She leaves, at last.
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("n.json", json.dumps(LINES)),
        ("n.jsonl", "\n".join(map(json.dumps, LINES))),
        ("n.csv", 'film,start,end,text\nf,51,57,Maria waits.\nf,59.5,64,"She leaves, at last."\n'),
        ("n.tsv", "film\tstart\tend\ttext\nf\t51\t57\tMaria waits.\nf\t59.5\t64\tShe leaves, at last.\n"),
        ("f.vtt", VTT),
        ("f.srt", SRT),
        ("f.ass", ASS),
    ],
)
def test_every_form_gives_the_same_lines(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert list(read_narrations(tmp_path / name).values()) == [FIRST, SECOND]
    assert list(read_narrations(tmp_path).values()) == [FIRST, SECOND]


def test_movie101s_results_keep_their_ids_and_have_times_as_text() -> None:
    results = {"35833": {"sentences": ["Maria waits."], "timestamps": [["51", "57"]], "movie_id": "f"}}
    assert read_narrations(results) == {"35833": Narration("35833", "f", Segment(51, 57), "Maria waits.")}


def test_a_prediction_may_be_an_id_and_a_text() -> None:
    assert read_narrations({"1": "Maria waits."})["1"] == Narration("1", None, None, "Maria waits.")
    assert read_narrations([{"id": 1, "text": ""}])["1"] == Narration("1", None, None, "")


def test_a_row_of_a_table_may_leave_cells_empty(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("id,film,start,end,text\n1,,,,\n")
    assert read_narrations(tmp_path / "n.csv")["1"] == Narration("1", None, None, "")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([LINES[0], LINES[0]], "id 'f_51-57': is there twice"),
        ([{"movie_id": "f", "content": "x"}], "entry 1 has neither an id nor its times"),
        ([{"start": 1, "end": 2, "content": "x"}], "entry 1 has neither an id nor its film"),
        ([{"id": 1, "film": "f"}], "entry 1 has no text"),
        ([{"id": 1, "text": None}], "text: is null"),
        ([{"id": 1, "text": "x", "start": 5, "end": 5}], "the line lasts from 5 to 5"),
        ([{"id": 1, "text": "x", "start": 5, "end": "soon"}], "'soon', not a number of seconds"),
        ([{"id": 1, "text": "x", "timestamp": 5}], "5, not [start, end]"),
        ([{"id": 1, "text": ["x", "y"]}], "has 2 texts"),
        (["x"], "entry 1 is 'x', not an object"),
        (7, "holds a single int"),
        ([], "holds no narration"),
    ],
)
def test_what_is_no_narration_is_refused_in_one_line(tmp_path: Path, content: object, said: str) -> None:
    path = tmp_path / "n.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as refused:
        read_narrations(path)
    assert said in str(refused.value)
    assert str(refused.value).startswith(str(path))


def test_a_line_that_never_ends_is_refused() -> None:
    with pytest.raises(InputError, match="lasts from 1 to inf"):
        read_narrations([{"id": 1, "text": "x", "start": 1, "end": float("inf")}])


def test_a_folder_of_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("hello")
    with pytest.raises(InputError, match="is no narration file"):
        read_narrations(tmp_path)


def test_dialogue_is_read_from_ass_without_comments(tmp_path: Path) -> None:
    (tmp_path / "f.ass").write_text(ASS)
    assert [caption.text for caption in read_stories(tmp_path / "f.ass")["f"].captions] == [FIRST.text, SECOND.text]


def test_dialogue_lines_may_name_their_film(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text('{"id": 3, "film": "f", "start": 1, "end": 2, "text": "Hello."}\n')
    assert read_stories(tmp_path / "d.jsonl").videos == ["f"]


@pytest.mark.data
@pytest.mark.parametrize(("part", "lines"), [("N", 1416), ("G", 2768)])
def test_movie101(data_folder: Path, part: str, lines: int) -> None:
    narrations = read_narrations(data_folder / "movie101" / part / "val.json")
    assert len(narrations) == lines
    assert len({narration.film for narration in narrations.values()}) == 10


def test_a_table_of_descriptions_says_which_text_is_whose(tmp_path: Path) -> None:
    path = tmp_path / "cmdad.csv"
    path.write_text("vid,imdbid,start,end,text_gt,text_gen\nv1,tt1,2,4,She waits.,A woman.\n")
    assert read_narrations(path)["v1_2-4"].text == "She waits."
    assert read_predictions(path)["v1_2-4"].text == "A woman."


def test_movie101_v2s_text_is_a_film(tmp_path: Path) -> None:
    (tmp_path / "7.txt").write_text("0:0:5|0:0:9|[李]走了。\n0:0:9|0:0:9|雨。\n0:0:9|0:0:9|风。\n", encoding="utf-8")
    lines = read_narrations(tmp_path / "7.txt")
    assert {id: line.text for id, line in lines.items()} == {"7_5-9": "李走了。", "7_9-10": "雨。", "7_9-10_2": "风。"}
