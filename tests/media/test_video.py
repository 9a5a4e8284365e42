"""Video files, frame by frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av", reason="video files need PyAV (pip install 'kataribe[video]')")

from kataribe.core.caution import remarking
from kataribe.core.errors import InputError
from kataribe.media.video import pictures, sampled
from tests.media.clips import cuts, write_video
from tests.media.made import make_film


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "is not a video"), (b"hello" * 100, "is not a video"), (None, "there is no such file")],
)
def test_files_that_are_no_videos_cost_one_line(tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "video.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as error:
        next(pictures(path))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_sound_file_and_a_video_without_frames_are_refused(tmp_path: Path) -> None:
    import av

    with av.open(str(tmp_path / "sound.wav"), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 800), dtype=np.int16), format="s16", layout="mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
    with pytest.raises(InputError, match="has no video stream"):
        next(pictures(tmp_path / "sound.wav"))
    empty = write_video(tmp_path / "empty.mkv", [])
    with pytest.raises(InputError, match=r"has no frame|is not a video"):
        list(pictures(empty))


def test_pixels_come_in_the_size_asked_for_or_as_large_as_the_frame(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", cuts(np.random.default_rng(0), (3,)))
    frame = next(pictures(path))
    whole = frame.rgb(None)
    assert whole.shape == cuts(np.random.default_rng(0), (1,))[0].shape
    assert frame.rgb((64, 32)).shape == (32, 64, 3)
    assert frame.rgb(None) is whole


@pytest.mark.parametrize("after", [-1.0, 0.0, 0.3, 2.0, 2.9, 60.0])
def test_frames_after_a_time_are_the_last_ones_of_all(tmp_path: Path, after: float) -> None:
    path = write_video(tmp_path / "v.mp4", cuts(np.random.default_rng(0), (50, 40)))
    every = [(picture.time, picture.rgb(None)) for picture in pictures(path)]
    later = [(picture.time, picture.rgb(None)) for picture in pictures(path, after)]
    wanted = [(time, pixels) for time, pixels in every if time > after]
    assert [time for time, _ in later] == [time for time, _ in wanted]
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(later, wanted, strict=True))


def test_samples_are_the_first_frames_at_even_times_and_go_on_after_a_stop(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", cuts(np.random.default_rng(0), (50, 40)))
    times = [picture.time for picture in sampled(path, 2.4)]
    assert times == pytest.approx([k / 2.4 for k in range(len(times))], abs=1 / 30)
    assert len(times) == 8
    assert [picture.time for picture in sampled(path, 2.4, after=times[2])] == times[3:]
    assert len(list(sampled(path, 1000))) == 90, "no frame comes twice"


def damaged(path: Path, source: Path) -> Path:
    """The same file with noise in the middle of its pictures."""
    content = bytearray(source.read_bytes())
    noise = np.random.default_rng(1).integers(0, 256, len(content) // 6, dtype=np.uint8)
    content[len(content) // 3 : len(content) // 3 + len(noise)] = noise.tobytes()
    path.write_bytes(content)
    return path


def test_broken_frames_are_refused_in_one_line_or_left_out_with_a_remark(tmp_path: Path) -> None:
    broken = damaged(tmp_path / "broken.mp4", make_film(tmp_path / "v.mp4", 5))
    with pytest.raises(InputError, match=r"broken.mp4: breaks off after \d+ frames .* - is the file whole\?$"):
        list(pictures(broken))
    with remarking() as remarks:
        times = [picture.time for picture in pictures(broken, skip_broken=True)]
    assert 0 < len(times) < 5 * 24
    assert times == sorted(times)
    assert [remark.id for remark in remarks] == ["broken-frames"]
    assert "of the picture of broken.mp4 could not be decoded" in remarks[0]


def test_a_file_that_was_not_copied_to_its_end_is_remarked_on(tmp_path: Path) -> None:
    whole = write_video(tmp_path / "v.mkv", cuts(np.random.default_rng(0), (150, 150)))
    half = tmp_path / "half.mkv"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with remarking() as remarks:
        assert len(list(pictures(half))) < 300
    assert [remark.id for remark in remarks] == ["ends-early"]
    assert "half.mkv should last 10 s, and its picture ends after" in remarks[0]
    with remarking() as remarks:
        list(pictures(whole))
    assert not remarks
