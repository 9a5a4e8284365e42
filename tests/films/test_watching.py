"""A film with narration, watched and heard, becomes the lines of a corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av", reason="needs kataribe[films]")
pytest.importorskip("onnxruntime", reason="needs kataribe[films]")
pytest.importorskip("rapidocr_onnxruntime", reason="needs kataribe[films]")

from kataribe.core.caution import remarking
from kataribe.core.types import Caption, Segment
from kataribe.films.feature_file import read_features
from kataribe.films.watching import Watching, watch
from kataribe.media.strip import Strip
from kataribe.media.subtitles import Subtitles
from tests.media.made import make_film, make_narrated_film, needs_espeak, placed, speak

TOLD = [(0.6, "The old man walks slowly along the beach."), (8.0, "She opens the door and takes her coat.")]
SAID = [(4.6, "Where have you been?"), (12.0, "Give me the key.")]
SUBTITLES = Watching(subtitles=Subtitles(Strip(0.8, 1.0)))


class Numbered:
    """A recogniser that only counts: what it is asked first is "1"."""

    name = "numbered"

    def __init__(self) -> None:
        self.asked = 0

    def transcribe(self, samples: np.ndarray) -> list[Caption]:
        self.asked += 1
        return [Caption(Segment(0.0, len(samples) / 16_000), str(self.asked))]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_narrated_film(tmp_path_factory.mktemp("film") / "film.mp4", 15, TOLD, SAID)


@needs_espeak
def test_what_has_a_subtitle_is_dialogue_and_what_has_none_is_narration(film: Path, tmp_path: Path) -> None:
    with remarking() as remarks:
        lines = watch(film, SUBTITLES, features=tmp_path / "film.npz")
    assert (lines.film, round(lines.end)) == ("film", 15)
    assert [line.text for line in lines.dialogue] == [text for _, text in SAID]
    assert [line.segment.start for line in lines.narration] == pytest.approx([0.6, 8.0], abs=0.4)
    assert [line.text for line in lines.narration] == ["", ""]
    assert [remark.id for remark in remarks] == ["no-transcript"]
    assert set(read_features(tmp_path / "film.npz").stages) == {"subtitles", "speech"}


@needs_espeak
def test_a_recogniser_gives_narration_its_text(film: Path) -> None:
    subtitles = [Caption(Segment(start, start + 1.5), text) for start, text in SAID]
    with remarking() as remarks:
        lines = watch(film, Watching(transcriber=Numbered()), subtitles)
    assert [line.text for line in lines.narration] == ["1", "2"]
    assert lines.dialogue == subtitles
    assert not remarks


@needs_espeak
def test_without_subtitles_the_narrators_voice_tells_narration_from_dialogue(film: Path, tmp_path: Path) -> None:
    told = "Two boys run after the bus while the driver laughs. Behind the hill a train goes by at night."
    sample = make_film(tmp_path / "sample.mp4", 9, sound=placed([(0, speak(told, tmp_path))], 9))
    lines = watch(film, Watching(narrator=sample), subtitles=[])
    assert [line.segment.start for line in lines.narration] == pytest.approx([0.6, 8.0], abs=0.4)
    assert [line.segment.start for line in lines.dialogue] == pytest.approx([4.6, 12.0], abs=0.4)


@needs_espeak
def test_without_subtitles_and_voice_all_speech_is_narration_and_that_is_said(film: Path) -> None:
    with remarking() as remarks:
        lines = watch(film, subtitles=[])
    assert (len(lines.narration), len(lines.dialogue)) == (4, 0)
    assert [remark.id for remark in remarks] == ["no-subtitles", "no-transcript"]


def test_a_silent_film_has_dialogue_and_no_narration(tmp_path: Path) -> None:
    film = make_film(tmp_path / "silent.mp4", 4, [(1.0, 3.0, "Where is he?")])
    with remarking() as remarks:
        lines = watch(film, SUBTITLES)
    assert [line.text for line in lines.dialogue] == ["Where is he?"]
    assert lines.narration == []
    assert [remark.id for remark in remarks] == ["no-sound"]
