"""`kataribe judge make`: studies of somebody's data, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jieba", reason="needs kataribe[zh]")

from kataribe.cli.main import _run
from kataribe.people.judge.study import read_study

SENTENCES = ["老李打开房门。", "小宇关上窗户。", "阿海放下行李，老李看着小宇。", "他走了。"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four clips of a film in references and two systems; the last one has no name. A folder with the film."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, lines: list[dict[str, Any]]) -> None:
        (tmp_path / name).write_text(json.dumps(lines, ensure_ascii=False), encoding="utf-8")

    lines = [{"film": "f", "start": 10 * n, "end": 10 * n + 8, "text": text} for n, text in enumerate(SENTENCES)]
    write("refs.json", lines)
    write("vt.json", [{**line, "text": f"vt {n}"} for n, line in enumerate(lines)])
    write("ovp.json", [{**line, "text": f"ovp {n}"} for n, line in enumerate(lines)])
    (tmp_path / "cast.json").write_text(json.dumps({"f": ["老李", "小宇", "阿海"]}), encoding="utf-8")
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "f.mp4").write_bytes(b"a film")
    return tmp_path


RANKING = ["judge", "make", "movie101", "vt.json", "o v/p=ovp.json", "-r", "refs.json", "--cast", "cast.json"]


def test_candidates_are_the_systems_and_two_degraded_references(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run([*RANKING, "--videos", "films", "-o", "study"]) == 0
    said = capsys.readouterr()
    assert "3 clips of 1 film; 4 texts of each: vt, o v/p, wrong_names, wrong_words; 2 checks; seed 0" in said.out
    assert "1 clip has no role's name or no word to degrade, and cannot be drawn [left-out-of-study]" in said.err
    study = read_study(files / "study" / "STUDY.toml")
    assert [dimension.name for dimension in study.settings.dimensions] == ["accuracy", "informativeness", "quality"]
    assert (study.settings.kind, study.settings.show_references) == ("ranking", False)
    for number, (id, item) in enumerate(study.items.items()):
        assert (item.texts["vt"], item.texts["o v/p"]) == (f"vt {number}", f"ovp {number}")
        assert item.references == (SENTENCES[number],)
        assert SENTENCES[number] not in item.texts.values()
        assert item.clip is not None
        assert (item.clip.start, item.clip.end) == (10 * number, 10 * number + 8)
        assert id == f"f_{10 * number}-{10 * number + 8}"


def test_the_same_seed_gives_the_same_study(files: Path) -> None:
    for name in ("one", "two"):
        assert _run([*RANKING, "--sample", "2", "--seed", "5", "-q", "-o", name]) == 0
    one, two = ({path.name: path.read_bytes() for path in (files / name).rglob("*.*")} for name in ("one", "two"))
    assert one == two
    assert len(read_study(files / "one" / "STUDY.toml").items) == 2


def test_the_study_s_files_are_scored_as_they_are(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run([*RANKING, "-q", "-o", "study"]) == 0
    call = ["score", "narration", "study/texts/wrong_names.json", "-r", "study/references.json", "--cast", "cast.json"]
    assert _run([*call, "-m", "role_f1", "-m", "bleu", "-q"]) == 0
    assert "3 of 3 scored" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"o v/p=ovp.json": "wrong_words=ovp.json"}, "'wrong_words' is what the study calls a degraded reference"),
        ({"o v/p=ovp.json": "vt=ovp.json"}, "two systems are called 'vt'"),
        ({"o v/p=ovp.json": "none.json"}, "none.json: there is no such file"),
        ({"cast.json": "other.json"}, "other.json: there is no such file"),
        ({"study": "films"}, "films: holds other things"),
        ({"study": "no/where"}, "no/where: there is no folder no"),
        ({"films": "videos"}, "videos: there is no such folder"),
        ({"films": "empty"}, "empty: has no video of 1 of 1 film: 'f'"),
        ({"3": "0"}, "--sample 0: must be at least 1"),
        ({"vt.json": "strange.json"}, "nothing is in all of them"),
        ({"vt.json": "astray.json"}, "tells another film than in the references"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(
    files: Path, capsys: pytest.CaptureFixture[str], change: dict[str, str], message: str
) -> None:
    (files / "empty").mkdir()
    (files / "strange.json").write_text('{"x": "y"}')
    (files / "astray.json").write_text('[{"id": "f_0-8", "film": "g", "text": "x"}]')
    call = [*RANKING, "--videos", "films", "--sample", "3", "-q", "-o", "study"]
    assert _run([change.get(word, word) for word in call]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1
    assert not (files / "study").exists()


def test_clips_come_with_what_is_told_around_them(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["judge", "make", "movie101-clips", "refs.json", "--videos", "films", "-o", "clips"]) == 0
    assert "4 clips of 1 film; seed 0" in capsys.readouterr().out
    study = read_study(files / "clips" / "STUDY.toml")
    assert study.settings.text_language == "zh"
    assert [item.context for item in study.items.values()] == [
        ("", SENTENCES[1]),
        (SENTENCES[0], SENTENCES[2]),
        (SENTENCES[1], SENTENCES[3]),
        (SENTENCES[2], ""),
    ]


def story(*sentences: str) -> list[dict[str, Any]]:
    return [{"sentence": text, "timestamp": [5 * place, 5 * place + 5]} for place, text in enumerate(sentences)]


@pytest.fixture
def stories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    right = {"v": story("A dog.", "It runs."), "w": story("A cat."), "x": story("One.", "Two.")}
    wrong = {"v": story("It runs.", "A dog."), "w": story("A cat."), "x": story("Two.", "One.")}
    for name, results in (("right", right), ("wrong", wrong)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"version": "1", "results": results}))
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "v.mp4").write_bytes(b"a video")
    (tmp_path / "videos" / "w.mp4").write_bytes(b"a video")
    return tmp_path


def test_videos_that_both_tell_alike_are_left_out(stories: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A story of one caption cannot be shuffled; nobody can say which of two equal stories is better."""
    assert _run(["judge", "make", "soda-order", "right.json", "wrong.json", "--videos", "videos", "-o", "study"]) == 0
    said = capsys.readouterr()
    assert "1 video; 2 texts of each: right, wrong; seed 0" in said.out
    assert "1 video is told alike by both" in said.err
    assert "1 video is not in videos" in said.err
    study = read_study(stories / "study" / "STUDY.toml")
    assert (study.settings.kind, study.settings.equal, list(study.items)) == ("pairs", False, ["v"])


def test_without_videos_there_is_a_warning(stories: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["judge", "make", "soda", "right.json", "wrong.json", "-o", "study"]) == 0
    assert "[no-videos]" in capsys.readouterr().err
    assert _run(["judge", "make", "soda", "right.json", "-o", "other"]) == 2
    assert "soda compares two systems, here are 1" in capsys.readouterr().err
    assert _run(["judge", "make", "soda", "a=right.json", "b=right.json", "-o", "other"]) == 2
    error = capsys.readouterr().err
    assert "the same result is given twice" in error or "both systems tell the same story" in error
