"""Speech rate: does each line fit in its gap when it is read aloud?

    spoken(t)   = letters and digits of t / cps
    speech_rate = share of the clips with spoken(prediction) <= end - start of the reference's clip

Narration is spoken where nobody else speaks; a line that does not fit is a line that nobody can use.

Quirks. `cps` defaults to 5 characters a second where the references are mostly Han, kana, Hangul or Thai, and to 12
letters a second elsewhere; the signature says which. Punctuation and spaces take no time. An empty line always fits:
read this beside a metric of content. `fill` is the spoken time over the time that there is.
"""

from __future__ import annotations

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
        "clips",
        "fits",
        "spoken_seconds",
        "gap_seconds",
        "reference_fits",
        "reference_spoken_seconds",
    )

    cps: float | None = option(None, "characters per second; 5 or 12 by script unless given", positional=True)

    def __post_init__(self) -> None:
        speech.check_rate(self.cps, self.name)

    def prepare(self, items: Narrations) -> float:
        items.need_gaps(self.name)
        return speech.rate(self.cps, items)

    def stats(self, items: Narrations, context: float) -> Array:
        gaps = np.array([gap.length if gap else 0.0 for gap in items.gaps])
        told, written = (np.array([speech.seconds(text, context) for text in texts]) for texts in _sides(items))
        return np.column_stack([np.ones(len(items)), told <= gaps, told, gaps, written <= gaps, written])

    def measure(self, totals: Floats) -> Measured:
        clips, fits, told, gaps, reference_fits, written = (totals[..., place] for place in range(6))
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = {"fill": told / gaps, "reference": reference_fits / clips, "reference fill": written / gaps}
            return Measured(np.asarray(fits / clips), parts)

    def signature(self, context: float) -> dict[str, str]:
        return {"cps": f"{context:g}", "chars": "letters+digits"}


def _sides(items: Narrations) -> tuple[list[str], list[str]]:
    return list(items.candidates), items.written
