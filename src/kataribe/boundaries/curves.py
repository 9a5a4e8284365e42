"""What a page draws of one system: precision against recall, and F1 beside blind guessing with M boundaries."""

from __future__ import annotations

import numpy as np

from kataribe.boundaries.f1 import BoundaryF1
from kataribe.boundaries.frame_ap import FrameAP
from kataribe.boundaries.items import Videos
from kataribe.boundaries.players import PAPER_TRIALS, enter, once, random_entries, uniform_lists
from kataribe.boundaries.ranking import precision_recall
from kataribe.core.ragged import Ragged
from kataribe.core.types import Curve, Floats

_MOST = 15
# Draws of Random for a picture; their mean hardly varies. The paper has its own number.
_TRIALS = {"official": 5, "paper": PAPER_TRIALS}
_PLAYERS = ("system", "human", "uniform", "random")


def curves(videos: Videos, protocol: str = "official") -> tuple[Curve, ...]:
    """The curves that this ground truth can serve; without frame rates there are no frames to rank."""
    by_count = f1_by_count(videos, protocol)
    return (by_count,) if np.isnan(videos.fps).any() else (precision_recall_of_frames(videos), by_count)


def precision_recall_of_frames(videos: Videos) -> Curve:
    metric = FrameAP()
    distance = metric.tolerance.distances[0]
    lines = {}
    for player in _PLAYERS:
        # One draw is enough for a picture; its pooled ranking hardly varies.
        instances = metric.instances(player, enter(player, videos, 1), videos, distance)
        if instances.positives.sum() > 0:  # a single annotator cannot be compared with others
            recall, precision = precision_recall(instances)
            lines[player] = tuple(zip(recall.round(5).tolist(), precision.round(5).tolist(), strict=True))
    return Curve("precision against recall of frames (random: 1 draw)", "recall", lines)


def f1_by_count(videos: Videos, protocol: str) -> Curve:
    """F1 of Uniform and Random with M boundaries in every video, and of a system's M most confident ones.

    People, and a system without confidence, have no M: they are level lines.
    """
    f1 = BoundaryF1("max", **BoundaryF1.protocols.get(protocol, {}))
    trials = _TRIALS[protocol]
    counts = range(1, _MOST + 1)
    everywhere = [np.full(len(videos), count) for count in counts]

    def level(player: str) -> list[float]:
        return [f1.score_of(enter(player, videos, 1), videos).value] * _MOST

    values = {
        "uniform": [f1.score_of(once(uniform_lists(videos.durations, m)), videos).value for m in everywhere],
        "random": [f1.score_of(random_entries(videos, m, trials), videos).value for m in everywhere],
    }
    if np.any(videos.annotators.counts > 1):
        values["human"] = level("human")
    if videos.scores is None:
        values["system"] = level("system")
    else:
        kept = [most_confident(videos.predictions, videos.scores, count) for count in counts]
        values["system, most confident"] = [f1.score_of(once(lists), videos).value for lists in kept]
    lines = {name: tuple(zip(map(float, counts), series, strict=True)) for name, series in values.items()}
    draws = f"random: {trials} draws"
    return Curve(f"F1 (max) against boundaries in each video ({draws})", "boundaries", lines)


def most_confident(lists: Ragged, confidence: Floats, count: int) -> Ragged:
    """Of each list the `count` most confident values, in order of time.

    >>> most_confident(Ragged.of([[1.0, 2.0, 3.0], [5.0]]), np.array([0.3, 0.9, 0.5, 0.1]), 2).values
    array([2., 3., 5.])
    """
    order = np.lexsort((np.arange(len(confidence)), -confidence, lists.owners))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = lists.within(np.arange(len(order)))
    kept = rank < count
    return Ragged.grouped(lists.values[kept], lists.owners[kept], len(lists))
