"""Burnt-in subtitles: the strip is found, lines are read back with their times."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rapidocr_onnxruntime", reason="needs kataribe[films]")
pytest.importorskip("av", reason="needs kataribe[films]")

from kataribe.core.errors import UsageError
from kataribe.media import subtitles
from kataribe.media.strip import Seen, Strip, choose_strip, find_strip
from kataribe.media.subtitles import RATE, Reading, Subtitles, merge, read_subtitles
from tests.media.made import make_film, needs_cjk

LINES = [
    (0.5, 2.2, "We should leave before the rain."),
    (2.3, 3.8, "Where is he?"),
    (5.0, 6.6, "I don't know, ask your brother."),
    (7.4, 9.0, "It is a quarter past nine."),
]
CHINESE = [(0.5, 2.2, "我们应该在下雨之前离开。"), (2.6, 4.0, "他在哪里？"), (4.1, 5.6, "不要走，等等我")]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_film(tmp_path_factory.mktemp("film") / "film.mp4", 10, LINES, logo="KTV1")


def test_lines_over_a_moving_picture_are_read_back_with_their_times(film: Path) -> None:
    read = read_subtitles(film)
    assert [line.text for line in read] == [text for *_, text in LINES]
    for line, (start, end, _) in zip(read, LINES, strict=True):
        assert line.segment.start == pytest.approx(start, abs=0.25)
        assert line.segment.end == pytest.approx(end, abs=0.25)


@needs_cjk
def test_chinese_lines_are_read_back(tmp_path: Path) -> None:
    film = make_film(tmp_path / "film.mp4", 6, CHINESE)
    assert [line.text for line in read_subtitles(film)] == [text for *_, text in CHINESE]


def test_the_strip_is_where_the_lines_are_and_not_the_logo(film: Path) -> None:
    strip = find_strip(film)
    assert strip is not None
    assert 0.75 < strip.top < 0.87
    assert 0.93 < strip.bottom <= 1


def test_a_given_strip_is_taken(film: Path) -> None:
    assert read_subtitles(film, Subtitles(Strip(0.1, 0.5))) == []


@pytest.mark.parametrize("strip", [(0.9, 0.8), (-0.1, 0.5), (0.5, 1.5)])
def test_a_strip_outside_the_picture_is_one_line(strip: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="the strip must be fractions of the height"):
        Subtitles(Strip(*strip))


def test_a_film_without_text_has_no_subtitles(tmp_path: Path) -> None:
    assert read_subtitles(make_film(tmp_path / "film.mp4", 4)) == []


def test_letters_that_stand_are_not_read_again(film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = subtitles.read_lines
    times_read = 0

    def counting(pixels):
        nonlocal times_read
        times_read += 1
        return read(pixels)

    monkeypatch.setattr(subtitles, "read_lines", counting)
    assert len(read_subtitles(film, Subtitles(Strip(0.8, 1.0)))) == len(LINES)
    with_text = sum((end - start) * RATE for start, end, _ in LINES)
    without = 10 * RATE - with_text
    assert times_read < without + with_text / 2


def test_a_sign_on_a_wall_is_no_subtitle() -> None:
    sign = [Seen(4, 0.1, 0.3, 0.3, 0.36, "BAKERY")]
    assert choose_strip(sign, 20) is None


def test_a_second_line_above_belongs_to_the_strip() -> None:
    texts = ["Who is there?", "It is me.", "Come in.", "Sit down."]
    lines = [Seen(i, 0.3, 0.88, 0.7, 0.94, text) for i, text in enumerate(texts)]
    above = [Seen(2, 0.32, 0.81, 0.68, 0.87, "At last you are here")]
    strip = choose_strip([*lines, *above], 20)
    assert strip is not None
    assert strip.top < 0.81


@st.composite
def spoken(draw):
    """Lines of two samples and more, each followed by a pause or by a quite different line."""
    texts = draw(st.lists(st.sampled_from(["Who is there?", "不要走", "Come in!", "等等我", "Nothing."]), max_size=8))
    readings: list[str] = []
    before = ""
    for text in texts:
        if text == before:
            readings += [""] * 3
        readings += [""] * draw(st.integers(0, 2)) + [text] * draw(st.integers(2, 6))
        before = text
    return texts, readings


@given(spoken())
def test_no_line_is_lost_and_none_comes_twice(case) -> None:
    texts, readings = case
    lines = merge([Reading(i / RATE, text, 0.9) for i, text in enumerate(readings)], 1 / RATE)
    assert [line.text for line in lines] == texts
    edges = [edge for line in lines for edge in (line.segment.start, line.segment.end)]
    assert edges == sorted(edges)


def test_one_odd_reading_does_not_split_a_line() -> None:
    readings = ["He is here.", "He is here.", "He is hene.", "He is here."]
    [line] = merge([Reading(float(i), text, 0.9) for i, text in enumerate(readings)], 1.0)
    assert (line.text, line.segment.end) == ("He is here.", 3.5)


def test_lines_that_differ_little_and_both_stand_are_two() -> None:
    readings = ["He is here."] * 3 + ["He is there."] * 3
    lines = merge([Reading(float(i), text, 0.9) for i, text in enumerate(readings)], 1.0)
    assert [line.text for line in lines] == ["He is here.", "He is there."]
