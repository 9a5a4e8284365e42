"""Mean IoU: how much the first span of a query overlaps the true one, on average.

    mIoU = 1 / |Q| * sum over queries q of max over true spans t of IoU(p_1, t)

A query without a prediction counts 0. `whole` and `fixed` show how much of it nobody needs to look for: a guess as long
as most true spans are overlaps many of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.core.metric import Protocols
from kataribe.core.types import Floats
from kataribe.grounding.entries import Entries
from kataribe.grounding.items import Queries
from kataribe.grounding.moments import MomentMetric
from kataribe.grounding.overlap import iou, padded
from kataribe.grounding.panel import check_positive, presets

_IANET = {"overlap": "inclusive", "order": "later"}


@dataclass(frozen=True)
class MomentIoU(MomentMetric):
    name: ClassVar[str] = "moment_iou"
    title: ClassVar[str] = "mean IoU of the first span"
    protocols: ClassVar[Protocols] = presets(ianet=_IANET, movie101=_IANET, qvhighlights={"order": "file"})

    def __post_init__(self) -> None:
        check_positive(self, trials=self.trials)

    @property
    def guesses(self) -> int:
        return 1

    def fitted(self, items: Queries) -> Floats:
        assert items.train is not None
        return items.train.for_iou()

    def quality(self, entries: Entries, items: Queries) -> Floats:
        first, truth = padded(entries.spans, 1), padded(entries.truth)
        overlaps = iou(first[:, :, None], truth[:, None], self.overlap)
        return np.asarray(overlaps.max(axis=(1, 2)).clip(0.0)[:, None])
