"""The folder of a world: whole films only, gone on with, never mixed; its files are read by the other commands."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kataribe
from kataribe.core.errors import OutputError, ResourceError
from kataribe.films.casts import read_casts
from kataribe.films.line_files import read_lines
from kataribe.films.world import building, fonts
from kataribe.films.world.building import build_world
from kataribe.films.world.options import WorldOptions
from tests.films.world.conftest import skip_unless_it_can_be_made


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Films of the first seconds only: what is tested is the folder."""
    skip_unless_it_can_be_made("zh")
    whole = building.frames

    def some(*arguments: Any) -> Any:
        return (frame for number, frame in enumerate(whole(*arguments)) if number < 30)

    monkeypatch.setattr(building, "frames", some)


SILENT = WorldOptions("smoke", sound="silent")


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_options_give_the_same_files_and_another_seed_others(quick: None, tmp_path: Path) -> None:
    one, same, other = (tmp_path / name for name in ("one", "same", "other"))
    for folder, options in ((one, SILENT), (same, SILENT), (other, WorldOptions("smoke", sound="silent", seed=9))):
        build_world(folder, options, processes=1)
    assert _files(one) == _files(same)
    assert set(_files(one)) & {"films.json", "cast.json", "N/train.json", "gold/w002.json", "videos/w000.mp4"}
    changed = {name for name, data in _files(other).items() if _files(one).get(name) != data}
    assert {"gold/w000.json", "G/test.json", "videos/w001.mp4", "portraits/w000/01.png"} <= changed


def test_several_processes_make_the_same_films(tmp_path: Path) -> None:
    skip_unless_it_can_be_made("zh")
    options = WorldOptions("smoke", sound="silent")
    for name, processes in (("one", 1), ("three", 3)):
        build_world(tmp_path / name, options, processes=processes)
    assert _files(tmp_path / "one") == _files(tmp_path / "three")


def test_a_second_run_makes_only_what_is_missing(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_world(tmp_path, SILENT, processes=1)
    whole = _files(tmp_path)
    (tmp_path / "videos" / "w001.mp4").unlink()
    (tmp_path / "videos" / ".w001.abc.mp4").write_bytes(b"killed")
    made = []
    make = building.make_film
    monkeypatch.setattr(building, "make_film", lambda *call: made.append(call[2]) or make(*call))
    build_world(tmp_path, SILENT, processes=1)
    assert made == [1]
    assert _files(tmp_path) == whole


def test_a_world_of_other_options_is_refused_and_stays(quick: None, tmp_path: Path) -> None:
    build_world(tmp_path, SILENT, processes=1)
    before = _files(tmp_path)
    with pytest.raises(OutputError, match="holds a world with seed 0, not 1"):
        build_world(tmp_path, WorldOptions("smoke", sound="silent", seed=1))
    with pytest.raises(OutputError, match="holds a world with films 3, not 4"):
        build_world(tmp_path, WorldOptions("smoke", sound="silent", films=4))
    assert _files(tmp_path) == before


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    skip_unless_it_can_be_made("zh")
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="holds other things than a world"):
        build_world(tmp_path, SILENT)
    with pytest.raises(OutputError, match="is a file"):
        build_world(tmp_path / "thesis.tex", SILENT)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_encoder_that_fails_leaves_no_half_film(
    quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: Any) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(building, "write_mp4", full)
    with pytest.raises(OutputError, match=r"w000.mp4: cannot be written \(No space left on device\)"):
        build_world(tmp_path, SILENT, processes=1)
    assert list((tmp_path / "videos").iterdir()) == []


def test_a_missing_font_is_one_line_that_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "FOLDERS", (tmp_path,))
    with pytest.raises(ResourceError, match="install the package fonts-noto-cjk"):
        build_world(tmp_path / "world", SILENT)
    assert not (tmp_path / "world").exists()


def test_an_interrupted_run_leaves_whole_films_and_goes_on(tmp_path: Path) -> None:
    skip_unless_it_can_be_made("en")
    command = [sys.executable, "-m", "kataribe", "build", "world", str(tmp_path / "w"), "--size", "smoke"]
    command += ["--language", "en", "--sound", "silent", "--films", "9", "--processes", "2"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    videos = tmp_path / "w" / "videos"
    while running.poll() is None and not list(videos.glob("w*.mp4")):
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=120)
    done = {path.name for path in videos.glob("w*.mp4")}
    assert running.returncode == 130
    assert f"interrupted; {len(done)} of 9 films are whole, the same command goes on" in said
    assert 0 < len(done) < 9
    assert not (tmp_path / "w" / "films.json").exists()
    kept = {name: (videos / name).stat().st_mtime_ns for name in done}
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith(f"{tmp_path / 'w'}: 9 films (train 7, val 1, test 1)")
    assert {path.name for path in videos.iterdir()} == {f"w{number:03d}.mp4" for number in range(9)}
    assert {name: (videos / name).stat().st_mtime_ns for name in done} == kept


