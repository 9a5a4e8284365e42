"""Every measure written out once more, one query at a time, to compare with."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[float, float]


def iou(one: Span, other: Span, *, is_inclusive: bool = False) -> float:
    plus = 1.0 if is_inclusive else 0.0
    shared = min(one[1], other[1]) - max(one[0], other[0]) + plus
    hull = max(one[1], other[1]) - min(one[0], other[0]) + plus
    return shared / hull if shared > 0 else 0.0


def ranked(spans: Sequence[Span], scores: Sequence[float] | None, order: str) -> list[Span]:
    if scores is None or order == "file":
        return list(spans)
    places = list(range(len(spans)))
    if order == "later":
        places.reverse()
    return [spans[place] for place in sorted(places, key=lambda place: -scores[place])]


def unsuppressed(spans: Sequence[Span], threshold: float) -> list[Span]:
    kept: list[Span] = []
    for span in spans:
        if all(iou(span, other) <= threshold for other in kept):
            kept.append(span)
    return kept


def hit(
    spans: Sequence[Span],
    truth: Sequence[Span],
    n: int,
    at: float,
    *,
    is_strict: bool = False,
    is_inclusive: bool = False,
    suppress: float | None = None,
) -> float:
    tried = (spans if suppress is None else unsuppressed(spans, suppress))[:n]
    best = max((iou(span, true, is_inclusive=is_inclusive) for span in tried for true in truth), default=-1.0)
    return float(best > at if is_strict else best >= at)


def average_precision(spans: Sequence[Span], truth: Sequence[Span], at: float) -> float:
    """Greedy, one to one, precision made monotone from the end."""
    taken: set[int] = set()
    right = []
    for span in spans:
        free = [
            (iou(span, true), place) for place, true in enumerate(truth) if place not in taken and iou(span, true) >= at
        ]
        if free:
            taken.add(max(free)[1])
        right.append(bool(free))
    precisions = [sum(right[: place + 1]) / (place + 1) for place in range(len(right))]
    return sum(max(precisions[place:]) for place, is_right in enumerate(right) if is_right) / len(truth)


def highlight_average_precision(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """At every different score a point of precision and recall; each recall that is reached counts once."""
    points = []
    for level in sorted(set(scores), reverse=True):
        chosen = [is_positive for score, is_positive in zip(scores, positive, strict=True) if score >= level]
        points.append((sum(chosen), sum(chosen) / len(chosen)))
    recalls = sorted({hits for hits, _ in points if hits})
    best = [max(precision for hits, precision in points if hits >= recall) for recall in recalls]
    return sum(best) / len(best) if best else 0.0
