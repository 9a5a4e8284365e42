"""Rated captions as a metric learns from them: parallel columns, one row for each rated text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kataribe.core.caution import Caution
from kataribe.core.ragged import Rows, pick
from kataribe.core.types import Floats


@dataclass(frozen=True, eq=False)
class RatedExamples:
    """Row i is a candidate beside its references, what it describes, and its mean rating on the scale of the data set.

    `groups` are the items: texts of one group describe the same thing and belong on one side of a split. `pictures`
    are names, None where the data set names none. `raters` says how many ratings the mean is of; nothing is known of
    that where it is empty.

    >>> import numpy as np
    >>> rated = RatedExamples(["a#1", "b#1"], ["a", "b"], ["a dog", "rain"], [["dogs"], ["snow"]],
    ...                       np.array([5.0, 2.0]), [None, None], 1.0, 5.0)
    >>> rated.targets.tolist(), rated[1:].candidates
    ([1.0, 0.25], ['rain'])
    """

    ids: Sequence[str]
    groups: Sequence[str]
    candidates: Sequence[str]
    references: Sequence[Sequence[str]]
    ratings: Floats
    pictures: Sequence[str | None]
    lowest: float
    highest: float
    raters: Sequence[int] = ()
    warnings: tuple[Caution, ...] = ()

    def __post_init__(self) -> None:
        columns = (self.groups, self.candidates, self.references, self.ratings, self.pictures, self.raters or self.ids)
        if any(len(column) != len(self.ids) for column in columns):
            raise ValueError("the columns of rated examples differ in length")

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> RatedExamples:
        """Some of them, on the same scale."""
        return replace(
            self,
            ids=pick(self.ids, rows),
            groups=pick(self.groups, rows),
            candidates=pick(self.candidates, rows),
            references=pick(self.references, rows),
            ratings=self.ratings[rows],
            pictures=pick(self.pictures, rows),
            raters=pick(self.raters, rows) if self.raters else (),
        )

    @property
    def targets(self) -> Floats:
        """The ratings as a share of the scale: 0 is its lowest end, 1 its highest."""
        targets: Floats = (self.ratings - self.lowest) / (self.highest - self.lowest)
        return targets
