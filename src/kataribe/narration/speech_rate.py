"""Speech rate: does each line fit in its gap when it is read aloud?

    spoken(t)   = letters and digits of t / cps
    speech_rate = share of the lines with spoken(prediction) <= end - start of the reference's clip

Narration is spoken where nobody else speaks; a line that does not fit is a line that nobody can use.

Quirks. `cps` defaults to 5 characters a second where the references are mostly Han, kana, Hangul or Thai, and to 12
letters a second elsewhere; the signature says which. Punctuation and spaces take no time. A line that says nothing has
no rate: it is left out, missing or not, and a warning counts such lines (whose own item value is 1: they fit anywhere).
A short line always fits: read this beside a metric of content. `fill` is the spoken time over the time that there is,
of the lines that count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats
from kataribe.narration import speech
from kataribe.narration.items import Narrations


@dataclass(frozen=True)
class SpeechRate(Metric):
    name: ClassVar[str] = "speech_rate"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "Speech rate"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = (
        *("lines", "fits", "spoken_seconds", "gap_seconds"),
        *("reference_lines", "reference_fits", "reference_spoken_seconds", "reference_gap_seconds"),
    )

    cps: float | None = option(None, "characters per second; default: 5 or 12, by script", positional=True)

    def __post_init__(self) -> None:
        speech.check_rate(self.cps, self.name)

    @property
    def ignores_empty(self) -> bool:
        return True

    def scan_references(self, items: Narrations) -> speech.ReferenceScan:
        return speech.scan(self.cps, items)

    def conclude(self, references: speech.ReferenceScan | None, predictions: None) -> float:
        """Characters per second."""
        return speech.conclude_rate(self.cps, references or speech.ReferenceScan(), self.name)

    def stats(self, items: Narrations, context: float) -> Array:
        gaps = np.array([gap.length if gap else 0.0 for gap in items.gaps])
        return np.hstack([_columns(texts, gaps, context) for texts in (items.candidates, items.written)])

    def measure(self, totals: Floats) -> Measured:
        lines, fits, spoken, gaps, reference_lines, reference_fits, reference_spoken, reference_gaps = (
            totals[..., column] for column in range(8)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = {
                "fill": spoken / gaps,
                "reference": reference_fits / reference_lines,
                "reference fill": reference_spoken / reference_gaps,
            }
            return Measured(np.asarray(fits / lines), parts)

    def per_item(self, statistics: Array) -> Measured:
        """A line that says nothing is not part of the share; by itself, it fits in any gap."""
        value, parts = super().per_item(statistics)
        usual = {"fill": 0.0, "reference": 1.0, "reference fill": 0.0}
        return Measured(
            np.nan_to_num(value, nan=1.0), {name: np.nan_to_num(part, nan=usual[name]) for name, part in parts.items()}
        )

    def signature(self, facts: float) -> dict[str, str]:
        return {"cps": f"{facts:g}", "chars": "letters+digits"}


def _columns(texts: Sequence[str], gaps: Floats, cps: float) -> Floats:
    """Of each line: whether it says anything, whether it fits, its seconds and those of its gap."""
    seconds = np.array([speech.seconds(text, cps) for text in texts])
    is_said = seconds > 0
    return np.column_stack([is_said, is_said & (seconds <= gaps), seconds, np.where(is_said, gaps, 0.0)])
