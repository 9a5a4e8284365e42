"""Dialogue overlap: how much of the narration would be spoken while somebody in the film speaks?

    a line is spoken from its start, for letters and digits / cps seconds
    dialogue_overlap = seconds of narration during dialogue / seconds of narration

Quirks. Lower is better. A prediction without times of its own starts where its reference's clip does. A line that runs
beyond its gap runs into the dialogue behind it, so that long lines are paid for here even if their start is right.
A line that says nothing interrupts nobody: it is left out, missing or not, and a warning counts such lines (whose own
item value is 0). `lines` is the share of lines that meet dialogue at all; `reference` is what the references come to.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import takewhile
from typing import ClassVar, NamedTuple

import numpy as np

from kataribe.core.errors import UsageError, counted, some
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Array, Floats, Segment
from kataribe.narration import speech
from kataribe.narration.items import Film, Narrations


class _Prepared(NamedTuple):
    """Characters per second, and eight digits that stand for when somebody speaks in these films."""

    cps: float
    dialogue: str


@dataclass(frozen=True)
class DialogueOverlap(Metric):
    name: ClassVar[str] = "dialogue_overlap"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "Dialogue overlap"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = (
        "lines",
        "overlap_seconds",
        "spoken_seconds",
        "meets",
        "reference_overlap_seconds",
        "reference_spoken_seconds",
    )

    cps: float | None = option(None, "characters per second; 5 or 12 by script unless given", positional=True)

    def __post_init__(self) -> None:
        speech.check_rate(self.cps, self.name)

    @property
    def ignores_empty(self) -> bool:
        return True

    def prepare(self, items: Narrations) -> _Prepared:
        items.need_gaps(self.name)
        silent = [film for film in dict.fromkeys(items.films) if items.known.get(film or "", Film()).dialogue is None]
        if silent:
            raise UsageError(
                f"{self.name} needs the dialogue of {counted(len(silent), 'film')}: {some(silent)}",
                hint="give it with --dialogue: VTT, SRT or ASS named after the film, JSON lines, CSV or a folder",
            )
        told = {film for film in items.films if film is not None}
        heard = fingerprint_by_id((film, *map(repr, items.known[film].dialogue or ())) for film in told)
        return _Prepared(speech.rate(self.cps, items), heard)

    def stats(self, items: Narrations, context: _Prepared) -> Array:
        rows = [self._row(items, row, context.cps) for row in range(len(items))]
        return np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns))

    def measure(self, totals: Floats) -> Measured:
        lines, overlap, spoken, meets, reference_overlap, reference_spoken = (totals[..., n] for n in range(6))
        with np.errstate(invalid="ignore", divide="ignore"):  # of nothing that is said, no share: 0/0
            parts = {"lines": np.asarray(meets / lines), "reference": np.asarray(reference_overlap / reference_spoken)}
            return Measured(np.asarray(overlap / spoken), parts)

    def per_item(self, statistics: Array) -> Measured:
        """A line that says nothing is not part of the share; by itself, it interrupts nobody."""
        value, parts = super().per_item(statistics)
        return Measured(np.nan_to_num(value, nan=0.0), {name: np.nan_to_num(part) for name, part in parts.items()})

    def signature(self, context: _Prepared) -> dict[str, str]:
        return {"cps": f"{context.cps:g}", "chars": "letters+digits", "dialogue": context.dialogue}

    def _row(self, items: Narrations, row: int, cps: float) -> list[float]:
        dialogue = items.film(row).dialogue or ()
        told = _spoken(items.spoken[row], items.candidates[row], cps)
        written = _spoken(items.gaps[row], items.written[row], cps)
        overlap = _overlap(told, dialogue)
        return [float(told.length > 0), overlap, told.length, overlap > 0, _overlap(written, dialogue), written.length]


def _spoken(place: Segment | None, text: str, cps: float) -> Segment:
    start = place.start if place else 0.0
    return Segment(start, start + speech.seconds(text, cps))


def _overlap(line: Segment, dialogue: tuple[Segment, ...]) -> float:
    """Stretches of dialogue are in order and apart, so that those before the line can be skipped."""
    first = bisect_right(dialogue, line.start, key=lambda stretch: stretch.end)
    meeting = takewhile(lambda stretch: stretch.start < line.end, dialogue[first:])
    return sum((line & stretch).length for stretch in meeting)
