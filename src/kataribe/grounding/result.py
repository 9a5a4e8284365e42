"""What a result of grounding has to show: the query on its video's axis, what people marked and what was offered."""

from __future__ import annotations

from kataribe.core.document import Document

Span = tuple[float, float]


class GroundedQuery(Document, frozen=True, tag="grounded-query", omit_defaults=True):
    """One query. `extent` is the part of the video that is searched, `anchor` the shot that the search started from.

    `truth` holds each person's spans, `predicted` the system's in the order of the file, `overlaps` each one's IoU with
    the best true span of anybody; `scores` belong to them.
    `curve` are times and the system's score at each of them.
    """

    video: str
    text: str
    extent: Span
    truth: list[list[Span]]
    predicted: list[Span]
    overlaps: list[float]
    scores: list[float | None] | None = None
    anchor: Span | None = None
    curve: tuple[list[float], list[float]] | None = None
    answer: str | None = None
