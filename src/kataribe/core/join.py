"""Predictions and references belong together by id, never by row."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from kataribe.core.errors import JoinError, some


def missing_field(policy: str, absent: int) -> str:
    """How a signature says what was done about missing predictions, and how many there were.

    >>> missing_field("zero", 0), missing_field("zero", 1200)
    ('zero', 'zero(1200)')
    """
    return f"{policy}({absent})" if absent else policy


class Matched(NamedTuple):
    """The references without a prediction, and the predictions without a reference, each in its file's order."""

    absent: list[str]
    extra: list[str]


def match_ids(predicted: Collection[str], references: Collection[str], *, refuse_absent: bool, hint: str) -> Matched:
    """What does not join. Nothing in common is always a mistake; something missing is one where the policy says so.

    >>> match_ids({"a": 1, "c": 2}, ["a", "b"], refuse_absent=False, hint="")
    Matched(absent=['b'], extra=['c'])
    """
    predicted_ids, reference_ids = set(predicted), set(references)
    absent = [id for id in references if id not in predicted_ids]
    extra = [id for id in predicted if id not in reference_ids]
    if len(absent) == len(reference_ids):
        raise JoinError(
            f"no prediction has the id of a reference (predicted: {some(extra)}; references: {some(references)})",
            hint="were these files made for each other?",
        )
    if absent and refuse_absent:
        raise JoinError(
            f"no prediction for {len(absent):,} of {len(reference_ids):,} references: {some(absent)}", hint=hint
        )
    return Matched(absent, extra)
