"""Single frames of a video file: what is shown at given times, without decoding all that lies between.

Times are seconds from the first frame of the stream, as everywhere in `media`. The frame at a time is the last one
that began at or before it. The file is read once from front to back; where the next time is far ahead, the decoder
jumps to the key frame before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kataribe.core.errors import InputError
from kataribe.core.need import need
from kataribe.media.video import Pixels, Size

# Seconds. Key frames are rarely further apart than this: a shorter jump would decode the same frames twice.
_FAR = 12.0
# Seconds. Lengths in headers, and times that people wrote down, are rounded.
SLACK = 0.5
# Time stamps are rounded to the stream's clock.
_ROUNDING = 1e-3


class Clip(NamedTuple):
    """Some moments of a video file, in ascending order."""

    file: Path
    times: tuple[float, ...]


def uniform_times(start: float, end: float, count: int) -> tuple[float, ...]:
    """The middles of `count` equal parts.

    >>> uniform_times(10, 20, 5)
    (11.0, 13.0, 15.0, 17.0, 19.0)
    """
    return tuple(start + (end - start) * (part + 0.5) / count for part in range(count))


def seconds_of(path: Path) -> float | None:
    """How long the video is by its header, if that says so; a file that is no video is named."""
    with _opened(path) as (container, stream):
        if stream.duration is not None:
            return float(stream.duration * stream.time_base)
        return None if container.duration is None else float(container.duration / 1e6)


def frames_at(path: Path, times: Sequence[float], size: Size | None = None) -> Iterator[Pixels]:
    """The frame at each time, resized to (width, height) if asked for; times ascend. At most two frames are held."""
    resized = {} if size is None else {"width": size[0], "height": size[1]}
    with _opened(path) as (container, stream):
        decoded = _decoded(container, stream, path, times)
        shown = next(decoded)
        ahead: tuple[float, Any] | None = None
        for time in times:
            while (ahead := ahead or next(decoded, None)) is not None and ahead[0] <= time + _ROUNDING:
                shown, ahead = ahead, None
            if ahead is None and time > shown[0] + SLACK + _gap(stream):
                problem = f"shows nothing at {time:.1f} s: its last frame is at {shown[0]:.1f} s"
                raise InputError(problem, file=path, hint="is it the same cut of the film, and are times in seconds?")
            yield shown[1].to_ndarray(**resized, format="rgb24")


def _decoded(container: Any, stream: Any, path: Path, times: Sequence[float]) -> Iterator[tuple[float, Any]]:
    """Frames with their times: the first one, then those from shortly before each of the times on."""
    frames = _frames_from(container, stream, path, 0, 0)
    first = next(frames, None)
    if first is None:
        raise InputError("has no frame", file=path, hint="is the file whole?")
    start, at = first.pts, 0.0
    yield at, first
    for time in times:
        if time - at > _FAR:
            target = start + int(time / stream.time_base)
            frames = _frames_from(container, stream, path, target, start)
        for frame in frames:
            at = float((frame.pts - start) * stream.time_base)
            yield at, frame
            if at > time:
                break


def _frames_from(container: Any, stream: Any, path: Path, stamp: int, start: int) -> Iterator[Any]:
    """Frames from the last key frame before a stamp on; from the first frame, if the file's index leads too far."""
    if stamp:
        container.seek(stamp, stream=stream)
    is_first = True
    for frame in container.decode(stream):
        if frame.pts is None:
            raise InputError("has a frame without a time stamp", file=path, hint="convert the file first")
        if is_first and stamp and frame.pts > stamp:
            container.seek(start, stream=stream)
            yield from _frames_from(container, stream, path, 0, start)
            return
        is_first = False
        yield frame


def _gap(stream: Any) -> float:
    """How long a frame is shown, as far as the header tells."""
    return float(1 / stream.average_rate) if stream.average_rate else 0.0


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Any]]:
    av = need("av", extra="video", purpose="reading video files")
    for part in ("av.error", "av.logging"):
        need(part, extra="video", purpose="reading video files")
    av.logging.set_level(av.logging.PANIC)  # its messages about damaged packets would mix with our own
    if not path.is_file():
        raise InputError("there is no such file", file=path, hint="check the path")
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError("has no video stream", file=path, hint="is it a sound file?")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            yield container, stream
    except av.error.FFmpegError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"cannot be read as a video ({reason})", file=path, hint="is the file whole?") from None
