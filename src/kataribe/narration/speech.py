"""How long it takes to say a text: letters and digits at so many a second."""

from __future__ import annotations

from kataribe.core.errors import UsageError
from kataribe.narration.items import Narrations
from kataribe.text.scripts import count_letters, is_mostly_unspaced

# What narrators of films manage at an unhurried pace: about 300 characters a minute in Chinese or Japanese, about
# 160 words a minute in English, whose words have about four and a half letters.
UNSPACED_RATE, SPACED_RATE = 5.0, 12.0


def check_rate(cps: float | None, asked_by: str) -> None:
    if cps is not None and not 0 < cps < float("inf"):
        raise UsageError(f"{asked_by}(cps={cps:g}): a rate is a number of characters per second", hint="5 is usual")


def rate(cps: float | None, items: Narrations) -> float:
    """The rate that was asked for, or else the usual one for the script of the references."""
    return cps or (UNSPACED_RATE if is_mostly_unspaced(items.written) else SPACED_RATE)


def seconds(text: str, cps: float) -> float:
    """
    >>> seconds("老李回头。", 2.0)
    2.0
    """
    return count_letters(text) / cps
