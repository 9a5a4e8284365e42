"""Dialogue overlap: how much of the narration would be spoken while somebody in the film speaks?

    a line is spoken from its start, for letters and digits / cps seconds
    dialogue_overlap = seconds of narration during dialogue / seconds of narration

Quirks. Lower is better. A prediction without times of its own starts where its reference's clip does. A line that runs
beyond its gap runs into the dialogue behind it, so that long lines are paid for here even if their start is right.
`lines` is the share of lines that meet dialogue at all; `reference` is what the references come to.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import takewhile
from typing import ClassVar

import numpy as np

from kataribe.core.errors import UsageError, some
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats, Segment
from kataribe.narration import speech
from kataribe.narration.items import Film, Narrations


@dataclass(frozen=True)
class DialogueOverlap(Metric):
    name: ClassVar[str] = "dialogue_overlap"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "Dialogue overlap"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = (
        "clips",
        "overlap_seconds",
        "spoken_seconds",
        "meets",
        "reference_overlap_seconds",
        "reference_spoken_seconds",
    )

    cps: float | None = option(None, "characters per second; 5 or 12 by script unless given", positional=True)

    def __post_init__(self) -> None:
        speech.check_rate(self.cps, self.name)

    def prepare(self, items: Narrations) -> float:
        items.need_gaps(self.name)
        silent = [film for film in dict.fromkeys(items.films) if items.known.get(film or "", Film()).dialogue is None]
        if silent:
            raise UsageError(
                f"{self.name} needs the dialogue of {len(silent):,} films: {some(silent)}",
                hint="give it with --dialogue: VTT, SRT or ASS named after the film, JSON lines, CSV or a folder",
            )
        return speech.rate(self.cps, items)

    def stats(self, items: Narrations, context: float) -> Array:
        rows = [self._row(items, row, context) for row in range(len(items))]
        return np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns))

    def measure(self, totals: Floats) -> Measured:
        clips, overlap, spoken, meets, reference_overlap, reference_spoken = (totals[..., n] for n in range(6))
        # Who says nothing interrupts nobody.
        return Measured(
            _share(overlap, spoken),
            {"lines": _share(meets, clips), "reference": _share(reference_overlap, reference_spoken)},
        )

    def signature(self, context: float) -> dict[str, str]:
        return {"cps": f"{context:g}", "chars": "letters+digits"}

    def _row(self, items: Narrations, row: int, cps: float) -> list[float]:
        dialogue = items.film(row).dialogue or ()
        told = _spoken(items.spoken[row], items.candidates[row], cps)
        written = _spoken(items.gaps[row], items.written[row], cps)
        overlap = _overlap(told, dialogue)
        return [1.0, overlap, told.length, overlap > 0, _overlap(written, dialogue), written.length]


def _spoken(place: Segment | None, text: str, cps: float) -> Segment:
    start = place.start if place else 0.0
    return Segment(start, start + speech.seconds(text, cps))


def _overlap(line: Segment, dialogue: tuple[Segment, ...]) -> float:
    """Stretches of dialogue are in order and apart, so that those before the line can be skipped."""
    first = bisect_right(dialogue, line.start, key=lambda stretch: stretch.end)
    meeting = takewhile(lambda stretch: stretch.start < line.end, dialogue[first:])
    return sum((line & stretch).length for stretch in meeting)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(np.asarray(whole, dtype=np.float64)), where=whole > 0)
