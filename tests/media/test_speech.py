"""Speech regions, and the sound they are heard in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("onnxruntime", reason="needs kataribe[films]")
pytest.importorskip("av", reason="needs kataribe[films]")

from kataribe.core.errors import InputError
from kataribe.core.types import Segment
from kataribe.media.sound import RATE, sound, sound_of
from kataribe.media.speech import PERIOD, Speech, find_regions, speech_regions
from tests.media.made import SOUND_RATE, bikes, make_film, needs_espeak, placed, speak, woman


@needs_espeak
def test_regions_are_where_somebody_speaks(tmp_path: Path) -> None:
    said = [speak("Good evening, is there anybody at home?", tmp_path), speak("I will come back tomorrow.", tmp_path)]
    film = make_film(tmp_path / "film.mp4", 9, sound=placed([(1.0, said[0]), (5.5, said[1])], 9))
    regions = speech_regions(film)
    assert len(regions) == 2
    for region, (start, samples) in zip(regions, [(1.0, said[0]), (5.5, said[1])], strict=True):
        assert region.start == pytest.approx(start, abs=0.3)
        assert region.end == pytest.approx(start + len(samples) / SOUND_RATE, abs=0.45)


def test_nobody_speaks_on_the_real_clip() -> None:
    assert speech_regions(woman()) == []


def test_a_video_without_sound_is_one_line() -> None:
    with pytest.raises(InputError) as caught:
        speech_regions(bikes())
    assert str(caught.value).endswith("bikes.mp4: has no sound - speech needs a file with a sound track")


def test_samples_of_regions_are_those_of_the_whole(tmp_path: Path) -> None:
    tone = (3000 * np.sin(np.arange(9 * SOUND_RATE) / 20)).astype(np.int16)
    film = make_film(tmp_path / "film.mp4", 9, sound=tone)
    whole = np.concatenate(list(sound(film)))
    assert len(whole) / RATE == pytest.approx(9, abs=0.1)
    regions = [Segment(0.5, 1.25), Segment(1.0, 5.0), Segment(4.75, 8.5), Segment(8.9, 20)]
    for region, samples in zip(regions, sound_of(film, regions), strict=True):
        first, last = round(region.start * RATE), round(region.end * RATE)
        np.testing.assert_array_equal(samples, whole[first:last])


def test_sound_that_starts_later_is_heard_at_its_time(tmp_path: Path) -> None:
    """A click two seconds into a track that itself starts one second after the picture."""
    import av

    path = tmp_path / "late.mkv"
    click = np.zeros((1, 4 * RATE), dtype=np.int16)
    click[0, 2 * RATE] = 30_000
    with av.open(str(path), "w") as container:
        video, audio = container.add_stream("mpeg4", rate=25), container.add_stream("pcm_s16le", rate=RATE)
        video.width, video.height, video.pix_fmt = 64, 64, "yuv420p"
        audio.layout = "mono"
        for number in range(125):
            frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), dtype=np.uint8), format="rgb24")
            frame.pts = number
            container.mux(video.encode(frame))
        container.mux(video.encode())
        for first in range(0, click.shape[1], 1600):
            frame = av.AudioFrame.from_ndarray(click[:, first : first + 1600].copy(), format="s16", layout="mono")
            frame.sample_rate, frame.pts = RATE, first + RATE
            container.mux(audio.encode(frame))
        container.mux(audio.encode())
    samples = np.concatenate(list(sound(path)))
    assert abs(samples).argmax() / RATE == pytest.approx(3.0, abs=0.01)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 30)), max_size=20))
def test_regions_are_in_order_apart_and_cover_all_lasting_speech(runs: list[tuple[float, int]]) -> None:
    probability = np.repeat([p for p, _ in runs], [n for _, n in runs]) if runs else np.zeros(0)
    rule = Speech()
    regions = find_regions(probability, rule)
    edges = [edge for region in regions for edge in (region.start, region.end)]
    assert edges == sorted(edges)
    assert all(region.length >= rule.shortest for region in regions)
    windows = [Segment(i * PERIOD, (i + 1) * PERIOD) for i in range(len(probability))]
    lasting = int(np.ceil(rule.shortest / PERIOD)) + 1
    for i in range(len(windows) - lasting):
        if (probability[i : i + lasting] >= rule.threshold).all():
            middle = (windows[i].start + windows[i + lasting - 1].end) / 2
            assert any(region.start <= middle <= region.end for region in regions)
