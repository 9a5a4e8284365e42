"""`kataribe build world`: what is printed, written and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kataribe.films.world import building, fonts
from tests.films.world.conftest import skip_unless_it_can_be_made


def test_prints_the_world_beside_movie101(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_unless_it_can_be_made("en")
    monkeypatch.setattr(building, "_write_video", lambda folder, film, *_: (folder / f"videos/{film.id}.mp4").touch())
    folder = tmp_path / "world"
    arguments = (
        "build",
        "world",
        str(folder),
        "--size",
        "smoke",
        "--language",
        "en",
        "--processes",
        "1",
        "--seed",
        "5",
    )
    code, out, err = call(*arguments, "--quiet")
    assert (code, err) == (0, "")
    first, second, *_ = out.splitlines()
    assert first.startswith(f"{folder}: 3 films (train 1, val 1, test 1), ")
    assert first.endswith("minutes, language en, sound narrated, seed 5")
    assert " 9 dialogues, " in second
    assert "clip G, seconds" in out
    assert out.splitlines()[-4].split()[-3:] == ["11.93", "9.0", "23.0"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--size", "big"], "kataribe: --size: no size is called 'big' - there are: smoke, small, train\n"),
        (["--language", "ja"], "kataribe: --language: no language is called 'ja' - there are: zh, en\n"),
        (["--sound", "loud"], "kataribe: --sound: no sound is called 'loud' - there are: narrated, dialogue, silent\n"),
        (
            ["--films", "2"],
            "kataribe: --films 2: must be at least 3 - each of the three splits has one\n",
        ),
    ],
)
def test_a_wrong_option_is_one_line(call, tmp_path: Path, arguments: list[str], line: str) -> None:
    assert call("build", "world", str(tmp_path / "world"), *arguments) == (2, "", line)
    assert list(tmp_path.iterdir()) == []


def test_without_a_synthesiser_the_way_out_is_named(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_unless_it_can_be_made("en")
    monkeypatch.setattr("shutil.which", lambda _: None)
    code, out, err = call("build", "world", str(tmp_path / "world"), "--language", "en")
    assert (code, out) == (2, "")
    assert err == (
        "kataribe: speech needs the program espeak-ng, which was not found - install the package espeak-ng, "
        "or make films without speech: --sound silent\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_without_a_font_the_package_is_named(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL.Image", reason="needs kataribe[films]")
    pytest.importorskip("av", reason="needs kataribe[films]")
    monkeypatch.setattr(fonts, "FOLDERS", (tmp_path,))
    code, _, err = call("build", "world", str(tmp_path / "world"))
    assert code == 2
    assert err.startswith("kataribe: no font for subtitles in the language 'zh' was found")
    assert err.endswith("install the package fonts-noto-cjk\n")
