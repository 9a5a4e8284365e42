"""The feature file: all stages of a film in one file, written whole, and work that stops goes on."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av", reason="needs kataribe[films]")
pytest.importorskip("onnxruntime", reason="needs kataribe[films]")
pytest.importorskip("rapidocr_onnxruntime", reason="needs kataribe[films]")

from kataribe.core.errors import InputError, OutputError
from kataribe.encoders.histogram import HistogramEncoder
from kataribe.films.feature_file import look, parts_of, read_features
from kataribe.films.frames import FrameStage, frame_vectors
from kataribe.media import speech, stage
from kataribe.media.faces import Box, FaceStage, FoundFace
from kataribe.media.shots import Shots
from kataribe.media.speech import Speech
from kataribe.media.stage import Chunk
from kataribe.media.strip import Strip
from kataribe.media.subtitles import Subtitles
from tests.media.made import make_film, placed

LINES = [(0.5, 2.6, "Where is he?"), (3.4, 5.5, "I don't know.")]


class Moving:
    """A finder that needs no weights: one face, which moves with the picture's brightness."""

    name = "moving"

    def find(self, pixels: np.ndarray) -> list[FoundFace]:
        mean = float(pixels.mean())
        return [FoundFace(Box(mean, 0, mean + 50, 50), mean / 255, np.full(4, mean / 255, dtype=np.float32))]


STAGES = [
    Shots(),
    Speech(),
    Subtitles(Strip(0.8, 1.0)),
    FaceStage(Moving(), rate=4),
    FrameStage(HistogramEncoder(), rate=4),
]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    noise = np.random.default_rng(0).normal(0, 3000, 6 * 22_050).astype(np.int16)
    return make_film(tmp_path_factory.mktemp("film") / "film.mp4", 6, LINES, sound=placed([(0, noise)], 6))


@pytest.fixture(autouse=True)
def _short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a film of six seconds has several."""
    monkeypatch.setattr(stage, "CHUNK", 1.5)
    monkeypatch.setattr(speech, "CHUNK", 1.5)


class Stopping:
    """A stage that stops after some chunks, as a process does that is killed."""

    def __init__(self, inner, chunks: int) -> None:
        self.inner, self.left = inner, chunks

    def __getattr__(self, name: str):
        return getattr(self.inner, name)

    def chunks(self, video: Path, last: Chunk | None) -> Iterator[Chunk]:
        for chunk in self.inner.chunks(video, last):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            yield chunk


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
@pytest.mark.parametrize("stops", [[1], [2, 0, 1]])
def test_a_stage_that_was_stopped_gives_what_one_run_gives(stage, stops, film: Path, tmp_path: Path) -> None:
    through, resumed = tmp_path / "through.npz", tmp_path / "resumed.npz"
    look(stage, film, through)
    for chunks in stops:
        with pytest.raises(KeyboardInterrupt):
            look(Stopping(stage, chunks), film, resumed)
        assert not resumed.exists()
    assert len(list(parts_of(resumed).iterdir())) == sum(stops)
    look(stage, film, resumed)
    assert not parts_of(resumed).exists()
    one, other = (read_features(path).arrays(stage.name) for path in (through, resumed))
    assert one.keys() == other.keys()
    for name, rows in one.items():
        np.testing.assert_array_equal(rows, other[name])
    assert read_features(through).stages == read_features(resumed).stages


def test_all_stages_share_one_file_and_are_not_run_twice(film: Path, tmp_path: Path) -> None:
    path = tmp_path / "film.npz"
    found = {each.name: look(each, film, path) for each in STAGES}
    assert set(read_features(path).stages) == {"shots", "speech", "subtitles", "faces", "frames"}
    assert read_features(path).video["name"] == "film.mp4"
    for each in STAGES:
        again = look(Stopping(each, 0), film, path)  # would stop if it ran
        assert repr(again) == repr(found[each.name])


def test_another_recipe_replaces_the_stage_and_leaves_the_others(film: Path, tmp_path: Path) -> None:
    path = tmp_path / "film.npz"
    look(Shots(), film, path)
    look(FrameStage(HistogramEncoder(), rate=1), film, path)
    assert len(read_features(path).arrays("frames")["time"]) == 6
    look(FrameStage(HistogramEncoder(), rate=2), film, path)
    assert len(read_features(path).arrays("frames")["time"]) == 12
    assert "shots" in read_features(path).stages


def test_parts_of_another_recipe_or_damaged_ones_are_done_again(film: Path, tmp_path: Path) -> None:
    path = tmp_path / "film.npz"
    with pytest.raises(KeyboardInterrupt):
        look(Stopping(Shots(), 3), film, path)
    parts = sorted(parts_of(path).iterdir())
    parts[1].write_bytes(parts[1].read_bytes()[:-20])
    assert look(Shots(), film, path) == look(Shots(), film)
    with pytest.raises(KeyboardInterrupt):
        look(Stopping(FrameStage(HistogramEncoder(), rate=2), 2), film, path)
    assert len(look(FrameStage(HistogramEncoder(), rate=1), film, path).time) == 6


def test_a_feature_file_of_another_film_is_not_touched(film: Path, tmp_path: Path) -> None:
    path, other = tmp_path / "film.npz", make_film(tmp_path / "other.mp4", 1)
    look(Shots(), film, path)
    before = path.read_bytes()
    with pytest.raises(
        OutputError, match=r"film.npz: belongs to another video than other.mp4: film.mp4 - name another"
    ):
        look(Shots(), other, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"PK nothing", b"hello" * 100])
def test_a_file_that_holds_no_features_is_one_line(film: Path, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "film.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"film.npz: is no feature file, or is damaged"):
        look(Shots(), film, path)
    assert path.read_bytes() == content


def test_a_file_of_a_later_format_is_refused(film: Path, tmp_path: Path) -> None:
    path = tmp_path / "film.npz"
    np.savez(path, header=np.array(json.dumps({"format": 2, "video": {}, "stages": {}})))
    with pytest.raises(InputError, match="is a feature file of format 2; this version reads 1"):
        read_features(path)


def test_a_disk_that_fills_up_is_one_line_and_leaves_what_was_there(film: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: writing fails in the middle all the same."""
    path = tmp_path / "film.npz"
    look(Shots(), film, path)
    before = path.read_bytes()
    command = [sys.executable, "-m", "kataribe", "media", "frames", str(film), "--rate", "8", "-o", str(path)]
    limit = len(before) // 2

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    ran = subprocess.run(
        command, preexec_fn=limited, capture_output=True, text=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    )
    complaint = ran.stderr.splitlines()[-1]
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "cannot be written (File too large) - choose another place" in complaint
    assert path.read_bytes() == before
    assert not [each for each in tmp_path.rglob("*") if each.is_file() and each != path and each.suffix != ".npz"]


def test_frames_become_the_vectors_of_the_encoder(film: Path) -> None:
    found = frame_vectors(film, HistogramEncoder(), rate=3)
    assert found.vector.shape == (18, 288)
    assert found.vector.dtype == np.float32
    np.testing.assert_allclose((found.vector**2).sum(axis=1), 1, atol=1e-5)