def test_files_are_read_by_what_reads_films(chinese_world: Path) -> None:
    folder = chinese_world
    casts = read_casts(folder / "cast.json")
    gold = json.loads((folder / "gold" / "w001.json").read_text(encoding="utf-8"))
    assert [role.name for role in casts["w001"].roles] == [role["name"] for role in gold["cast"]]
    assert all((folder / role["portrait"]).is_file() for role in gold["cast"])
    for name, kind, lines in (
        ("dialogue", "srt", gold["lines"]),
        ("narration", "vtt", [part for clip in gold["clips"] for part in clip["fragments"]]),
    ):
        read = read_lines(folder / name / f"w001.{kind}").lines
        assert [(line.segment.start, line.segment.end, line.text) for line in read] == [
            (line["start"], line["end"], line["text"]) for line in lines
        ]


def test_a_perfect_narrator_gets_a_perfect_score(chinese_world: Path) -> None:
    pytest.importorskip("jieba", reason="needs kataribe[zh]")
    references = chinese_world / "N" / "test.json"
    result = kataribe.evaluate(
        "narration", references, references, metrics=["role_f1", "cider"], cast=chinese_world / "cast.json"
    )
    assert result["role_f1"].value == 1.0
    assert result["cider"].value > 1


def test_build_movie_gives_back_the_corpus(english_world: Path, tmp_path: Path, capsys: Any) -> None:
    from kataribe.cli.main import _run

    world, corpus = english_world, tmp_path / "corpus"
    limit = json.loads((world / "about.json").read_text(encoding="utf-8"))["clip_characters"]
    arguments = ["build", "movie", str(world / "films.json"), "-o", str(corpus), "--cast", str(world / "cast.json")]
    arguments += ["--split", str(world / "splits.json"), "--clip-characters", str(limit), "--quiet"]
    assert _run(arguments) == 0, capsys.readouterr().err
    for name in ("N", "G"):
        for split in ("train", "val", "test"):
            built, known = ((folder / name / f"{split}.json").read_bytes() for folder in (corpus, world))
            assert built == known


def test_chromium_plays_a_film(english_world: Path, tmp_path: Path, browser: Any) -> None:
    """In the page of a browser: the picture's size, that it moves on, and that its sound is decoded."""
    shutil.copy(english_world / "videos" / "w000.mp4", tmp_path / "film.mp4")
    (tmp_path / "page.html").write_text('<video src="film.mp4" muted></video>')
    page = browser.new_page()
    page.goto(f"file://{tmp_path}/page.html")
    page.evaluate("document.querySelector('video').play()")
    page.wait_for_function("document.querySelector('video').currentTime > 0.5")
    seen = page.evaluate(
        """() => { const v = document.querySelector('video');
        return {width: v.videoWidth, height: v.videoHeight, error: v.error, duration: v.duration,
                sound: v.webkitAudioDecodedByteCount}; }"""
    )
    page.close()
    known = json.loads((english_world / "gold" / "w000.json").read_text(encoding="utf-8"))
    assert (seen["width"], seen["height"], seen["error"]) == (512, 288, None)
    assert seen["duration"] == pytest.approx(known["duration"], abs=0.3)
    assert seen["sound"] > 0


def test_frames_of_the_file_are_those_that_were_planned(chinese_world: Path) -> None:
    from kataribe.films.world.options import random_stream
    from kataribe.films.world.pictures import frames
    from kataribe.films.world.plot import plan_film
    from kataribe.media.video import pictures

    film = plan_film(WorldOptions("smoke"), 0)
    drawn = frames(film, "zh", random_stream(0, "pixels", 0))
    count = 0
    for picture, frame in zip(pictures(chinese_world / "videos" / "w000.mp4"), drawn, strict=True):
        assert picture.time == pytest.approx(count / 8, abs=1e-6)
        if count % 40 == 0:
            assert np.abs(picture.rgb(None).astype(int) - frame).mean() < 6
        count += 1
    assert count == film.length
