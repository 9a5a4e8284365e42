"""`kataribe media`: the answer on standard output or in a file, one line for what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("av", reason="needs kataribe[films]")
pytest.importorskip("dlib", reason="needs kataribe[films]")
pytest.importorskip("onnxruntime", reason="needs kataribe[films]")
pytest.importorskip("rapidocr_onnxruntime", reason="needs kataribe[films]")

from tests.media.made import bikes, make_film, woman


def test_subtitles_are_printed_as_srt_or_written_in_three_ways(call, tmp_path: Path) -> None:
    film = str(make_film(tmp_path / "film.mp4", 4, [(1.0, 3.0, "Where is he?")]))
    code, out, _ = call("media", "subtitles", film, "--strip", "0.8:1", "-o", str(tmp_path / "film.npz"))
    number, times, text = out.splitlines()
    assert (code, number, text) == (0, "1", "Where is he?")
    assert times.startswith("00:00:0")
    for kind, starts in (("vtt", "WEBVTT"), ("srt", "1\n"), ("json", "[")):
        code, out, _ = call("media", "subtitles", film, "--strip", "0.8:1", "-o", str(tmp_path / f"film.{kind}"))
        assert (code, out) == (0, "")
        assert (tmp_path / f"film.{kind}").read_text().startswith(starts)
    assert json.loads((tmp_path / "film.json").read_text())[0]["text"] == "Where is he?"


def test_shots_of_the_real_clip(call) -> None:
    code, out, _ = call("media", "shots", str(bikes()))
    rows = [list(map(float, line.split())) for line in out.splitlines()]
    assert code == 0
    assert [start for start, _ in rows] == pytest.approx([0, 1.2, 3.04, 5.48, 7.48, 9.68], abs=0.05)


def test_faces_of_the_real_clip_are_one_track_in_the_feature_file(call, tmp_path: Path) -> None:
    code, out, err = call("media", "faces", str(woman()), "--rate", "0.5", "-o", str(tmp_path / "film.npz"))
    assert code == 0
    assert out.splitlines()[0].split() == ["track", "from", "to", "faces", "score"]
    assert out.splitlines()[1].split()[:4] == ["0", "0.00", "18.02", "10"]
    assert err.splitlines()[-1] == "kataribe: 10 faces in 10 of 10 frames"
    code, out, _ = call("media", "frames", str(woman()), "-o", str(tmp_path / "film.npz"))
    assert (code, out) == (0, f"{tmp_path / 'film.npz'}: 20 frames, 288 numbers each, by histogram\n")


def test_a_clip_in_which_nothing_is_found_says_so(call) -> None:
    for arguments, says in (
        (["faces", str(bikes()), "--rate", "0.5"], "kataribe: 0 faces in 0 of 5 frames"),
        (["speech", str(woman())], "kataribe: nobody speaks"),
    ):
        code, out, err = call("media", *arguments)
        assert (code, out, err.splitlines()[-1]) == (0, "", says)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["speech", "BIKES"], "bikes.mp4: has no sound - speech needs a file with a sound track"),
        (["shots", "absent.mp4"], "absent.mp4: there is no such file - check the path"),
        (["shots", "BIKES", "-o", "shots.txt"], "shots.txt: this stage does not write .txt - there are: .npz, .json"),
        (["shots", "BIKES", "-o", "no/shots.json"], "no/shots.json: there is no folder no - create it first"),
        (["subtitles", "BIKES", "--strip", "low"], "--strip low: is not TOP:BOTTOM - --strip 0.8:0.95, say"),
        (["subtitles", "BIKES", "--strip", "0.9:0.2"], "the strip must be fractions of the height, top before bottom"),
        (["faces", "BIKES", "--upsample", "9"], "upsample must be 0 to 3, not 9"),
        (["faces", "BIKES", "--portraits", "absent"], "absent: is not a folder"),
        (["frames", "BIKES", "-o", "f.npz", "--encoder", "none"], "no backbone is called 'none'"),
    ],
)
def test_mistakes_are_one_line(call, arguments: list[str], says: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = call("media", *(str(bikes()) if word == "BIKES" else word for word in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err
    assert list(tmp_path.iterdir()) == []
