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
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import ClassVar, NamedTuple

import numpy as np

from kataribe.core.errors import UsageError, counted, some
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Array, Floats, Segment
from kataribe.narration import speech
from kataribe.narration.items import Narrations

Dialogue = tuple[Segment, ...]


@dataclass(frozen=True)
class _Scanned:
    """What must be known of all references, and the dialogue of their films; nothing where it was not given."""

    lines: speech.ReferenceScan = field(default_factory=speech.ReferenceScan)
    dialogue: Mapping[str | None, Dialogue | None] = field(default_factory=dict)

    def __add__(self, other: _Scanned) -> _Scanned:
        return _Scanned(self.lines + other.lines, {**self.dialogue, **other.dialogue})


class _Facts(NamedTuple):
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

    cps: float | None = option(None, "characters per second; default: 5 or 12, by script", positional=True)

    def __post_init__(self) -> None:
        speech.check_rate(self.cps, self.name)

    @property
    def ignores_empty(self) -> bool:
        return True

    def scan_references(self, items: Narrations) -> _Scanned:
        dialogue = {film: items.film(row).dialogue for row, film in enumerate(items.films)}
        return _Scanned(speech.scan(self.cps, items), dialogue)

    def conclude(self, references: _Scanned | None, predictions: None) -> _Facts:
        scanned = references or _Scanned()
        cps = speech.conclude_rate(self.cps, scanned.lines, self.name)
        without = [film for film, dialogue in scanned.dialogue.items() if dialogue is None]
        if without:
            raise UsageError(
                f"{self.name} needs the dialogue of {counted(len(without), 'film')}: {some(without)}",
                hint="give it with <dialogue>: VTT, SRT or ASS named after the film, JSON lines, CSV or a folder",
                options=["dialogue"],
            )
        heard = scanned.dialogue.items()
        return _Facts(cps, fingerprint_by_id((film or "", *map(repr, dialogue or ())) for film, dialogue in heard))

    def stats(self, items: Narrations, context: _Facts) -> Array:
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

    def signature(self, facts: _Facts) -> dict[str, str]:
        return {"cps": f"{facts.cps:g}", "chars": "letters+digits", "dialogue": facts.dialogue}

    def _row(self, items: Narrations, row: int, cps: float) -> list[float]:
        dialogue = items.film(row).dialogue or ()
        prediction = _spoken(items.spoken[row], items.candidates[row], cps)
        reference = _spoken(items.gaps[row], items.written[row], cps)
        overlap, of_reference = _overlap(prediction, dialogue), _overlap(reference, dialogue)
        said = float(prediction.length > 0)
        return [said, overlap, prediction.length, overlap > 0, of_reference, reference.length]


def _spoken(gap: Segment | None, text: str, cps: float) -> Segment:
    start = gap.start if gap else 0.0
    return Segment(start, start + speech.seconds(text, cps))


def _overlap(line: Segment, dialogue: Dialogue) -> float:
    """Stretches of dialogue are in order and apart, so that those before the line can be skipped."""
    first = bisect_right(dialogue, line.start, key=lambda stretch: stretch.end)
    meeting = takewhile(lambda stretch: stretch.start < line.end, dialogue[first:])
    return sum((line & stretch).length for stretch in meeting)
