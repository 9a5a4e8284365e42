"""Average precision of boundaries: ranked by confidence, each true boundary found once.

    AP = integral of precision over recall, over predicted boundaries in order of confidence; a prediction is correct
    if it lies within d of a true boundary that no more confident one has taken; the mean over tolerances d

Everingham, M., Van Gool, L., Williams, C. K. I., Winn, J., Zisserman, A. (2010). The PASCAL visual object classes
(VOC) challenge. IJCV 88.

Quirks. Unlike frame_ap, a second prediction of the same boundary is an error. With several annotators a prediction is
correct to the share of them who agree. The precision is not made monotone. Where predictions have no confidence, all
are one level and AP is precision times recall. Guesses raise it, the more and the more even they are: boundary_kappa is
the measure per boundary that they cannot raise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe import _native
from kataribe.boundaries.comparison import Annotator, compare
from kataribe.boundaries.f1 import Edge, match_counts
from kataribe.boundaries.items import Videos
from kataribe.boundaries.players import PAPER_TRIALS, Entries
from kataribe.boundaries.ranking import Instances, RankedMetric
from kataribe.boundaries.tolerance import Distance, Tolerance
from kataribe.core.metric import Protocols, option
from kataribe.core.ragged import Ragged, spans, sum_by
from kataribe.core.types import Floats, Int64s


@dataclass(frozen=True)
class BoundaryAP(RankedMetric):
    name: ClassVar[str] = "boundary_ap"
    title: ClassVar[str] = "Boundary AP"
    protocols: ClassVar[Protocols] = {"paper": {"trials": PAPER_TRIALS, "edge": "open"}}

    annotator: Annotator = option("mean", "the annotator who counts", positional=True)
    tolerance: Tolerance = option(
        Tolerance("mean"), "a fraction of the video, 0.5s, several with +, mean, tight or loose", positional=True
    )
    edge: Edge = option("closed", "a distance of exactly d is right (closed) or wrong (open)")

    def instances(self, player: str, entries: Entries, videos: Videos, distance: Distance) -> Instances:
        comparison = compare(entries, videos, self.annotator, distance)
        quality = np.zeros(0)
        if self.annotator == "max":
            quality = match_counts(comparison, videos, distance, "official", self.edge).f1
        shares = comparison.shares(self.annotator, quality)
        kept = comparison.entries
        boundaries = np.arange(len(kept.lists.values))
        # Without confidence all are equally sure, and come in order of time.
        confidence, ranks = np.ones(len(boundaries)), kept.lists.within(boundaries)
        if player == "system" and videos.scores is not None:  # nobody but people is ever left out
            confidence, ranks = videos.scores, _ranks(kept.lists, videos.scores)
        tolerances = distance.of(videos.durations)[comparison.video]
        hits = _native.boundary_hits_by_rank(comparison.native, ranks, tolerances, strict=self.edge == "open")
        lengths = kept.lists.counts[comparison.entry]
        boundary = spans(kept.lists.starts[comparison.entry], lengths)
        correct = sum_by(boundary, hits * np.repeat(shares, lengths), len(kept.lists.values))
        positives = sum_by(comparison.entry, shares * comparison.true, len(kept))
        return Instances(kept.lists.owners, confidence, correct, kept.video, positives)

    def choices(self) -> dict[str, str]:
        return {"edge": self.edge}


def _ranks(lists: Ragged, confidence: Floats) -> Int64s:
    """List by list, the indices of its values from the most to the least confident; equals in order of time.

    >>> _ranks(Ragged.of([[1.0, 2.0], [5.0]]), np.array([0.3, 0.9, 0.5])).tolist()
    [1, 0, 0]
    """
    order = np.lexsort((np.arange(len(confidence)), -confidence, lists.owners))
    return order - lists.spread(lists.starts)
