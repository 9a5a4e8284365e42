"""Single frames of a video: the right ones, however the file is built."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import InputError
from kataribe.media import moments
from kataribe.media.moments import frames_at, seconds_of, uniform_times

av = pytest.importorskip("av")

WIDTH, HEIGHT = 64, 48


def numbered(number: int) -> np.ndarray:
    """A picture that shows its number as ten black or white bars."""
    bars = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    for bit in range(10):
        bars[:, 6 * bit : 6 * bit + 6] = 255 * (number >> bit & 1)
    return np.repeat(bars[:, :, None], 3, axis=2)


def number_of(pixels: np.ndarray) -> int:
    return sum(1 << bit for bit in range(10) if pixels[10:-10, 6 * bit + 1 : 6 * bit + 5].mean() > 127)


def write(path: Path, stamps: list[int], codec: str = "mpeg4", group: int = 12, first: int = 0) -> Path:
    """Frame n is shown from stamps[n], in milliseconds; a key frame every `group` frames."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        stream.codec_context.gop_size = group
        stream.bit_rate = 2_000_000
        container.start_encoding()
        for number, stamp in enumerate(stamps):
            frame = av.VideoFrame.from_ndarray(numbered(number), format="rgb24")
            frame.pts, frame.time_base = first + stamp, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def shown_at(stamps: list[int], time: float) -> int:
    return int(np.searchsorted(stamps, 1000 * time + 1, side="right")) - 1


@pytest.mark.parametrize(
    ("codec", "group", "ending"), [("mpeg4", 12, "mp4"), ("libx264", 250, "mp4"), ("libx264", 30, "mkv")]
)
@pytest.mark.parametrize("spacing", ["even", "uneven"])
def test_the_frame_at_a_time_is_the_last_that_began(
    tmp_path: Path, codec: str, group: int, ending: str, spacing: str
) -> None:
    rng = np.random.default_rng(1)
    stamps = [40 * number for number in range(1000)]
    if spacing == "uneven":
        stamps = np.concatenate([[0], np.cumsum(rng.integers(10, 90, 999))]).tolist()
    path = write(tmp_path / f"film.{ending}", stamps, codec, group)
    for times in ([0.5, 0.52, 0.52, 30.0, 30.01, 38.0], [25.0], sorted(rng.uniform(0, 38, 25).tolist())):
        found = [number_of(pixels) for pixels in frames_at(path, times)]
        assert found == [shown_at(stamps, time) for time in times]


def test_a_stream_that_starts_late_is_counted_from_its_first_frame(tmp_path: Path) -> None:
    stamps = [40 * number for number in range(800)]
    path = write(tmp_path / "film.mkv", stamps, first=5000)
    assert [number_of(pixels) for pixels in frames_at(path, [0.1, 20.0])] == [2, 500]


def test_far_moments_are_jumped_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "film.mp4", [40 * number for number in range(1000)])
    decoded: list[float] = []
    original = moments._decoded

    def counting(*arguments):
        for time, frame in original(*arguments):
            decoded.append(time)
            yield time, frame

    monkeypatch.setattr(moments, "_decoded", counting)
    assert number_of(next(frames_at(path, [39.0]))) == 975
    assert len(decoded) < 40


def test_an_index_that_leads_too_far_costs_time_and_no_frame(tmp_path: Path) -> None:
    class Misled:
        """A container whose first jump lands at the end."""

        def __init__(self, container) -> None:
            self.container, self.jumps = container, 0

        def seek(self, stamp: int, stream) -> None:
            self.jumps += 1
            self.container.seek(10**9 if self.jumps == 1 else stamp, stream=stream)

        def decode(self, stream):
            return self.container.decode(stream)

    path = write(tmp_path / "film.mp4", [40 * number for number in range(1000)])
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stamp = int(20.0 / stream.time_base)
        frames = moments._frames_from(Misled(container), stream, path, stamp, 0)
        assert number_of(next(frames).to_ndarray(format="rgb24")) == 0


def test_what_the_film_does_not_reach_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "film.mp4", [40 * number for number in range(100)])
    assert seconds_of(path) == pytest.approx(4.0, abs=0.05)
    assert number_of(next(frames_at(path, [4.2]))) == 99  # rounding
    with pytest.raises(InputError, match=r"film.mp4: shows nothing at 9.0 s: its last frame is at 4.0 s"):
        list(frames_at(path, [1.0, 9.0]))
    with pytest.raises(InputError, match=r"film.mp4: shows nothing at 90.0 s"):
        list(frames_at(path, [90.0]))


@pytest.mark.parametrize("content", [b"", b"not a film at all" * 100])
def test_a_file_that_is_no_film_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "film.mp4"
    path.write_bytes(content)
    for look in (seconds_of, lambda file: list(frames_at(file, [1.0]))):
        with pytest.raises(InputError, match=r"film.mp4: cannot be read as a video"):
            look(path)
    with pytest.raises(InputError, match="there is no such file"):
        seconds_of(tmp_path / "absent.mp4")


def test_a_film_that_breaks_off_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "film.mkv", [40 * number for number in range(1000)])
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(InputError, match=r"film.mkv: "):
        list(frames_at(path, [1.0, 39.0]))


def test_moments_are_the_middles_of_equal_parts() -> None:
    assert uniform_times(0, 10, 10) == tuple(number + 0.5 for number in range(10))


def test_frames_come_as_large_as_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "film.mp4", [40 * number for number in range(50)])
    whole, large = (next(frames_at(path, [1.5], size)) for size in (None, (2 * WIDTH, 2 * HEIGHT)))
    assert (whole.shape, large.shape) == ((HEIGHT, WIDTH, 3), (2 * HEIGHT, 2 * WIDTH, 3))
    assert number_of(large[::2, ::2]) == number_of(whole) == 37
