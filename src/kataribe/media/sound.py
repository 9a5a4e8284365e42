"""The sound of a file as 16,000 samples a second from one channel, decoded as a stream, never held whole.

Sample 0 is at the time of the first video frame, so that what is heard and what is seen share one clock: sound that
starts earlier is cut off, sound that starts later or has a hole is filled up with silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.errors import InputError
from kataribe.core.need import need
from kataribe.core.progress import report
from kataribe.core.types import Float32s, Segment
from kataribe.media.video import Broken, decoded, open_media

RATE = 16_000
_BLOCK = 4 * RATE
# Time stamps tremble by some samples; what is longer is a hole in the sound.
_HOLE = 0.05


def sound(path: Path) -> Iterator[Float32s]:
    """Blocks of four seconds, between -1 and 1; the last one is shorter."""
    pieces: list[Float32s] = []
    held = 0
    for piece in _pieces(path):
        pieces.append(piece)
        held += len(piece)
        if held >= _BLOCK:
            joined = np.concatenate(pieces)
            whole = len(joined) // _BLOCK * _BLOCK
            for start in range(0, whole, _BLOCK):
                yield joined[start : start + _BLOCK]
            pieces, held = [joined[whole:]], len(joined) - whole
    if held:
        yield np.concatenate(pieces)


def sound_of(path: Path, segments: list[Segment]) -> Iterator[Float32s]:
    """The samples of each segment; segments in order of time. Only what one segment needs is held."""
    blocks, held, start = sound(path), np.zeros(0, dtype=np.float32), 0
    for segment in segments:
        first, last = round(max(0.0, segment.start) * RATE), round(segment.end * RATE)
        while start + len(held) < last and (block := next(blocks, None)) is not None:
            # What lies before this segment is needed by no later one.
            held = np.concatenate([held, block])
            past = min(max(0, first - start), len(held))
            held, start = held[past:], start + past
        yield held[max(0, first - start) : max(0, last - start)]


def has_sound(path: Path) -> bool:
    with open_media(path) as container:
        return bool(container.streams.audio)


def _pieces(path: Path) -> Iterator[Float32s]:
    av = need("av", extra="video", purpose="reading sound")
    need("av.audio.resampler", extra="video", purpose="reading sound")
    made, broken = 0, Broken()
    with open_media(path) as container:
        if not container.streams.audio:
            raise InputError("has no sound", file=path, hint="speech needs a file with a sound track")
        stream = container.streams.audio[0]
        resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        origin = _origin(container)
        total = int(container.duration / 1_000_000) if container.duration else 0
        try:
            for frame in decoded(container, stream, broken):
                missing = _missing(frame, origin, made)
                samples = _samples(resampler.resample(frame))
                if missing > 0:
                    samples = np.concatenate([np.zeros(missing, dtype=np.float32), samples])
                samples = samples[max(0, -missing) if not made else 0 :]
                made += len(samples)
                yield samples
                report(f"{path.name}, sound, seconds", min(made // RATE, total), max(total, 1))
            yield _samples(resampler.resample(None))
        except av.error.FFmpegError as error:  # of the container, not of single packets
            reason = error.strerror or type(error).__name__
            where = f"its sound breaks off after {made / RATE:,.0f} s ({reason})"
            raise InputError(where, file=path, hint="is the file whole?") from None
        broken.remark(path, "sound")


def _origin(container: Any) -> float:
    """When the first video frame is shown; for a file that only sounds, when it starts to."""
    stream = (container.streams.video or container.streams.audio)[0]
    return float(stream.start_time * stream.time_base) if stream.start_time is not None else 0.0


def _missing(frame: Any, origin: float, made: int) -> int:
    """How many samples lie between what was made and this frame; negative where it starts too early."""
    if frame.pts is None:
        return 0
    gap = float(frame.pts * frame.time_base) - origin - made / RATE
    return round(gap * RATE) if gap > _HOLE or not made else 0


def _samples(frames: Any) -> Float32s:
    made = [frame.to_ndarray().reshape(-1) for frame in frames]
    return np.concatenate(made).astype(np.float32) if made else np.zeros(0, dtype=np.float32)
