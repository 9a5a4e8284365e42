"""Frames of films as pixels, for a picture encoder that is trained too: decoded once, at the encoder's size.

They lie in a temporary file, 150 kB each at 224 x 224, and are read as they are wanted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kataribe.core.errors import Location, OutputError, UsageError, counted, some
from kataribe.core.progress import report
from kataribe.core.types import Array
from kataribe.grounding.retrieval.pairs import FilmFrames
from kataribe.media.video import SUFFIXES, Size, sampled


def keep_pixels(films: Mapping[str, FilmFrames], folder: Path, size: Size | None, encoder: str) -> dict[str, Array]:
    """The frames of each film that its feature file has vectors of: (frames, height, width, 3)."""
    if size is None:
        raise UsageError(
            f"{encoder} takes pictures as large as they come, and frames are kept at one size",
            hint="train efficientnet-lite0, timm:NAME or a vision model of transformers without texts",
        )
    videos = _find(folder, films)
    file = tempfile.TemporaryFile(prefix="kataribe-frames-")  # noqa: SIM115 - it lives as long as the arrays on it
    counts = {}
    for done, (film, frames) in enumerate(films.items()):
        report("frames", done, len(films))
        times = []
        for picture in sampled(videos[film], frames.rate):
            times.append(picture.time)
            try:
                file.write(picture.rgb(size).tobytes())
            except OSError as error:
                problem = f"frames of the films cannot be kept in {tempfile.gettempdir()} ({error.strerror})"
                raise OutputError(problem, hint="TMPDIR names another folder") from None
        if len(times) != len(frames.time) or not np.allclose(times, frames.time):
            problem = f"has {counted(len(times), 'frame')} where its features have {len(frames.time):,}, or other times"
            raise Location(videos[film], film).error(problem, hint="make its feature file again")
        counts[film] = len(times)
    file.flush()
    width, height = size
    every = np.memmap(file, dtype=np.uint8, mode="r", shape=(sum(counts.values()), height, width, 3))
    return dict(zip(counts, np.split(every, np.cumsum(list(counts.values()))[:-1]), strict=True))


def _find(folder: Path, films: Mapping[str, FilmFrames]) -> dict[str, Path]:
    if not folder.is_dir():
        raise Location(folder).error("there is no such folder", hint="give the folder that holds the films' videos")
    found = {path.stem: path for path in sorted(folder.iterdir()) if path.suffix.lower() in SUFFIXES}
    missing = [film for film in films if film not in found]
    if missing:
        problem = f"has no video of {len(missing):,} of {counted(len(films), 'film')}: {some(missing)}"
        raise Location(folder).error(problem, hint=f"name each file by its film: {missing[0]}.mp4")
    return found
