"""Movie101 in and out; the published data is rebuilt by the rules."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from kataribe.core.errors import InputError
from kataribe.core.types import Caption, Segment
from kataribe.films.actions import count_letters
from kataribe.films.casts import read_casts
from kataribe.films.clips import named_clips
from kataribe.films.joining import join_texts
from kataribe.films.movie101 import (
    Movie101,
    narrations_document,
    read_movie101,
    read_narrations,
    read_shots,
    shots_document,
)
from kataribe.films.movie101_v2 import (
    FilmFacts,
    FilmText,
    Mark,
    MarkedLine,
    facts_document,
    marked,
    read_facts,
    read_short,
    read_v2,
    write_short,
    write_v2,
)
from kataribe.films.shots import shots_with_clips
from kataribe.films.statistics import count_clips
from kataribe.narration.files import read_narrations as read_any_narrations


@pytest.fixture(scope="module")
def published(data_folder: Path) -> Movie101:
    return read_movie101(data_folder / "movie101")


@pytest.mark.data
def test_long_clips_are_the_clips_inside_their_span(published: Movie101) -> None:
    rebuilt = 0
    for long in published.n["val"]:
        inside = [
            clip.text
            for clip in published.g["val"]
            if clip.film == long.film and clip.segment and long.segment and clip.segment & long.segment == clip.segment
        ]
        rebuilt += join_texts(inside) == long.text
    assert (rebuilt, len(published.n["val"])) == (1416, 1416)


@pytest.mark.data
def test_shots_are_rebuilt_from_the_clips(published: Movie101) -> None:
    rebuilt = 0
    for film, shots in published.gsr["val"].items():
        clips = [Caption(clip.segment, clip.text) for clip in published.g["val"] if clip.film == film and clip.segment]
        span = Segment(shots[0].segment.start, shots[-1].segment.end)
        assert shots_with_clips(clips, span) == shots
        rebuilt += len(shots)
    assert rebuilt == 2190


@pytest.mark.data
def test_the_text_has_another_rule_than_the_data(published: Movie101) -> None:
    """ "More than half", as the text says, does not give the published shots."""
    films = published.gsr["val"].items()
    clips = {
        film: [Caption(c.segment, c.text) for c in published.g["val"] if c.film == film and c.segment]
        for film, _ in films
    }
    same = 0
    for film, shots in films:
        span = Segment(shots[0].segment.start, shots[-1].segment.end)
        same += len(set(shots) & set(shots_with_clips(clips[film], span, overlap="more")))
    assert 1900 < same < 2190


@pytest.mark.data
def test_published_files_are_written_as_they_were(data_folder: Path, published: Movie101) -> None:
    folder = data_folder / "movie101"
    for name in ("G", "N"):
        path = folder / name / "val.json"
        assert narrations_document(read_narrations(path)) == json.loads(path.read_text(encoding="utf-8"))
    entries = json.loads((folder / "GSR" / "val.json").read_text(encoding="utf-8"))
    first_ids = {entry["video"].split("_")[0]: entry["video_id"] for entry in reversed(entries)}
    written = [e for film, shots in published.gsr["val"].items() for e in shots_document(film, shots, first_ids[film])]
    assert sorted(written, key=lambda e: e["video_id"]) == entries


@pytest.mark.data
def test_statistics_of_the_published_clips_are_near_the_papers(published: Movie101) -> None:
    pytest.importorskip("jieba")
    films = sorted({str(clip.film) for clip in published.g["val"]})[:3]
    clips = [clip for clip in published.g["val"] if clip.film in films]
    counts = count_clips(clips, None)
    assert fmean(counts.letters) == pytest.approx(47.3, abs=6)
    assert fmean(counts.actions or ()) == pytest.approx(6.9, abs=1)


@pytest.mark.data
def test_v2_is_read_and_written_byte_for_byte(data_folder: Path) -> None:
    paths = sorted((data_folder / "movie101" / "v2-short-zh").glob("*.txt"))
    lines = 0
    for path in paths:
        read = read_short(path)
        lines += len(read)
        assert write_short(read).encode() == path.read_bytes()
    assert (len(paths), lines) == (203, 71007)


@pytest.mark.data
def test_text_statistics_of_v2(data_folder: Path) -> None:
    """As docs/films.md prints them; actions, which take minutes, of one film."""
    films = read_v2(data_folder / "movie101")
    lines = [line for film in films.values() for line in film.lines]
    assert round(fmean(count_letters(line.text) for line in lines), 1) == 33.0
    assert round(fmean(line.caption.segment.length for line in lines), 1) == 8.3
    genres = Counter(genre for film in films.values() for genre in film.facts.genres)
    assert genres.most_common(3) == [("喜剧", 65), ("爱情", 61), ("动作", 31)]
    clips = named_clips("f", [line.caption for line in films["6963491699926499871"].lines])
    cast = read_casts(data_folder / "movie101" / "v2-meta" / "6963491699926499871.json")["6963491699926499871"]
    counts = count_clips(clips, cast)
    assert 0.8 < fmean(counts.roles or ()) < 1.6
    pytest.importorskip("jieba")
    assert 4 < fmean(counts.actions or ()) < 9


@pytest.mark.data
def test_v2_marks_are_those_that_the_cast_gives_or_names_beyond_it(data_folder: Path) -> None:
    path = data_folder / "movie101" / "v2-short-zh" / "6963491699926499871.txt"
    cast = read_casts(data_folder / "movie101" / "v2-meta" / f"{path.stem}.json")[path.stem]
    lines = read_short(path)
    ours = marked([line.caption for line in lines], cast)
    theirs = sum(name in cast.names for line in lines for name in line.names)
    both = sum(len(set(a.marks) & set(b.marks)) for a, b in zip(lines, ours, strict=True))
    assert theirs > 400
    assert both > 0.98 * theirs


@pytest.mark.data
def test_v2_text_can_be_scored(data_folder: Path) -> None:
    path = data_folder / "movie101" / "v2-short-zh" / "6963491699926499871.txt"
    narrations = read_any_narrations(path)
    assert len(narrations) == len(read_short(path))
    assert narrations["6963491699926499871_213-220"].text.startswith("程勇开着")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"a": 1}', "holds a dict, not a list"),
        ("[3]", "entry 1: is 3, not an object"),
        ('[{"movie_id": "7", "start_time": 1, "end_time": 2}]', "entry 1: has no content"),
        ('[{"movie_id": "7", "start_time": 2, "end_time": 2, "content": "x"}]', "lasts from 2 to 2"),
        ('[{"movie_id": "7", "start_time": "soon", "end_time": 2, "content": "x"}]', "'soon', not a number"),
    ],
)
def test_what_is_no_movie101_is_refused(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "val.json").write_text(content)
    with pytest.raises(InputError, match=problem):
        read_narrations(tmp_path / "val.json")


def test_a_shot_without_times_is_refused(tmp_path: Path) -> None:
    (tmp_path / "val.json").write_text('[{"video_id": 0, "video": "7042", "caption": ["x"]}]')
    with pytest.raises(InputError, match="entry 1, video: is '7042'"):
        read_shots(tmp_path / "val.json")


def test_a_folder_without_any_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no Movie101 folder - it has G/val\.json"):
        read_movie101(tmp_path)


@pytest.mark.parametrize(
    "written", ["0:3:33|0:3:40|[程勇]停了车。\n", "1:0:0|1:0:0|他[说。\n", "0:0:1|0:0:2|[a][b]\n0:0:3|0:0:4|c\n"]
)
def test_v2_lines_survive_reading_and_writing(tmp_path: Path, written: str) -> None:
    (tmp_path / "f.txt").write_text(written, encoding="utf-8")
    assert write_short(read_short(tmp_path / "f.txt")) == written


def test_a_v2_line_of_no_length_has_its_second() -> None:
    assert MarkedLine(10, 10, "雨").caption.segment == Segment(10, 11)


def test_names_of_the_cast_are_marked_by_longest_match() -> None:
    cast = read_casts({"f": ["李", "老李"]})["f"]
    assert marked([Caption(Segment(1, 2), "老李看着李。")], cast)[0].marks == (Mark(0, 2), Mark(4, 5))


@pytest.mark.parametrize(("line", "problem"), [("hello", "not like 0:3:33"), ("0:0:9|0:0:3|x", "lasts from 9 to 3")])
def test_what_is_no_v2_line_is_refused(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "f.txt").write_text(line)
    with pytest.raises(InputError, match=problem):
        read_short(tmp_path / "f.txt")


def test_v2_metadata_goes_round(tmp_path: Path) -> None:
    meta = {"id": "7", "title": "t", "genre": ["剧情", "喜剧"], "role": {"0": {"actor": "a", "role": "A"}}}
    (tmp_path / "7.json").write_text(json.dumps(meta))
    facts, cast = read_facts(tmp_path / "7.json"), read_casts(tmp_path / "7.json")["7"]
    assert facts_document(facts, cast) == meta


def test_v2_films_are_written_and_read_again(tmp_path: Path) -> None:
    cast = read_casts({"7": ["老李"]})["7"]
    lines = marked([Caption(Segment(5, 9), "老李走了。")], cast)
    film = FilmText(FilmFacts("7", "t", ("剧情",)), tuple(lines))
    write_v2(tmp_path, [(film, cast)])
    assert (tmp_path / "v2-short-zh" / "7.txt").read_text(encoding="utf-8") == "0:0:5|0:0:9|[老李]走了。\n"
    assert read_v2(tmp_path) == {"7": film}
    assert read_casts(tmp_path / "v2-meta" / "7.json")["7"].names == ("老李",)


def test_a_folder_without_v2_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no v2-short-zh with text files"):
        read_v2(tmp_path)


def test_other_metadata_is_refused(tmp_path: Path) -> None:
    (tmp_path / "7.json").write_text('{"id": 7}')
    with pytest.raises(InputError, match="is not Movie101 v2's metadata"):
        read_facts(tmp_path / "7.json")
