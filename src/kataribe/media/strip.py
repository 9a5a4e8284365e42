"""Where a film has its subtitles: the band of the picture in which ever other lines of text come and go.

Up to 60 pictures, spread over the film, are read whole. Text that stays in one place in more than half of them is a
logo and does not count. The strip is around the height at which most different texts were read (the lower one of two
that tie); a second line above or below joins it where it was seen together with the first, over the same middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kataribe.media.ocr import Line, read_lines
from kataribe.media.video import describe, pictures_at

_PICTURES, _WIDTH = 60, 640
_SURE, _ALIKE = 0.7, 0.8


class Strip(NamedTuple):
    """A band across the picture, as fractions of its height: (0, 1) is all of it."""

    top: float
    bottom: float


class Seen(NamedTuple):
    """A line of one of the pictures; edges are fractions of the picture."""

    picture: int
    left: float
    top: float
    right: float
    bottom: float
    text: str

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        return self.bottom - self.top


def find_strip(video: Path) -> Strip | None:
    """Of a video file; None where no text comes and goes."""
    info = describe(video)
    duration = info.duration or 0.0
    count = int(np.clip(duration, 4, _PICTURES))
    times = [(index + 0.5) * duration / count for index in range(count)]
    width = min(_WIDTH, info.width)
    size = (width, round(info.height * width / info.width))
    seen = []
    for number, picture in enumerate(pictures_at(video, times)):
        pixels = picture.rgb(size)
        seen += [_seen(number, line, size) for line in read_lines(pixels) if line.confidence >= _SURE]
    return choose_strip(seen, count)


def choose_strip(seen: Sequence[Seen], pictures: int) -> Strip | None:
    """Among lines read in some pictures of a film.

    >>> texts = ["Who is there?", "It is me.", "Come in."]
    >>> lines = [Seen(i, 0.3, 0.85, 0.7, 0.92, text) for i, text in enumerate(texts)]
    >>> logo = [Seen(i, 0.8, 0.05, 0.9, 0.10, "KATARIBE") for i in range(6)]
    >>> [round(edge, 3) for edge in choose_strip(lines + logo, 6)]
    [0.822, 0.948]
    """
    # A single letter is a pattern more often than a line.
    lines = [line for line in seen if len(line.text) > 1 and line.right - line.left > line.height / 2]
    lines = [line for line in lines if _stays(line, lines) <= max(pictures / 2, 1)]
    bands = [[other for other in lines if abs(other.middle - line.middle) < 0.6 * line.height] for line in lines]
    if not bands:
        return None
    # One text that stands still in one picture is a sign on a wall.
    best = max(bands, key=lambda band: (_distinct(band), float(np.mean([line.middle for line in band]))))
    if len({line.picture for line in best}) < 2:
        return None
    band = [*best, *_neighbours(best, lines)]
    height = float(np.median([line.height for line in best]))
    top, bottom = (float(np.percentile(edges, at)) for edges, at in _edges_of(band))
    return Strip(max(0.0, top - 0.4 * height), min(1.0, bottom + 0.4 * height))


def alike(one: str, other: str) -> float:
    """How much two texts share, 0 to 1; spaces do not count.

    >>> alike("Where is he?", "Whereis he?"), alike("不要走", "等等我")
    (1.0, 0.0)
    """
    one, other = one.replace(" ", ""), other.replace(" ", "")
    return 1.0 if one == other else SequenceMatcher(None, one, other, autojunk=False).ratio()


def _edges_of(band: Sequence[Seen]) -> list[tuple[list[float], float]]:
    return [([line.top for line in band], 5.0), ([line.bottom for line in band], 95.0)]


def _seen(number: int, line: Line, size: tuple[int, int]) -> Seen:
    width, height = size
    return Seen(number, line.left / width, line.top / height, line.right / width, line.bottom / height, line.text)


def _stays(line: Seen, lines: Sequence[Seen]) -> int:
    """In how many pictures the same text stands in the same place."""
    return len(
        {
            other.picture
            for other in lines
            if abs(other.left - line.left) < 0.02
            and abs(other.top - line.top) < 0.02
            and alike(other.text, line.text) >= _ALIKE
        }
    )


def _distinct(band: Sequence[Seen]) -> int:
    texts: list[str] = []
    for line in band:
        if all(alike(line.text, text) < _ALIKE for text in texts):
            texts.append(line.text)
    return len(texts)


def _neighbours(band: Sequence[Seen], lines: Sequence[Seen]) -> list[Seen]:
    """Lines right above or below one of the band, in the same picture and over the same middle."""
    return [
        other
        for other in lines
        if other not in band
        for line in band
        if other.picture == line.picture
        and 0.6 * line.height <= abs(other.middle - line.middle) <= 2 * line.height
        and 0.5 <= other.height / line.height <= 2
        and abs((other.left + other.right) - (line.left + line.right)) < 0.1
    ]
