"""What two rating files share: pictures, candidates and references of one that stand in the other.

A metric that was trained on one and is tested on the other has seen what they share. Texts are the same if they differ
in nothing but case, white space and punctuation: one data set writes "A dog .", another "a dog". Pictures are compared
by name, without folder and ending.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import NamedTuple

from kataribe.captions.rated import RatedExamples
from kataribe.people.picture_names import plain_name
from kataribe.people.plain_text import words
from kataribe.people.rated import RatedCaptions


class Shared(NamedTuple):
    """How many of how many stand in the other file, each distinct one counted once."""

    shared: int
    total: int

    @property
    def share(self) -> float:
        return self.shared / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.shared:,} of {self.total:,} ({self.share:.1%})"


@dataclass(frozen=True)
class Overlap:
    """`references` and `candidates` are those of one that are so in the other too; `crossed` are candidates of one that
    are references in the other.

    >>> from kataribe.people.ratings import Ratings
    >>> from kataribe.people.result import Text
    >>> a, b = Text("1", "1#1"), Text("2", "2#1")
    >>> one = RatedCaptions({a: "A dog", b: "rain"}, {a: ["dogs"], b: ["it rains"]}, pictures={a: "x.jpg"})
    >>> other = RatedCaptions({a: "dogs"}, {a: ["Rain "]}, pictures={a: "pictures/x.jpg"})
    >>> found = overlap(one, other)
    >>> print(found.pictures, found.candidates, found.crossed, sep=", ")
    1 of 1 (100.0%), 0 of 2 (0.0%), 1 of 2 (50.0%)
    """

    pictures: Shared
    candidates: Shared
    references: Shared
    crossed: Shared

    @property
    def is_clean(self) -> bool:
        """Whether nothing is shared."""
        return not any((self.pictures.shared, self.candidates.shared, self.references.shared, self.crossed.shared))

    def __str__(self) -> str:
        counted = f"pictures {self.pictures}, candidates {self.candidates}, references {self.references}"
        return f"shared: {counted}, candidates that are references there {self.crossed}"

    def to_dict(self) -> dict[str, dict[str, int]]:
        """For a card or a result."""
        fields = {"pictures": self.pictures, "candidates": self.candidates, "references": self.references}
        return {name: each._asdict() for name, each in (fields | {"candidates_as_references": self.crossed}).items()}


def overlap(one: RatedCaptions | RatedExamples, other: RatedCaptions | RatedExamples) -> Overlap:
    """What of one stands in the other."""
    ours, theirs = _content(one), _content(other)
    return Overlap(
        _shared(ours.pictures, theirs.pictures),
        _shared(ours.candidates, theirs.candidates),
        _shared(ours.references, theirs.references),
        _shared(ours.candidates, theirs.references),
    )


def candidates_of_others(rated: RatedCaptions | RatedExamples) -> Shared:
    """The candidates of a file that are references of another item there: a split by item leaves them on both sides."""
    examples = _rows(rated)
    written: dict[str, set[str]] = {}
    for item, _, references, _ in examples:
        for text in references:
            written.setdefault(words(text), set()).add(item)
    candidates: dict[str, set[str]] = {}
    for item, candidate, _, _ in examples:
        candidates.setdefault(words(candidate), set()).add(item)
    crossed = sum(any(written.get(text, set()) - {item} for item in items) for text, items in candidates.items())
    return Shared(crossed, len(candidates))


class _Content(NamedTuple):
    pictures: Set[str]
    candidates: Set[str]
    references: Set[str]


class _Row(NamedTuple):
    item: str
    candidate: str
    references: Iterable[str]
    picture: str | None


def _content(rated: RatedCaptions | RatedExamples) -> _Content:
    rows = _rows(rated)
    return _Content(
        {plain_name(row.picture) for row in rows if row.picture is not None},
        {words(row.candidate) for row in rows},
        {words(text) for row in rows for text in row.references},
    )


def _rows(rated: RatedCaptions | RatedExamples) -> list[_Row]:
    if isinstance(rated, RatedExamples):
        columns = zip(rated.groups, rated.candidates, rated.references, rated.pictures, strict=True)
        return [_Row(*row) for row in columns]
    return [
        _Row(text.item, caption, rated.references[text], rated.pictures.get(text))
        for text, caption in rated.captions.items()
    ]


def _shared(ours: Set[str], theirs: Set[str]) -> Shared:
    return Shared(len(ours & theirs), len(ours))
