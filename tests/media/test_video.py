"""Video files, frame by frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av", reason="video files need PyAV (pip install 'kataribe[video]')")

from kataribe.core.errors import InputError
from kataribe.media.video import pictures
from tests.media.clips import cuts, write_video


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
