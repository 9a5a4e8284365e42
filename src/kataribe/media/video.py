"""Video files, frame by frame: decoded with PyAV as a stream, never held whole.

Times are the frames' own time stamps, counted from the first frame of the stream. They are right for variable frame
rates too, where a frame's number times a rate would not be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kataribe.core.caution import Caution, remark
from kataribe.core.errors import InputError, counted
from kataribe.core.need import need
from kataribe.core.progress import report

Pixels = npt.NDArray[np.uint8]
Size = tuple[int, int]

# The endings of files that are taken for films.
SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v", ".mpg", ".ts")

_REPORT_EVERY = 100


@dataclass
class Picture:
    """One frame; its pixels are only made when asked for, once for each size."""

    number: int
    time: float
    frame: Any
    _made: dict[Size | None, Pixels] = field(default_factory=dict)

    def rgb(self, size: Size | None) -> Pixels:
        """(height, width, 3), resized to (width, height), or as large as the frame is."""
        if size not in self._made:
            resized = {} if size is None else {"width": size[0], "height": size[1]}
            self._made[size] = self.frame.to_ndarray(**resized, format="rgb24")
        return self._made[size]


@dataclass(frozen=True)
class Timeline:
    """What is known of a video once it has been read: the time of every frame, and where it ends."""

    times: npt.NDArray[np.float64]
    duration: float

    @property
    def frames(self) -> int:
        return len(self.times)

    @property
    def fps(self) -> float:
        """Frames per second on the whole, whatever single intervals are."""
        return self.frames / self.duration

    @classmethod
    def of(cls, times: list[float]) -> Timeline:
        """The last frame is shown as long as frames are on average."""
        stamps = np.array(times)
        gap = (stamps[-1] - stamps[0]) / (len(stamps) - 1) if len(stamps) > 1 else 1 / 25
        return cls(stamps, float(stamps[-1] + gap))


@dataclass(frozen=True)
class VideoInfo:
    """What a file says of itself before a frame is decoded; `duration` is None where it does not say."""

    duration: float | None
    width: int
    height: int
    has_sound: bool


def describe(path: Path) -> VideoInfo:
    with open_media(path) as container:
        stream = _video_stream(container, path)
        seconds = container.duration / 1_000_000 if container.duration else None
        return VideoInfo(seconds, stream.width, stream.height, bool(container.streams.audio))


def pictures(path: Path, after: float | None = None, skip_broken: bool = False) -> Iterator[Picture]:
    """Every frame of the first video stream, in order of presentation, or only those later than `after`.

    With `after`, what comes before is skipped, not decoded, and frames are numbered from there. Frames that cannot be
    decoded are an error, or are left out with a remark. A file that ends before it says is remarked on.
    """
    number, time, broken = 0, 0.0, Broken()
    with open_media(path) as container:
        stream = _video_stream(container, path)
        stream.thread_type = "AUTO"
        try:
            for frame, time in _stamped(container, stream, path, after, broken if skip_broken else None):
                if after is not None and time <= after:
                    continue
                yield Picture(number, time, frame)
                number += 1
                if number % _REPORT_EVERY == 0:
                    _report(path, container, stream, number, time)
        except _pyav().error.FFmpegError as error:
            where = f"breaks off after {number:,} frames" if number else "is not a video that can be read"
            raise InputError(f"{where} ({_reason(error)})", file=path, hint="is the file whole?") from None
        broken.remark(path, "picture")
        _remark_early_end(path, container, stream, max(time, after or 0.0))
    if not number and after is None:
        raise InputError("has no frame", file=path, hint="a video without length has no boundaries")


@dataclass
class Broken:
    """How much of a stream could not be decoded."""

    packets: int = 0

    def remark(self, path: Path, what: str) -> None:
        if self.packets:
            told = f"{counted(self.packets, 'packet')} of the {what} of {path.name} could not be decoded"
            remark(Caution("broken-frames", f"{told}; what was in them is missing"))


def decoded(container: Any, stream: Any, broken: Broken | None) -> Iterator[Any]:
    """The frames of a stream; packets that cannot be decoded are counted, or raise where nobody counts them."""
    if broken is None:
        yield from container.decode(stream)
        return
    failure = _pyav().error.FFmpegError
    for packet in container.demux(stream):
        try:
            frames = packet.decode()
        except failure:
            broken.packets += 1
        else:
            yield from frames


def _remark_early_end(path: Path, container: Any, stream: Any, end: float) -> None:
    """Sound may go on a little after the picture; more than that is a file that was not copied to its end."""
    length = stream.duration * stream.time_base if stream.duration else (container.duration or 0) / 1_000_000
    if float(length) - end > max(2.0, 0.02 * float(length)):
        told = f"{path.name} should last {float(length):,.0f} s, and its picture ends after {end:,.0f} s"
        remark(Caution("ends-early", f"{told}; is the file whole?"))


def sampled(path: Path, rate: float, after: float | None = None) -> Iterator[Picture]:
    """The first frame at or after each of 0, 1/rate, 2/rate, ... seconds; one that serves two of them comes once.

    Broken frames are left out.
    """
    last = -1 if after is None else _tick(after, rate)
    for picture in pictures(path, after, skip_broken=True):
        tick = _tick(picture.time, rate)
        if tick > last:
            last = tick
            yield picture


def pictures_at(path: Path, times: Sequence[float]) -> Iterator[Picture]:
    """The first frame at or after each time; times ascend. What lies between is skipped where the file allows it."""
    for time in times:
        # A frame's time is rounded to the stream's clock, so that the one wanted may lie a hair before.
        yield from islice(pictures(path, after=time - 1e-3, skip_broken=True), 1)


def _tick(time: float, rate: float) -> int:
    return int(time * rate + 1e-6)


def _stamped(
    container: Any, stream: Any, path: Path, after: float | None, broken: Broken | None
) -> Iterator[tuple[Any, float]]:
    """Frames with their times, from the last key frame that is not later than `after`."""
    first = _first_stamp(container, stream, broken) if after is not None else None
    if first is not None and after is not None and after > 0:
        container.seek(first + int(after / stream.time_base), stream=stream)
    latest = -math.inf
    for number, frame in enumerate(decoded(container, stream, broken)):
        if frame.pts is None:
            raise InputError(f"frame {number} has no time stamp", file=path, hint="convert the file first")
        first = frame.pts if first is None else first
        # After a broken packet a decoder may hand out a frame or two too late.
        if broken is None or frame.pts > latest:
            latest = frame.pts
            yield frame, float((frame.pts - first) * stream.time_base)


def _first_stamp(container: Any, stream: Any, broken: Broken | None) -> int | None:
    for frame in decoded(container, stream, broken):
        container.seek(0)
        return int(frame.pts) if frame.pts is not None else None
    return None


def _report(path: Path, container: Any, stream: Any, number: int, time: float) -> None:
    """By time where the file knows its length, since a resumed run does not start at the first frame."""
    total = container.duration / 1_000_000 if container.duration else None
    if total:
        report(f"{path.name}, seconds", min(int(time), int(total)), int(total))
    else:
        report(path.name, number, max(stream.frames, number))


@contextmanager
def open_media(path: Path) -> Iterator[Any]:
    """The container of a file; one that FFmpeg does not know is named."""
    av = _pyav()
    if not path.is_file():
        raise InputError("there is no such file", file=path, hint="check the path")
    try:
        container = av.open(str(path))
    except av.error.FFmpegError as error:
        problem = f"is not a video that can be read ({_reason(error)})"
        raise InputError(problem, file=path, hint="is the file whole?") from None
    with container:
        yield container


def _video_stream(container: Any, path: Path) -> Any:
    if not container.streams.video:
        raise InputError("has no video stream", file=path, hint="is it a sound file?")
    return container.streams.video[0]


def _reason(error: Any) -> str:
    return error.strerror or type(error).__name__


def _pyav() -> Any:
    av = need("av", extra="video", purpose="reading video files")
    for part in ("av.error", "av.logging"):
        need(part, extra="video", purpose="reading video files")
    # No message of the decoder: they would mix with our own on standard error, and PyAV takes Python's lock for each
    # one that it looks at, for which a decoding thread may wait forever while its video is closed.
    av.logging.set_level(None)
    return av
