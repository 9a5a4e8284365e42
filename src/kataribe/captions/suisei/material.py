"""Rated captions made ready for training: what may stand in which part, and everything as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    keys = {name: RatedSet(name, examples[found]).keys() for name, found in rows.items()}
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
    """Captions as rows of a table of distinct texts.

    `items` numbers the pictures, `rows` says which caption of the set each is.
    """

    layout: Layout
    ratings: Floats
    items: Int64s
    rows: Int64s

    @classmethod
    def of(cls, examples: RatedExamples, texts: dict[str, int]) -> Material:
        """`texts` numbers the texts seen so far and grows."""
        candidates = np.array([_number(texts, text) for text in examples.candidates], dtype=np.int64)
        references = Ragged.of([[_number(texts, text) for text in found] for found in examples.references], np.int64)
        items = np.unique(np.array(pictures_of(examples)), return_inverse=True)[1]
        return cls(Layout.of(candidates, references), examples.targets, items, np.arange(len(examples)))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: Int64s) -> Material:
        return Material(self.layout[rows], self.ratings[rows], self.items[rows], self.rows[rows])

    def __add__(self, other: Material) -> Material:
        return Material(
            self.layout + other.layout,
            np.concatenate([self.ratings, other.ratings]),
            np.concatenate([self.items, other.items]),
            np.concatenate([self.rows, other.rows]),
        )

    def picture_references(self) -> Int64s:
        """The references of every picture, each once, however many captions of the picture are rated."""
        references = self.layout.references
        pairs = np.column_stack([references.spread(self.items), references.values])
        return np.unique(pairs, axis=0)[:, 1]

    def negatives(self, groups: Int64s, share: float, seed: int) -> Material:
        """Captions of other pictures, rated lowest: `share` of them for each caption.

        A caption is only taken to a picture of another group that it is not written of, neither as a reference nor as
        a candidate.
        """
        rng = np.random.default_rng(seed)
        rows = rng.permutation(np.resize(np.arange(len(self)), round(share * len(self))))
        others = rng.integers(0, len(self), len(rows))
        own = self._texts_of_items()
        is_fit = np.array(
            [self._is_negative(*pair, groups, own) for pair in zip(rows, others, strict=True)], dtype=bool
        )
        for place in np.flatnonzero(~is_fit).tolist():
            row = rows[place]
            of_others = rng.permutation(np.flatnonzero(groups != groups[row])).tolist()
            found = next((other for other in of_others if self._is_negative(row, other, groups, own)), None)
            if found is None:
                raise UsageError(
                    "negatives are captions of other pictures, and all that are trained on share pictures or texts",
                    hint="leave out <negatives>",
                    options=["negatives"],
                )
            others[place] = found
        strangers = Layout(self.layout.candidates[others], self.layout.references[rows])
        return replace(self[rows], layout=strangers, ratings=np.zeros(len(rows)))

    def _texts_of_items(self) -> set[tuple[int, int]]:
        """Which texts are written of which picture."""
        references = self.layout.references
        return {
            *zip(references.spread(self.items).tolist(), references.values.tolist(), strict=True),
            *zip(self.items.tolist(), self.layout.candidates.tolist(), strict=True),
        }

    def _is_negative(self, row: int, other: int, groups: Int64s, own: set[tuple[int, int]]) -> bool:
        pair = int(self.items[row]), int(self.layout.candidates[other])
        return bool(groups[row] != groups[other]) and pair not in own


def _number(texts: dict[str, int], text: str) -> int:
    return texts.setdefault(text, len(texts))
