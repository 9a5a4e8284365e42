"""Video files made for the tests, with boundaries that are known to the frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

WIDTH, HEIGHT, FPS = 96, 64, 30


def write_video(path: Path, frames: Iterable[np.ndarray], stamps: Sequence[int] | None = None, fps: int = FPS) -> Path:
    """Lossless enough to keep colours; `stamps` (in 1/1000 s) make a variable frame rate."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=fps)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.bit_rate = 4_000_000
        stream.codec_context.time_base = Fraction(1, 1000)
        container.start_encoding()  # a header, even where no frame follows
        for number, pixels in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts = stamps[number] if stamps else number * 1000 // fps
            frame.time_base = Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def scene(rng: np.random.Generator) -> np.ndarray:
    """A still picture of coloured blocks."""
    blocks = rng.integers(0, 256, (4, 6, 3))
    return np.kron(blocks, np.ones((HEIGHT // 4, WIDTH // 6, 1))).astype(np.uint8)


def hold(picture: np.ndarray, frames: int, rng: np.random.Generator) -> list[np.ndarray]:
    """The picture, with a camera's noise."""
    noise = rng.integers(-3, 4, (frames, *picture.shape))
    return list(np.clip(picture.astype(int) + noise, 0, 255).astype(np.uint8))


def cuts(rng: np.random.Generator, lengths: Sequence[int]) -> list[np.ndarray]:
    return [frame for length in lengths for frame in hold(scene(rng), length, rng)]


def dissolve(rng: np.random.Generator, before: int, during: int, after: int) -> list[np.ndarray]:
    first, second = scene(rng).astype(float), scene(rng).astype(float)
    mixed = [(first + (second - first) * step / during).astype(np.uint8) for step in range(1, during + 1)]
    return [
        *hold(first.astype(np.uint8), before, rng),
        *(frame for picture in mixed for frame in hold(picture, 1, rng)),
        *hold(second.astype(np.uint8), after, rng),
    ]


def colour_change(rng: np.random.Generator, before: int, after: int) -> list[np.ndarray]:
    """The same scene, its light turned from warm to cold."""
    picture = scene(rng).astype(float)
    warm, cold = (picture * light for light in (np.array([1.0, 0.7, 0.4]), np.array([0.4, 0.7, 1.0])))
    return [*hold(warm.astype(np.uint8), before, rng), *hold(cold.astype(np.uint8), after, rng)]


def moving_object(rng: np.random.Generator, slow: int, fast: int) -> list[np.ndarray]:
    """A bright square that creeps and then runs, on a plain ground."""
    frames = []
    place = 4.0
    for number in range(slow + fast):
        place += 0.1 if number < slow else 1.2
        picture = np.full((HEIGHT, WIDTH, 3), 60, dtype=np.uint8)
        left = int(place) % (WIDTH - 16)
        picture[24:40, left : left + 16] = (250, 240, 90)
        frames += hold(picture, 1, rng)
    return frames
