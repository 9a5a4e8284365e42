"""Average precision of frames: are the frames near true boundaries those with the highest probability?

    AP = integral of precision over recall; a frame is positive within d of a boundary of the chosen annotator

    Without a probability for each frame:  f(t) = sum over predicted boundaries b of exp(-(b - t)^2 / sigma^2)

Yukutake, T., Mizufune, K., Matsubayashi, T. 動画境界検出タスクにおける評価方法の検証 (in Japanese).
Everingham, M., Van Gool, L., Williams, C. K. I., Winn, J., Zisserman, A. (2010). The PASCAL visual object classes
(VOC) challenge. IJCV 88.

Quirks. The paper does not say whose boundaries are positive nor whether frames are ranked per video; the confident
annotator and one ranking of all videos come closest to its figures, and are the defaults. Chance is the prevalence,
printed beside the value. sigma is in frames. Confidences of single boundaries, where given, weigh their terms of
f(t). Many frames near one boundary count as many successes: see boundary_ap for a measure that punishes duplicates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe import _native
from kataribe.boundaries.comparison import Comparison, compare, ratio
from kataribe.boundaries.f1 import match_counts
from kataribe.boundaries.items import Videos
from kataribe.boundaries.players import Entries
from kataribe.boundaries.ranking import Instances, RankedMetric
from kataribe.boundaries.times import on_frames
from kataribe.boundaries.tolerance import Distance
from kataribe.core.errors import UsageError
from kataribe.core.metric import option
from kataribe.core.ragged import Ragged, offsets_of, spans, sum_by
from kataribe.core.types import Floats


@dataclass(frozen=True)
class FrameAP(RankedMetric):
    name: ClassVar[str] = "frame_ap"
    title: ClassVar[str] = "Frame AP"
    counts_frames: ClassVar[bool] = True

    sigma: float = option(5.0, "width, in frames, of the bell put on each boundary where frames have no probability")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.sigma > 0:
            raise UsageError(f"{self.name}(sigma={self.sigma:g}): it must be greater than 0")

    def instances(self, player: str, entries: Entries, videos: Videos, distance: Distance) -> Instances:
        comparison = compare(entries, videos, self.annotator, distance)
        quality = np.zeros(0)
        if self.annotator == "max":
            quality = match_counts(comparison, videos, distance, "official", "closed").f1
        shares = comparison.shares(self.annotator, quality)
        video = comparison.entries.video
        frames = videos.frames[video]
        if self.annotator != "max" and entries.are_one_each(videos):  # then these do not depend on the entries
            key = ("window shares", self.annotator, distance)
            correct = videos.memo.keep(key, lambda: _window_shares(comparison, videos, distance, shares))
        else:
            correct = _window_shares(comparison, videos, distance, shares)
        ranked = Ragged.counted(correct, frames)
        return Instances(ranked.owners, self._curves(player, comparison.entries, videos), correct, video, ranked.sum())

    def _curves(self, player: str, entries: Entries, videos: Videos) -> Floats:
        if player == "system" and videos.probabilities is not None:
            return videos.probabilities.values
        weights = np.ones(len(entries.lists.values))
        if player == "system" and videos.scores is not None:
            weights = videos.scores
        frames = videos.frames[entries.video]
        lists = on_frames(entries.lists, videos.fps[entries.video], frames)
        return _native.boundary_density(lists.arrays, weights, frames, self.sigma)

    def context_parts(self, positives: Floats, ranked: Floats) -> dict[str, Floats]:
        return {"prevalence": ratio(positives, ranked, np.nan).mean(axis=-1)}

    def choices(self) -> dict[str, str]:
        return {"sigma": f"{self.sigma:g}"}


def _window_shares(comparison: Comparison, videos: Videos, distance: Distance, shares: Floats) -> Floats:
    """For each frame of each entry, the share of its annotators who have a boundary near it."""
    used = np.flatnonzero(shares)
    video = comparison.video[used]
    frames = videos.frames[video]
    tolerances = distance.in_frames(frames, videos.fps[video])
    references = on_frames(comparison.references[comparison.reference[used]], videos.fps[video], frames)
    masks = _native.window_masks(references.arrays, tolerances, frames) * np.repeat(shares[used], frames)
    # Pairs of one entry have equally many frames: add them up at the entry's own frames.
    offsets = offsets_of(videos.frames[comparison.entries.video])
    return sum_by(spans(offsets[comparison.entry[used]], frames), masks, int(offsets[-1]))
