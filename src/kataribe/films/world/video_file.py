"""Films as mp4 files, H.264 with AAC, that browsers play.

The pixels that go in are the same for the same seed; the bytes of the file depend on the version of the encoder.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.need import need
from kataribe.core.types import Float32s
from kataribe.films.world.film import FPS
from kataribe.films.world.places import HEIGHT, WIDTH
from kataribe.media.video import Pixels

_KEY_EVERY = 5 * FPS  # frames: a player finds any moment quickly
_BLOCK = 1024  # samples of one AAC frame


def write_mp4(path: Path, pictures: Iterable[Pixels], sound: Float32s, rate: int) -> None:
    """Write the file; the sound is as long as the pictures."""
    av = need("av", extra="films", purpose="writing films")
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        video = container.add_stream("libx264", rate=FPS)
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        video.options = {"preset": "superfast", "crf": "22", "g": str(_KEY_EVERY)}
        # One thread: the same pixels in give the same bytes out, and several films are made at once anyway.
        video.codec_context.thread_count = 1
        audio = container.add_stream("aac", rate=rate, layout="mono")
        audio.bit_rate = 64000
        audio.options = {"aac_coder": "fast"}
        heard = 0
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(video.encode(frame))
            # Sound goes in beside the pictures: a player needs both at once.
            heard = _sound_until(container, audio, sound, heard, round((number + 1) / FPS * rate), rate, av)
        _sound_until(container, audio, sound, heard, len(sound) + _BLOCK, rate, av)
        container.mux(video.encode(None))
        container.mux(audio.encode(None))


def _sound_until(container: Any, audio: Any, sound: Float32s, heard: int, until: int, rate: int, av: Any) -> int:
    while heard < len(sound) and heard + _BLOCK <= until:
        block = sound[heard : heard + _BLOCK]
        padded = np.pad(block, (0, _BLOCK - len(block)))
        frame = av.AudioFrame.from_ndarray(padded[None, :], format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = rate, heard, Fraction(1, rate)
        container.mux(audio.encode(frame))
        heard += _BLOCK
    return heard
