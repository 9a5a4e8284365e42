"""Video files, frame by frame: decoded with PyAV as a stream, never held whole.

Times are the frames' own time stamps, counted from the first frame of the stream. They are right for variable frame
rates too, where a frame's number times a rate would not be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kataribe.core.errors import InputError
from kataribe.core.need import need
from kataribe.core.progress import report

Pixels = npt.NDArray[np.uint8]
Size = tuple[int, int]

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


def pictures(path: Path) -> Iterator[Picture]:
    """Every frame of the first video stream, in order of presentation."""
    av = _pyav()
    if not path.is_file():
        raise InputError("there is no such file", file=path, hint="check the path")
    number = 0
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError("has no video stream", file=path, hint="is it a sound file?")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            total = stream.frames
            first = None
            for frame in container.decode(stream):
                if frame.pts is None:
                    raise InputError(f"frame {number} has no time stamp", file=path, hint="convert the file first")
                first = frame.pts if first is None else first
                yield Picture(number, float((frame.pts - first) * stream.time_base), frame)
                number += 1
                if number % _REPORT_EVERY == 0:
                    report(path.name, number, max(total, number))
    except av.error.FFmpegError as error:
        where = f"breaks off after {number:,} frames" if number else "is not a video that can be read"
        reason = error.strerror or type(error).__name__
        raise InputError(f"{where} ({reason})", file=path, hint="is the file whole?") from None
    if not number:
        raise InputError("has no frame", file=path, hint="a video without length has no boundaries")


def _pyav() -> Any:
    av = need("av", extra="video", purpose="reading video files")
    for part in ("av.error", "av.logging"):
        need(part, extra="video", purpose="reading video files")
    # The decoder's messages about damaged packets would mix with our own on standard error.
    av.logging.set_level(av.logging.PANIC)
    return av
