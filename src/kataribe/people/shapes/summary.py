"""What is in a set: counts, means by kind, what its parts share, how far its raters agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from kataribe.core.types import Floats
from kataribe.people.shapes.dataset import Part, Picture, ShapeSet
from kataribe.people.shapes.kinds import KINDS, Kind
from kataribe.people.shapes.wording import plain


@dataclass(frozen=True)
class PartSummary:
    pictures: int
    captions: int


@dataclass(frozen=True)
class KindSummary:
    """`rule` and `rating` are means, by the rule and of the raters."""

    captions: int
    rule: float
    rating: float


@dataclass(frozen=True)
class Summary:
    """`leaked` texts of the training part stand in the test part; `ceiling` is how well one rater agrees with the
    others, `oracle` how well the rule does with the mean of all; both are Pearson's correlation."""

    parts: Mapping[Part, PartSummary]
    kinds: Mapping[Kind, KindSummary]
    leaked: int
    ceiling: float
    oracle: float


def summarise(made: ShapeSet) -> Summary:
    captions = list(made.captions)
    rules = np.array([caption.rule for caption in captions])
    ratings = made.ratings
    kinds: dict[Kind, KindSummary] = {}
    for kind in KINDS:
        rows = [row for row, caption in enumerate(captions) if caption.kind == kind]
        if rows:
            kinds[kind] = KindSummary(len(rows), float(rules[rows].mean()), float(ratings[rows].mean()))
    by_part: dict[Part, list[Picture]] = {"train": [], "test": []}
    for picture in made.pictures:
        by_part[picture.part].append(picture)
    return Summary(
        parts={
            part: PartSummary(len(pictures), sum(len(picture.captions) for picture in pictures))
            for part, pictures in by_part.items()
        },
        kinds=kinds,
        leaked=len(_texts(by_part["train"]) & _texts(by_part["test"])),
        ceiling=ceiling(ratings),
        oracle=float(np.corrcoef(rules, ratings.mean(axis=1))[0, 1]),
    )


def _texts(pictures: Iterable[Picture]) -> set[str]:
    """Captions and references, capitals and dots aside."""
    texts = (text for picture in pictures for text in (*picture.references, *(each.text for each in picture.captions)))
    return set(map(plain, texts))


def ceiling(ratings: Floats) -> float:
    """Pearson's correlation of one rater with the mean of the others, averaged over raters; a column for each."""
    raters = range(ratings.shape[1])
    found = [np.corrcoef(ratings[:, r], np.delete(ratings, r, axis=1).mean(axis=1))[0, 1] for r in raters]
    return float(np.mean(found))
