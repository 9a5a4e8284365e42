"""How long it takes to say a text: letters and digits at so many a second."""

from __future__ import annotations

from typing import NamedTuple

from kataribe.core.errors import InputError, UsageError, counted, some
from kataribe.narration.items import Narrations
from kataribe.text.scripts import LetterCounts, count_letters, count_scripts

# What narrators of films manage at an unhurried pace: about 300 characters a minute in Chinese or Japanese, about
# 160 words a minute in English, whose words have about four and a half letters.
UNSPACED_RATE, SPACED_RATE = 5.0, 12.0


class ReferenceScan(NamedTuple):
    """What must be known of all references: the ids of those without times, and which scripts they are written in."""

    untimed: tuple[str, ...] = ()
    letters: LetterCounts = LetterCounts()

    def __add__(self, other: ReferenceScan) -> ReferenceScan:  # type: ignore[override] # not a longer tuple
        return ReferenceScan(self.untimed + other.untimed, self.letters + other.letters)


def scan(cps: float | None, items: Narrations) -> ReferenceScan:
    """Letters are counted only where the rate depends on them."""
    untimed = tuple(id for id, gap in zip(items.ids, items.gaps, strict=True) if gap is None)
    return ReferenceScan(untimed, LetterCounts() if cps else count_scripts(items.written))


def conclude_rate(cps: float | None, scanned: ReferenceScan, asked_by: str) -> float:
    """The rate for references that all have times."""
    if scanned.untimed:
        raise InputError(
            f"{asked_by}: {counted(len(scanned.untimed), 'reference has', 'references have')} no times: "
            f"{some(scanned.untimed)}",
            hint="give each line its start and end in seconds",
        )
    return cps or usual_rate(scanned.letters)


def check_rate(cps: float | None, asked_by: str) -> None:
    if cps is not None and not 0 < cps < float("inf"):
        raise UsageError(f"{asked_by}(cps={cps:g}): a rate is a number of characters per second", hint="5 is usual")


def usual_rate(letters: LetterCounts) -> float:
    """The usual rate for the script of the references.

    >>> usual_rate(count_scripts(["老李回头。"])), usual_rate(count_scripts(["Maria looks back."]))
    (5.0, 12.0)
    """
    return UNSPACED_RATE if letters.is_mostly_unspaced else SPACED_RATE


def seconds(text: str, cps: float) -> float:
    """
    >>> seconds("老李回头。", 2.0)
    2.0
    """
    return count_letters(text) / cps
