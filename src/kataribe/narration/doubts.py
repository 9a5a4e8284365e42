"""Times that are probably not in seconds, said beside the scores that rest on them.

Only what is plain to see is said: medians decide, and few lines prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.metric import Metric
from kataribe.core.types import Segment
from kataribe.narration import speech
from kataribe.narration.dialogue_overlap import DialogueOverlap
from kataribe.narration.items import Narrations
from kataribe.narration.speech_rate import SpeechRate
from kataribe.text.scripts import count_letters, count_scripts

# Fewer lines than these may look like anything by accident.
_ENOUGH_LINES = 3
# Letters a second. Narrators manage 5 or 12, by script; the lines of real films leave them time for more.
_TOO_FAST, _TOO_SLOW = 100.0, 0.2
# Seconds taken for milliseconds are 1,000 times too long; narration may stop early, but hardly that early.
_OTHER_SCALE = 300.0


def doubts(metrics: Iterable[Metric], items: Narrations) -> list[Caution]:
    """Everything that a reader should know about the times, where a metric looks at them."""
    chosen = list(metrics)
    found: list[Caution] = []
    if any(isinstance(metric, SpeechRate | DialogueOverlap) for metric in chosen):
        found += odd_gaps(items)
    if any(isinstance(metric, DialogueOverlap) for metric in chosen):
        found += odd_scales(items)
    return found


def odd_gaps(items: Narrations) -> Iterator[Caution]:
    """Gaps in which no reference could be spoken, or that would be all but silent."""
    pairs = [(count_letters(text), gap.length) for text, gap in zip(items.written, items.gaps, strict=True) if gap]
    rates = [letters / seconds for letters, seconds in pairs if letters and seconds > 0]
    if len(rates) < _ENOUGH_LINES:
        return
    rate = float(np.median(rates))
    if rate > _TOO_FAST:
        text = f"reference lines would have to be spoken at about {rate:,.0f} letters a second"
        yield Caution("time-unit", f"{text}: are their times in seconds?")
    elif rate < _TOO_SLOW:
        unit = (
            "milliseconds"
            if speech.usual_rate(count_scripts(items.written)) / rate > _OTHER_SCALE
            else "milliseconds or frames"
        )
        text = f"gaps have about {1 / rate:,.0f} seconds for each letter of their reference lines"
        yield Caution("time-unit", f"{text}: are their times {unit}, not seconds?")


def odd_scales(items: Narrations) -> Iterator[Caution]:
    """Dialogue or predictions in another unit than the references' gaps."""
    films = [rows for rows in items.by_film.values() if len(rows) >= _ENOUGH_LINES]
    gaps = [_last_end(items.gaps[row] for row in rows) for rows in films]
    dialogue = [_last_end(items.film(rows[0]).dialogue or ()) for rows in films]
    spoken = [_last_end(items.spoken[row] for row in rows) for rows in films]
    yield from _of_another_scale("the dialogue", dialogue, gaps)
    yield from _of_another_scale("the predictions", spoken, gaps)


def _of_another_scale(name: str, ends: Sequence[float], gaps: Sequence[float]) -> Iterator[Caution]:
    ratios = [end / gap for end, gap in zip(ends, gaps, strict=True) if end > 0 and gap > 0]
    if not ratios:
        return
    ratio = float(np.median(ratios))
    if ratio > _OTHER_SCALE:
        text = f"times of {name} reach about {ratio:,.0f} times as far as those of the references"
    elif ratio < 1 / _OTHER_SCALE:
        text = f"times of the references reach about {1 / ratio:,.0f} times as far as those of {name}"
    else:
        return
    yield Caution("time-unit", f"{text}: are they milliseconds, not seconds?")


def _last_end(segments: Iterable[Segment | None]) -> float:
    return max((segment.end for segment in segments if segment), default=0.0)
