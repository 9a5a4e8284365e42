"""Which speech is the narrator's, and what it says."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("av", reason="needs kataribe[films]")

from kataribe.core.errors import InputError, ResourceError, UsageError
from kataribe.core.types import Caption, Segment
from kataribe.media import transcripts
from kataribe.media.sound import RATE
from kataribe.media.transcripts import FasterWhisper, transcribe
from kataribe.media.voices import MARGIN, SHORTEST, Voice, read_voice, spoken_by, without_subtitles
from tests.media.made import SOUND_RATE, make_film, needs_espeak, placed, speak

SAMPLE = (
    "The old man walks slowly along the beach and looks at the sea for a long time. She opens the door, takes her coat "
    "and leaves without a word to anybody in the house."
)
TOLD = ["He turns round and sees the letter on the table.", "Behind the hill a train goes by in the evening."]
SAID = ["No, I have never been there before, have you?", "Give me the key and go home."]


@st.composite
def segments(draw):
    edges = sorted(draw(st.lists(st.floats(0, 60), max_size=16, unique=True)))
    return [Segment(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False)]


@given(segments(), segments())
def test_narration_is_speech_outside_every_subtitle_and_none_is_lost(speech, lines) -> None:
    subtitles = [Caption(line, "said") for line in lines]
    left = without_subtitles(speech, subtitles)
    assert left == sorted(left)
    for region in left:
        assert region.length >= SHORTEST
        assert any(spoken.start <= region.start and region.end <= spoken.end for spoken in speech)
        assert not any(region & line for line in lines)
    for spoken in speech:  # what is far from every line stays whole
        wide = Segment(spoken.start - MARGIN, spoken.end + MARGIN)
        if spoken.length >= SHORTEST and not any(wide & line for line in lines):
            assert spoken in left


@needs_espeak
def test_a_sample_tells_the_narrator_from_another_voice(tmp_path: Path) -> None:
    sounds = [(0.5, TOLD[0], "en"), (5.0, SAID[0], "en+f4"), (9.5, TOLD[1], "en"), (14.0, SAID[1], "en+f4")]
    spoken = [(start, speak(text, tmp_path, voice)) for start, text, voice in sounds]
    film = make_film(tmp_path / "film.mp4", 17, sound=placed(spoken, 17))
    regions = [Segment(start, start + len(samples) / SOUND_RATE) for start, samples in spoken]
    sample = make_film(tmp_path / "sample.mp4", 10, sound=placed([(0, speak(SAMPLE, tmp_path))], 10))
    assert spoken_by(film, regions, read_voice(sample)) == [regions[0], regions[2]]


def test_a_short_sample_of_a_voice_is_one_line(tmp_path: Path) -> None:
    short = make_film(tmp_path / "short.mp4", 2, sound=placed([], 2))
    with pytest.raises(InputError, match=r"short.mp4: has 2\.\d s of sound; a sample of a voice needs 6 s"):
        read_voice(short)


def test_a_voice_is_near_itself_and_far_from_a_higher_one() -> None:
    time = np.arange(8 * RATE) / RATE

    def hum(pitch: float) -> np.ndarray:
        return sum(np.sin(2 * np.pi * pitch * k * time) / k for k in range(1, 12)).astype(np.float32) / 4

    voice = Voice.of(hum(110))
    assert voice.distance(hum(110)[: 3 * RATE]) < 1
    assert voice.distance(hum(220)[: 3 * RATE]) > 2


class Heard:
    """A recogniser of one's own: it hears how loud a region is, and invents an end beyond it."""

    name = "heard"

    def transcribe(self, samples: np.ndarray) -> list[Caption]:
        loud = float(np.abs(samples).max()) > 0.1
        return [Caption(Segment(0.25, 99.0), "something"), Caption(Segment(1.0, 2.0), "")] if loud else []


def test_texts_stay_in_their_regions_and_no_region_is_lost(tmp_path: Path) -> None:
    tone = (20_000 * np.sin(np.arange(SOUND_RATE) / 20)).astype(np.int16)
    film = make_film(tmp_path / "film.mp4", 6, sound=placed([(1.0, tone)], 6))
    heard = transcribe(film, [Segment(4, 5), Segment(1, 2)], Heard())
    assert heard == [Caption(Segment(1.25, 2), "something"), Caption(Segment(4, 5), "")]


@pytest.fixture
def whisper(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A stand-in for the package faster_whisper, with the calls of its version 1.2."""
    asked: list[object] = []

    class WhisperModel:
        def __init__(self, model: str, device: str, compute_type: str) -> None:
            if not (Path(model) / "model.bin").exists():
                raise RuntimeError("Unable to open file 'model.bin'")

        def transcribe(self, audio, language=None, condition_on_previous_text=True):
            asked.append((len(audio), language, condition_on_previous_text))
            return iter([SimpleNamespace(start=0.0, end=0.5, text=" Hello.")]), SimpleNamespace(language="en")

    module = ModuleType("faster_whisper")
    module.WhisperModel = WhisperModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    transcripts._model.cache_clear()
    return asked


def test_faster_whisper_is_asked_region_by_region(whisper: list[object], tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"")
    film = make_film(tmp_path / "film.mp4", 3, sound=placed([], 3))
    heard = transcribe(film, [Segment(1, 2)], FasterWhisper(tmp_path, "en"))
    assert heard == [Caption(Segment(1, 1.5), "Hello.")]
    assert whisper == [(RATE, "en", False)]


def test_a_model_that_does_not_load_is_one_line(whisper: list[object], tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="does not load as a model of faster-whisper"):
        FasterWhisper(tmp_path).transcribe(np.zeros(RATE, dtype=np.float32))
    with pytest.raises(ResourceError, match="there is no such folder"):
        FasterWhisper(tmp_path / "absent").transcribe(np.zeros(RATE, dtype=np.float32))


def test_speech_to_text_without_the_package_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    transcripts._model.cache_clear()
    with pytest.raises(UsageError, match=r"speech to text needs the package faster_whisper - pip install 'kataribe"):
        FasterWhisper(tmp_path).transcribe(np.zeros(RATE, dtype=np.float32))
