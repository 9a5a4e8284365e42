"""Rated captions made ready for training: what may stand in which part, and everything as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.media import Media
from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.batches import Layout
from kataribe.captions.suisei.options import TrainingOptions
from kataribe.core.errors import InputError, UsageError
from kataribe.core.ragged import Ragged
from kataribe.core.types import Floats, Int64s
from kataribe.formats.picture_names import plain_name
from kataribe.learning.splits import Shared, components, shared, split
from kataribe.text.sameness import words

TRAIN, VALIDATION, HELD_OUT = "train", "validation", "held out"


class RatedSet(NamedTuple):
    """A file of rated captions by its name; `media` are joined by the ids of the examples."""

    name: str
    examples: RatedExamples
    media: Media | None = None

    def captions(self) -> Captions:
        """As items that any metric scores, each rated caption one of its own."""
        examples = self.examples
        return Captions(examples.ids, examples.candidates, examples.references, self.media)


def pictures_of(examples: RatedExamples) -> list[str]:
    """What each caption describes: the picture's name or, where there is none, the item."""
    return [name or group for name, group in zip(examples.pictures, examples.groups, strict=True)]


def check_ratings(rated: RatedSet) -> None:
    """There are some, and each lies on its scale."""
    examples = rated.examples
    if not len(examples):
        raise InputError("holds no rated captions", file=rated.name)
    on_scale = (examples.ratings >= examples.lowest) & (examples.ratings <= examples.highest)
    if not on_scale.all():
        row = int(np.argmin(on_scale))
        raise InputError(
            f"the rating {examples.ratings[row]:g} is outside of {examples.lowest:g} to {examples.highest:g}",
            file=rated.name,
            id=examples.ids[row],
        )


def refuse_constant(rated: RatedSet) -> None:
    ratings = rated.examples.ratings
    if not np.ptp(ratings) > 0:
        raise InputError(f"every rating is {ratings[0]:g}: there is nothing to learn", file=rated.name)


def linked(examples: RatedExamples) -> Int64s:
    """Components of captions that share a picture, a candidate or a reference, also through others."""
    rows = zip(pictures_of(examples), examples.candidates, examples.references, strict=True)
    return components(
        [
            [("picture", picture), *(("text", words(text)) for text in (candidate, *references))]
            for picture, candidate, references in rows
        ]
    )


@dataclass(frozen=True)
class Parts:
    """The rows of each part, the component of every row, and what parts share in spite of all."""

    rows: Mapping[str, Int64s]
    groups: Int64s
    shared: Mapping[str, Shared]

    def lines(self) -> list[str]:
        """What is printed and written on the card."""
        counts = ", ".join(f"{len(rows):,} {name}" for name, rows in self.rows.items() if len(rows))
        return [f"captions: {counts}", *(f"{name} shares with train: {found}" for name, found in self.shared.items())]


def split_parts(rated: RatedSet, options: TrainingOptions) -> Parts:
    """By component of pictures and texts or, where the user wants that, by picture alone."""
    examples = rated.examples
    if options.split == "component":
        groups, hint = linked(examples), "<split picture> splits by picture alone and says what is shared"
    else:
        groups = np.unique(np.array(pictures_of(examples)), return_inverse=True)[1]
        hint = "rate captions of more pictures"
    shares = {TRAIN: 1 - options.validation - options.held_out, VALIDATION: options.validation}
    if options.held_out:
        shares[HELD_OUT] = options.held_out
    try:
        rows = split(groups, shares, options.seed)
    except UsageError as error:
        raise InputError(error.message, file=rated.name, hint=hint, options=["split"]) from None
    for name, found in rows.items():
        if not len(found):
            problem = f"no caption is left for {name}: too many captions share pictures or texts"
            raise InputError(problem, file=rated.name, hint=hint, options=["split"])
    content = {name: _content(examples[found], pictures_of(examples[found])) for name, found in rows.items()}
    return Parts(rows, groups, {name: shared(content[name], content[TRAIN]) for name in rows if name != TRAIN})


def overlap(one: RatedExamples, other: RatedExamples) -> Shared:
    """What of one file stands in the other: its pictures, candidates and references.

    Pictures are compared by name, without folder and ending; where none is named, by item. Items that are mere numbers
    share none: that two files have an item 1 says nothing.
    """
    return shared(_content(one, _picture_names(one)), _content(other, _picture_names(other)))


def _picture_names(examples: RatedExamples) -> list[str]:
    pairs = zip(examples.pictures, examples.groups, strict=True)
    return [plain_name(name or group) for name, group in pairs if name or not group.isdecimal()]


def refuse_overlap(train: RatedSet, test: RatedSet, allowed: bool) -> Shared:
    """Pictures or candidates that stand in training and test flatter the model."""
    found = overlap(test.examples, train.examples)
    if any(found.counts[what][0] for what in ("pictures", "candidates")) and not allowed:
        raise UsageError(
            f"{test.name} and {train.name} share {found}",
            hint="test on what was not trained on, or say <allow_overlap>; pictures are compared by name",
            options=["allow_overlap"],
        )
    return found


def _content(examples: RatedExamples, pictures: Iterable[str]) -> dict[str, set[str]]:
    """What two parts or files may have in common. Texts are the same if their words are."""
    return {
        "pictures": set(pictures),
        "candidates": set(map(words, examples.candidates)),
        "references": {words(text) for texts in examples.references for text in texts},
    }


@dataclass(frozen=True, eq=False)
class Material:
    """Captions as rows of a table of distinct texts.

    `items` numbers the pictures, `rows` says which caption of the set each is, `weights` how much each counts.
    """

    layout: Layout
    ratings: Floats
    items: Int64s
    rows: Int64s
    weights: Floats

    @classmethod
    def of(cls, examples: RatedExamples, texts: dict[str, int]) -> Material:
        """`texts` numbers the texts seen so far and grows."""
        candidates = np.array([_number(texts, text) for text in examples.candidates], dtype=np.int64)
        references = Ragged.of([[_number(texts, text) for text in found] for found in examples.references], np.int64)
        items = np.unique(np.array(pictures_of(examples)), return_inverse=True)[1]
        count = len(examples)
        return cls(Layout.of(candidates, references), examples.targets, items, np.arange(count), np.ones(count))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: Int64s) -> Material:
        return Material(self.layout[rows], self.ratings[rows], self.items[rows], self.rows[rows], self.weights[rows])

    def __add__(self, other: Material) -> Material:
        return Material(
            self.layout + other.layout,
            np.concatenate([self.ratings, other.ratings]),
            np.concatenate([self.items, other.items]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.weights, other.weights]),
        )

    def picture_references(self) -> Int64s:
        """The references of every picture, each once, however many captions of the picture are rated."""
        references = self.layout.references
        pairs = np.column_stack([references.spread(self.items), references.values])
        return np.unique(pairs, axis=0)[:, 1]


def _number(texts: dict[str, int], text: str) -> int:
    return texts.setdefault(text, len(texts))
