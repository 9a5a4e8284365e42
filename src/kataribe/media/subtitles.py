"""Subtitles that are burnt into the picture, read back as captions.

    strip     where they are, found by itself (`media.strip`) or given
    readings  2.4 frames a second; a strip in which the letters' pixels stay as they are is not read again
    lines     readings one after the other that are equal or nearly equal; the text that was read most often

A line starts and ends half a step (0.2 s) outside the frames on which it was read. Two readings are nearly equal if
they share 80% of their letters and one of them was read in a single frame only: what stands still twice is meant.
A reading of a single frame that shares half of its letters with a neighbour is that neighbour, fading in or out; one of
a single letter is a pattern in the picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import binary_dilation

from kataribe.core.errors import UsageError
from kataribe.core.types import Bools, Caption, Segment
from kataribe.media.carried import PP_OCR
from kataribe.media.ocr import Line, read_lines
from kataribe.media.stage import Arrays, Chunk, is_due, run_through
from kataribe.media.strip import Strip, alike, find_strip
from kataribe.media.video import Pixels, describe, sampled

RATE = 2.4
_WIDTH = 960  # letters of a film's subtitles are then about 27 pixels high
_SURE, _ALIKE, _FADING = 0.5, 0.8, 0.5
_NONE = Strip(0.0, 0.0)


@dataclass(frozen=True)
class Subtitles:
    """The stage. `strip` is the band to read, as fractions of the height; None finds it."""

    strip: Strip | None = None
    rate: float = RATE

    def __post_init__(self) -> None:
        if self.strip is not None and not 0 <= self.strip.top < self.strip.bottom <= 1:
            raise UsageError(
                f"the strip must be fractions of the height, top before bottom, not {tuple(self.strip)}",
                hint="<strip 0.8:0.95> reads that part of the picture",
                options=["strip"],
            )

    @property
    def name(self) -> str:
        return "subtitles"

    @property
    def recipe(self) -> Mapping[str, Any]:
        given = list(self.strip) if self.strip else None
        return {"strip": given, "rate": self.rate, "model": f"{PP_OCR.package} {PP_OCR.version}"}

    def chunks(self, video: Path, last: Chunk | None) -> Iterator[Chunk]:
        info = describe(video)
        width = min(_WIDTH, info.width)
        size = (width, round(info.height * width / info.width))
        strip = self._strip(video, last)
        if strip == _NONE:
            if last is None:
                yield _nothing()
            return
        memory = _Memory() if last is None else _Memory.of(last.state)
        rows = _Rows()
        until = -1.0 if last is None else last.until
        for picture in sampled(video, self.rate, None if last is None else last.until):
            if rows.times and is_due(picture.time, until):
                yield rows.chunk(until, strip, memory)
                rows = _Rows()
            text, confidence = memory.read(cut_strip(picture.rgb(size), strip))
            rows.add(picture.time, text, confidence)
            until = picture.time
        if rows.times:
            yield rows.chunk(until, strip, memory)

    def _strip(self, video: Path, last: Chunk | None) -> Strip:
        if last is not None:
            return Strip(*last.state["strip"].tolist())
        return self.strip or find_strip(video) or _NONE

    def conclude(self, rows: Arrays) -> Arrays:
        readings = [
            Reading(time, text, sure)
            for time, text, sure in zip(
                rows["time"].tolist(), rows["text"].tolist(), rows["confidence"].tolist(), strict=True
            )
        ]
        captions = merge(readings, 1 / self.rate)
        return {
            "strip": rows["strip"][-1] if len(rows["strip"]) else np.array(_NONE),
            "start": np.array([caption.segment.start for caption in captions]),
            "end": np.array([caption.segment.end for caption in captions]),
            "text": np.array([caption.text for caption in captions], dtype=np.str_),
        }

    def value(self, arrays: Arrays) -> list[Caption]:
        columns = (arrays[name].tolist() for name in ("start", "end", "text"))
        return [Caption(Segment(start, end), text) for start, end, text in zip(*columns, strict=True)]


def read_subtitles(video: Path, options: Subtitles | None = None) -> list[Caption]:
    """The lines burnt into a film, with their times in seconds; none where no text comes and goes."""
    return run_through(options or Subtitles(), video)


def cut_strip(pixels: Pixels, strip: Strip) -> Pixels:
    height = len(pixels)
    return pixels[int(strip.top * height) : max(int(strip.bottom * height), int(strip.top * height) + 8)]


@dataclass(frozen=True)
class Reading:
    """What the strip said in one frame."""

    time: float
    text: str
    confidence: float


def merge(readings: Sequence[Reading], step: float) -> list[Caption]:
    """Readings at steps of so many seconds as lines.

    >>> said = ["", "Who is the", "Who is there?", "Who is there?", "", "It is me."]
    >>> lines = merge([Reading(float(i), text, 1.0) for i, text in enumerate(said)], step=1.0)
    >>> [(line.segment.start, line.segment.end, line.text) for line in lines]
    [(0.5, 3.5, 'Who is there?'), (4.5, 5.5, 'It is me.')]
    """
    runs: list[list[Reading]] = []
    for reading in readings:
        if runs and runs[-1][-1].text == reading.text:
            runs[-1].append(reading)
        else:
            runs.append([reading])
    lines: list[list[Reading]] = []
    for run in (run for run in runs if run[0].text):
        if lines and _same_line(lines[-1], run, step):
            lines[-1] += run
        else:
            lines.append(list(run))
    return _apart([_caption(line, step) for line in lines if len(line) > 1 or len(line[0].text) > 1])


def _same_line(line: Sequence[Reading], run: Sequence[Reading], step: float) -> bool:
    # A line that is gone for a frame only was hidden by a flash.
    if run[0].time - line[-1].time > 2.5 * step:
        return False
    likeness = alike(_text(line), run[0].text)
    if likeness == 1 or min(len(line), len(run)) > 1:
        return likeness == 1
    return likeness >= (_FADING if run[0].time - line[-1].time < 1.5 * step else _ALIKE)


def _text(line: Sequence[Reading]) -> str:
    """What was read most often; the surest where that ties."""
    counts = Counter(reading.text for reading in line)
    sure = {reading.text: reading.confidence for reading in line}
    return max(counts, key=lambda text: (counts[text], sure[text], len(text)))


def _caption(line: Sequence[Reading], step: float) -> Caption:
    return Caption(Segment(max(0.0, line[0].time - step / 2), line[-1].time + step / 2), _text(line))


def _apart(captions: Sequence[Caption]) -> list[Caption]:
    """Frames do not come at even steps, so half a step outside may reach into the next line: they meet in between."""
    edges = [[caption.segment.start, caption.segment.end] for caption in captions]
    for before, after in pairwise(edges):
        if after[0] < before[1]:
            before[1] = after[0] = (after[0] + before[1]) / 2
    return [Caption(Segment(*edge), caption.text) for edge, caption in zip(edges, captions, strict=True)]


@dataclass
class _Rows:
    """The readings of a chunk."""

    times: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    confidences: list[float] = field(default_factory=list)

    def add(self, time: float, text: str, confidence: float) -> None:
        self.times.append(time)
        self.texts.append(text)
        self.confidences.append(confidence)

    def chunk(self, until: float, strip: Strip, memory: _Memory) -> Chunk:
        rows = {
            "time": np.array(self.times),
            "text": np.array(self.texts, dtype=np.str_),
            "confidence": np.array(self.confidences),
            "strip": np.array([strip]),
        }
        return Chunk(until, rows, {"strip": np.array(strip), **memory.state()})


def _nothing() -> Chunk:
    empty = np.zeros(0)
    rows = {"time": empty, "text": np.zeros(0, dtype="<U1"), "confidence": empty, "strip": np.zeros((0, 2))}
    return Chunk(np.inf, rows, {"strip": np.array(_NONE)})


@dataclass
class _Memory:
    """The strip as it was last read, to tell without reading whether the same letters still stand there.

    `ink` are the bright pixels of the letters, `ring` the dark ones of their outline: on snow the ink alone would
    seem to stay when the line is gone.
    """

    text: str = ""
    confidence: float = 0.0
    luma: Pixels = field(default_factory=lambda: np.zeros((0, 0), dtype=np.uint8))
    ink: Bools = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))
    ring: Bools = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))

    @classmethod
    def of(cls, state: Arrays) -> _Memory:
        return cls(str(state["text"]), float(state["confidence"]), state["luma"], state["ink"], state["ring"])

    def state(self) -> dict[str, Any]:
        return {
            "text": np.array(self.text),
            "confidence": np.array(self.confidence),
            "luma": self.luma,
            "ink": self.ink,
            "ring": self.ring,
        }

    def read(self, strip: Pixels) -> tuple[str, float]:
        luma = (strip @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
        if not self._stands(luma):
            lines = [line for line in read_lines(strip) if line.confidence >= _SURE]
            self.text = " ".join(line.text for line in lines)
            self.confidence = float(np.mean([line.confidence for line in lines])) if lines else 0.0
            self.luma = luma
            self.ink, self.ring = letters(luma, lines)
        return self.text, self.confidence

    def _stands(self, luma: Pixels) -> bool:
        if luma.shape != self.luma.shape:
            return False
        moved = np.abs(luma.astype(np.int16) - self.luma)
        if not self.text:
            return bool(moved.mean() < 2 and np.percentile(moved, 99.5) < 24)
        if any(part.any() and (moved[part] < 40).mean() < 0.9 for part in (self.ink, self.ring)):
            return False
        # A second line that joins the first brings bright pixels where there were none.
        bright = luma >= np.percentile(self.luma[self.ink], 20) if self.ink.any() else luma > 255
        joined = (bright & ~self.ink & (moved > 60)).sum()
        return bool(joined < 0.25 * self.ink.sum())


def letters(luma: Pixels, lines: Sequence[Line]) -> tuple[Bools, Bools]:
    """The bright pixels of lines of text, and the dark ones right beside them."""
    ink = np.zeros(luma.shape, dtype=np.bool_)
    dark = np.zeros(luma.shape, dtype=np.bool_)
    for line in lines:
        box = np.s_[line.top : line.bottom, line.left : line.right]
        low, high = np.percentile(luma[box], [5, 95])
        ink[box] = luma[box] > low + 0.75 * (high - low)
        dark[box] = luma[box] < low + 0.25 * (high - low)
    return ink, dark & binary_dilation(ink, iterations=3)
