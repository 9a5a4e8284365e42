"""Rated captions made ready for training: what may stand in which part, and everything as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.media import Media
from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.batches import Layout
from kataribe.captions.suisei.options import TrainingOptions
from kataribe.core.errors import InputError, UsageError
from kataribe.core.types import Int64s
from kataribe.learning.splits import Shared, components, shared, split

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

    def keys(self) -> dict[str, set[str]]:
        """What may not be shared with a set that it is tested on."""
        examples = self.examples
        return {
            "pictures": set(pictures_of(examples)),
            "candidates": set(map(folded, examples.candidates)),
            "references": {folded(text) for texts in examples.references for text in texts},
        }


def pictures_of(examples: RatedExamples) -> list[str]:
    """What each caption describes: the picture's name or, where there is none, the item."""
    return [name or group for name, group in zip(examples.pictures, examples.groups, strict=True)]


def folded(text: str) -> str:
    """Texts that differ in spaces and capitals only are one text.

    >>> folded("A  Dog ")
    'a dog'
    """
    return " ".join(text.split()).casefold()


def check_ratings(rated: RatedSet) -> None:
    examples = rated.examples
    if not len(examples):
        raise InputError("holds no rated captions", file=rated.name)
    if not np.ptp(examples.ratings) > 0:
        raise InputError(f"every rating is {examples.ratings[0]:g}: there is nothing to learn", file=rated.name)
    outside = np.flatnonzero((examples.ratings < examples.lowest) | (examples.ratings > examples.highest))
    if len(outside):
        row = int(outside[0])
        raise InputError(
            f"the rating {examples.ratings[row]:g} is outside of {examples.lowest:g} to {examples.highest:g}",
            file=rated.name,
            id=examples.ids[row],
        )


def linked(examples: RatedExamples) -> Int64s:
    """Components of captions that share a picture, a candidate or a reference, also through others."""
    rows = zip(pictures_of(examples), examples.candidates, examples.references, strict=True)
    return components(
        [
            [("picture", picture), *(("text", folded(text)) for text in (candidate, *references))]
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
    names = np.array(pictures_of(examples))
    groups = linked(examples) if options.split == "component" else np.unique(names, return_inverse=True)[1]
    shares = {TRAIN: 1 - options.validation - options.held_out, VALIDATION: options.validation}
    if options.held_out:
        shares[HELD_OUT] = options.held_out
    try:
        rows = split(groups, shares, options.seed)
    except UsageError as error:
        hint = "<split picture> splits by picture alone and says what is shared"
        raise InputError(error.message, file=rated.name, hint=hint, options=["split"]) from None
    keys = {name: RatedSet(name, examples[found]).keys() for name, found in rows.items() if len(found)}
    for name in shares:
        if name not in keys:
            raise InputError(
                f"no caption is left for {name}: one group of captions that share pictures or texts is too large",
                file=rated.name,
                hint="<split picture> splits by picture alone and says what is shared",
                options=["split"],
            )
    return Parts(rows, groups, {name: shared(keys[name], keys[TRAIN]) for name in keys if name != TRAIN})


def refuse_overlap(train: RatedSet, test: RatedSet, allowed: bool) -> Shared:
    """Pictures or candidates that stand in training and test flatter the model."""
    found = shared(test.keys(), train.keys())
    if any(found.counts[what][0] for what in ("pictures", "candidates")) and not allowed:
        raise UsageError(
            f"{test.name} and {train.name} share {found}",
            hint="test on captions that were not trained on, or say <allow_overlap>",
            options=["allow_overlap"],
        )
    return found


@dataclass(frozen=True, eq=False)
class Material:
    """Every distinct text once, and the captions as rows of that table. `items` numbers the pictures."""

    texts: Sequence[str]
    layout: Layout
    ratings: Any
    items: Int64s
    rows: Int64s

    @classmethod
    def of(cls, examples: RatedExamples, texts: dict[str, int]) -> Material:
        """`texts` numbers the texts seen so far and grows."""
        for text in (*examples.candidates, *(text for found in examples.references for text in found)):
            texts.setdefault(text, len(texts))
        candidates = np.array([texts[text] for text in examples.candidates], dtype=np.int64)
        references = [[texts[text] for text in found] for found in examples.references]
        items = np.unique(np.array(pictures_of(examples)), return_inverse=True)[1]
        layout = Layout.of(candidates, references)
        return cls(list(texts), layout, examples.targets, items.astype(np.int64), np.arange(len(examples)))

    def __getitem__(self, rows: Int64s) -> Material:
        layout = Layout(self.layout.candidates[rows], [self.layout.references[row] for row in rows.tolist()])
        return Material(self.texts, layout, self.ratings[rows], self.items[rows], self.rows[rows])

    def with_negatives(self, groups: Int64s, share: float, seed: int) -> Material:
        """And captions of other pictures, rated lowest: `share` of them for each caption.

        A caption is only taken to a picture that it shares nothing with: `groups` are the components.
        """
        count = round(share * len(self.ratings))
        if not count or len(np.unique(groups)) < 2:
            return self
        rng = np.random.default_rng(seed)
        rows = rng.permutation(np.resize(np.arange(len(self.ratings)), count))
        others = rng.integers(0, len(self.ratings), count)
        while len(same := np.flatnonzero(groups[rows] == groups[others])):
            others[same] = rng.integers(0, len(self.ratings), len(same))
        layout = Layout(
            np.concatenate([self.layout.candidates, self.layout.candidates[others]]),
            [*self.layout.references, *(self.layout.references[row] for row in rows.tolist())],
        )
        return replace(
            self,
            layout=layout,
            ratings=np.concatenate([self.ratings, np.zeros(count)]),
            items=np.concatenate([self.items, self.items[rows]]),
            rows=np.concatenate([self.rows, self.rows[rows]]),
        )
