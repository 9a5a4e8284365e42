"""Predictions and references belong together by id, never by row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from kataribe.core.caution import Caution
from kataribe.core.errors import JoinError, counted, some
from kataribe.core.metric import Items
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Coverage

I = TypeVar("I", bound=Items)  # noqa: E741


@dataclass(frozen=True)
class Joined(Generic[I]):
    """Items to score, what was counted on the way, and the entries that every metric's signature has of them."""

    items: I
    coverage: Coverage
    warnings: Sequence[Caution]
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Wording:
    """The words in which a task's messages describe what does not join.

    `missing` says for each policy what becomes of the `items` without a prediction; `extra` and `empty` speak of
    predictions, of one and of several.
    """

    items: str
    missing: Mapping[str | None, str]
    hint: str
    extra: tuple[str, str]
    empty: tuple[str, str]


class Unmatched(NamedTuple):
    """The references without a prediction, and the predictions without a reference, each in its file's order."""

    absent: list[str]
    extra: list[str]


def match_ids(predicted: Collection[str], references: Collection[str], missing: str | None, hint: str) -> Unmatched:
    """What does not join. Nothing in common is always a mistake; something missing is one where the policy says so.

    >>> match_ids({"a": 1, "c": 2}, ["a", "b"], "zero", hint="")
    Unmatched(absent=['b'], extra=['c'])
    """
    predicted_ids, reference_ids = set(predicted), set(references)
    absent = [id for id in references if id not in predicted_ids]
    extra = [id for id in predicted if id not in reference_ids]
    if len(absent) == len(reference_ids):
        raise JoinError(
            f"no prediction has the id of a reference (predicted: {some(extra)}; references: {some(references)})",
            hint="were these files made for each other?",
        )
    if absent and missing == "error":
        raise JoinError(
            f"no prediction for {len(absent):,} of {len(reference_ids):,} references: {some(absent)}",
            hint=hint,
            options=["missing"],
        )
    return Unmatched(absent, extra)


def describe_unmatched(
    unmatched: Unmatched, empty: Collection[str], expected: int, missing: str | None, words: Wording
) -> list[Caution]:
    """What is missing, extra and empty, each in one line; `expected` is how many items should have a prediction.

    >>> words = Wording("lines", {"zero": "scored 0"}, "", ("line is extra", "lines are extra"), ("is empty", ""))
    >>> describe_unmatched(Unmatched(["a"], ["x", "y"]), [], 5, "zero", words)
    ["1 of 5 lines have no prediction, scored 0: 'a'", "2 lines are extra: 'x', 'y'"]
    """
    absent, extra = unmatched
    found = []
    if absent:
        counts = f"{len(absent):,} of {expected:,} {words.items} have no prediction"
        found.append(Caution("missing", f"{counts}, {words.missing[missing]}: {some(absent)}"))
    if extra:
        found.append(Caution("extra", f"{counted(len(extra), *words.extra)}: {some(extra)}"))
    if empty:
        found.append(Caution("empty", f"{counted(len(empty), *words.empty)}: {some(empty)}"))
    return found


def missing_field(policy: str, absent: int) -> str:
    """How a signature says what was done about missing predictions, and how many there were.

    >>> missing_field("zero", 0), missing_field("zero", 1200)
    ('zero', 'zero(1200)')
    """
    return f"{policy}({absent})" if absent else policy


def data_fields(missing: str, coverage: Coverage, references: Iterable[tuple[str, ...]]) -> dict[str, str]:
    """The signature's entries about the data: what was missing, how much was scored, and which references these are.

    >>> fields = data_fields("zero", Coverage(references=3, predicted=2, scored=3, missing=1), [("a", "a dog")])
    >>> fields["missing"], fields["data"]
    ('zero(1)', '3/3')
    """
    scored = f"{coverage.scored}/{coverage.references}" if coverage.references else f"{coverage.scored}"
    return {
        "missing": missing_field(missing, coverage.missing),
        "data": scored,
        "hash": fingerprint_by_id(references),
    }
