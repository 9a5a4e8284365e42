"""Files of lines: every form and encoding gives the same lines, and what cannot be lines is refused in one line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kataribe.core.errors import InputError, Location
from kataribe.core.types import Caption, Segment
from kataribe.films.line_files import check_one_voice, cut_overlaps, read_lines

SAID = "束手无策的蒋亮亮亲眼看着自己的车被砸。"
REPLIED = "你是谁？"
EXPECTED = (Caption(Segment(1, 4), SAID), Caption(Segment(5.5, 7), REPLIED))

VTT = f"WEBVTT\n\n00:01.000 --> 00:04.000\n{SAID}\n\n00:05.500 --> 00:07.000\n{REPLIED}\n"
SRT = f"1\n00:00:01,000 --> 00:00:04,000\n{SAID}\n\n2\n00:00:05,500 --> 00:00:07,000\n{REPLIED}\n"
ASS = (
    "[Script Info]\nScriptType: v4.00+\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    f"Dialogue: 0,0:00:01.00,0:00:04.00,Default,,0,0,0,,{{\\i1}}{SAID}\n"
    f"Dialogue: 0,0:00:05.50,0:00:07.00,Default,,0,0,0,,{REPLIED}\n"
)
JSONL = f'{{"start": 5.5, "end": 7, "text": "{REPLIED}"}}\n{{"start_time": "1", "end_time": 4, "content": "{SAID}"}}\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize(("name", "content"), [("a.vtt", VTT), ("a.srt", SRT), ("a.ass", ASS), ("a.jsonl", JSONL)])
def test_every_form_gives_the_same_lines(tmp_path: Path, name: str, content: str, encoding: str) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode(encoding))
    read = read_lines(path)
    assert read.lines == EXPECTED
    assert read.encoding == encoding.removesuffix("-sig")


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.srt.gz").write_bytes(gzip.compress(SRT.encode("gb18030")))
    assert read_lines(tmp_path / "a.srt.gz").lines == EXPECTED


def test_movie101_v2_text_is_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("0:3:33|0:3:40|[程勇]停了车。\n", encoding="utf-8")
    assert read_lines(tmp_path / "a.txt").lines == (Caption(Segment(213, 220), "程勇停了车。"),)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.srt", "hello\nworld\n", "a.srt: has no cue like 00:00:01,000"),
        ("a.vtt", "<html></html>", "a.vtt: (has no cue|is not VTT)"),
        ("a.srt", "1\n-00:00:01,000 --> 00:00:04,000\nx\n", "a.srt: line 2: has a negative time"),
        ("a.srt", "1\n00:00:01,000 --> -00:00:04,000\nx\n", "a.srt: line 2: has a negative time"),
        ("a.ass", ASS.replace(",0:00:01.00,", ",-0:00:01.00,"), "a.ass: line 6: has a negative time"),
        ("a.srt", "1\n00:00:05,000 --> 00:00:04,000\nx\n", "a.srt: cue 1: lasts from 5 to 4 seconds"),
        ("a.jsonl", '{"start": -1, "end": 4, "text": "x"}\n', "a.jsonl: line 1: starts at -1 seconds"),
        ("a.jsonl", '{"start": 1, "end": 1, "text": "x"}\n', "line 1: lasts from 1 to 1 seconds"),
        ("a.jsonl", '{"start": 1, "text": "x"}\n', "a.jsonl: line 1 lacks start, end or text"),
        ("a.jsonl", "[1]\n", r"line 1 is \[1\], not an object"),
        ("a.jsonl", "start 1\n", "line 1 is not JSON"),
        ("a.jsonl", '{"start": "soon", "end": 1, "text": "x"}\n', "start: is 'soon', not a number of seconds"),
        ("a.jsonl", "\n", "a.jsonl: holds no line"),
        ("a.vtt", "WEBVTT\n", "a.vtt: holds no line"),
        ("a.docx", "x", "a.docx: is no file of lines - lines are in .vtt"),
    ],
)
def test_what_cannot_be_lines_is_refused(tmp_path: Path, name: str, content: str, problem: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as refused:
        read_lines(tmp_path / name)
    assert "\n" not in str(refused.value)


def test_a_time_that_somebody_says_is_no_negative_time(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:04,000\n-10:30 at the latest.\n-12:00, 3 p.m.\n")
    assert read_lines(tmp_path / "a.srt").lines[0].text == "-10:30 at the latest.\n-12:00, 3 p.m."


def test_a_picture_called_srt_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    with pytest.raises(InputError, match=r"a\.srt: (is no text|has no cue)"):
        read_lines(tmp_path / "a.srt")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.srt: there is no such file"):
        read_lines(tmp_path / "a.srt")


OVERLAPPING = [Caption(Segment(0, 5), "one"), Caption(Segment(3, 8), "two"), Caption(Segment(8, 9), "three")]


def test_one_voice_cannot_tell_two_things_at_once() -> None:
    with pytest.raises(InputError, match=r"f\.srt: 'two' starts at 3 s, before 'one' has ended at 5 s"):
        check_one_voice(OVERLAPPING, Location("f.srt"))
    check_one_voice([Caption(Segment(0, 5), "one"), Caption(Segment(4.95, 8), "two")], Location("f.srt"))


def test_overlaps_are_cut_where_the_next_line_starts() -> None:
    cut = cut_overlaps(OVERLAPPING, Location("f.srt"))
    assert [line.segment for line in cut] == [Segment(0, 3), Segment(3, 8), Segment(8, 9)]
    assert [line.text for line in cut] == ["one", "two", "three"]
    with pytest.raises(InputError, match=r"f\.srt: two lines start at 3 seconds"):
        cut_overlaps([OVERLAPPING[1], Caption(Segment(3, 4), "x")], Location("f.srt"))
