"""Somebody who knows the references knows which captions are good: a caption's worth is its best IoU x METEOR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.audit.story_attacks import select
from kataribe.core import registry
from kataribe.core.types import Floats, Int64s
from kataribe.formats.storytable import StoryTable
from kataribe.stories.join import join
from kataribe.stories.pairtext import PairText


@dataclass(frozen=True, eq=False)
class Oracle:
    """`worth` of each caption of the submission, and which captions are the best for some reference."""

    worth: Floats
    chosen: Int64s

    def story(self, table: StoryTable) -> StoryTable:
        """For each reference the best prediction; one that is the best for several comes once."""
        return select(table, self.chosen)


def ask(submission: StoryTable, references: Sequence[StoryTable]) -> Oracle:
    """Judge a submission whose videos come in the order of the references, so that captions keep their numbers.

    >>> from kataribe.core.types import Caption, Segment, Story
    >>> reference = Caption(Segment(0, 4), "A dog runs.")
    >>> references = StoryTable.of([Story("v", 9, (reference,))])
    >>> captions = Caption(Segment(5, 9), "A dog runs."), Caption(Segment(0, 4), "A dog runs."), reference
    >>> oracle = ask(StoryTable.of([Story("v", 9, captions)]), [references])
    >>> oracle.worth.round(3).tolist(), oracle.chosen.tolist()
    ([0.0, 1.0, 1.0], [1])
    """
    items, _, _ = join(submission, references, None, seed=0)
    meteor = PairText(registry.parse("meteor"))
    ious = items.ious(True)
    product = ious * meteor.table(items, meteor.facts(items), ious)
    useful = items.cell_captions(np.flatnonzero(product))
    value = product[useful.cells]
    worth = np.zeros(items.predictions.total)
    np.maximum.at(worth, useful.prediction, value)
    by_reference = np.lexsort((useful.prediction, -value, useful.reference))
    firsts = by_reference[np.diff(useful.reference[by_reference], prepend=-1) != 0]
    return Oracle(worth, np.unique(useful.prediction[firsts]))
