"""How much spans overlap, which of them suppress others, and lists of spans as tables.

    seconds      IoU = what both cover / what either covers; 0 where they do not meet
    inclusive    IoU = (min(ends) - max(starts) + 1) / (max(ends) - min(starts) + 1), at least 0

The second counts both ends of a span, as if times were numbers of frames. It favours short spans, and spans that are up
to a second apart still overlap. It is what IA-Net's scorer, and Movie101's copy of it, print.

Suppression is greedy: of the spans in order, one whose IoU with an earlier kept one is greater than the threshold is
dropped. Published scorers measure this overlap in plain seconds, also where they score with the other one.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from kataribe.core.ragged import Ragged, spans
from kataribe.core.types import Bools, Floats, Int64s

Overlap = Literal["seconds", "inclusive"]
Order = Literal["score", "later", "file"]

ORDER_HELP = "by score; later: of equal scores the later one first; file: as in the file"
OVERLAP_HELP = "IoU in seconds, or with both ends counted (+1)"


def iou(one: Floats, other: Floats, overlap: Overlap = "seconds") -> Floats:
    """Of spans with spans: the last axis of both holds start and end, the others broadcast. Not a span: NaN, IoU -1.

    >>> one, other = np.array([[0.0, 6.0]]), np.array([[4.0, 10.0]])
    >>> iou(one, other).tolist(), iou(one, other, "inclusive").round(4).tolist()
    ([0.2], [0.2727])
    """
    shared = np.minimum(one[..., 1], other[..., 1]) - np.maximum(one[..., 0], other[..., 0])
    hull = np.maximum(one[..., 1], other[..., 1]) - np.minimum(one[..., 0], other[..., 0])
    if overlap == "inclusive":
        shared, hull = shared + 1, hull + 1
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(shared > 0, shared / hull, 0.0)
    found[np.isnan(shared)] = -1.0
    return found


def padded(lists: Ragged, most: int | None = None) -> Floats:
    """Lists of spans as a table: lists x spans x 2, at most so many of each; where a list is shorter, NaN.

    >>> padded(Ragged.of([[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0]]]))[:, :, 0].tolist()
    [[0.0, 2.0], [4.0, nan]]
    """
    counts = lists.counts if most is None else np.minimum(lists.counts, most)
    table = np.full((len(lists), int(counts.max(initial=1)) or 1, 2), np.nan)
    owners = np.repeat(np.arange(len(lists)), counts)
    table[owners, spans(np.zeros_like(counts), counts)] = lists.values[spans(lists.starts, counts)]
    return table


def in_order(lists: Ragged, scores: Floats | None, order: Order) -> Ragged:
    """The spans of each list as they are ranked; a list in which one has no score stays as in the file.

    >>> lists = Ragged.of([[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]])
    >>> [in_order(lists, np.array([1.0, 7.0, 7.0]), way).values[:, 0].tolist() for way in ("score", "later", "file")]
    [[2.0, 4.0, 0.0], [4.0, 2.0, 0.0], [0.0, 2.0, 4.0]]
    """
    if order == "file" or scores is None:
        return lists
    if order == "score" and _are_in_order(lists, scores):
        return lists
    is_ranked = lists.with_values(np.isnan(scores)).sum() == 0
    key = np.where(lists.spread(is_ranked), -scores, 0.0)
    index = np.arange(len(scores))
    within = np.where(lists.spread(is_ranked) & (order == "later"), -index, index)
    return lists.with_values(lists.values[np.lexsort((within, key, lists.owners))])


def _are_in_order(lists: Ragged, scores: Floats) -> bool:
    """Whether no score is higher than the one before it, as in most files; nothing is to be sorted then."""
    is_higher = ~(scores[1:] <= scores[:-1])
    # The first of a list has none before it.
    is_higher[lists.offsets[1:-1][(lists.offsets[1:-1] > 0) & (lists.offsets[1:-1] < len(scores))] - 1] = False
    return not is_higher.any()


def first_unsuppressed(table: Floats, threshold: float, most: int) -> Floats:
    """Of a table of ranked spans the first so many that no earlier kept one suppresses, as a table.

    >>> table = np.array([[[0.0, 10.0], [1.0, 10.0], [20.0, 30.0]]])
    >>> first_unsuppressed(table, 0.5, 2)[0].tolist()
    [[0.0, 10.0], [20.0, 30.0]]
    """
    most = min(most, table.shape[1])
    kept = np.full((len(table), most, 2), np.nan)
    left: Bools = ~np.isnan(table[..., 0])
    rows = np.arange(len(table))
    for place in range(most):
        first: Int64s = left.argmax(axis=1)
        found = left[rows, first]
        chosen = table[rows, first]
        kept[:, place] = np.where(found[:, None], chosen, np.nan)
        left &= iou(chosen[:, None], table) <= threshold
        left[rows, first] = False
    return kept
