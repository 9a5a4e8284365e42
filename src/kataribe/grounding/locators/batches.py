"""Windows and questions as padded tensors, and a network's candidates as spans that do not repeat each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kataribe.core.need import need
from kataribe.core.types import Float32s, Floats, Segment
from kataribe.grounding.locators.senses import Question, Rows

# Of two candidates that overlap more than this, the surer one is kept; so many are kept, and looked at, at most.
SUPPRESS, MOST, LOOKED_AT = 0.5, 10, 256


class Candidate(NamedTuple):
    """A span and how sure a locator is of it, between 0 and 1."""

    span: Segment
    confidence: float


def collate(
    windows: Sequence[Rows], questions: Sequence[Question], targets: Sequence[tuple[float, float]] | None = None
) -> Any:
    """A `Batch` of padded windows and questions."""
    torch = need("torch", extra="models", purpose="locators")
    from kataribe.grounding.locators.parts import Batch

    frames, is_row = _padded([rows.frames for rows in windows])
    faces, _ = _padded([rows.faces for rows in windows])
    has_face, _ = _padded([rows.has_face for rows in windows])
    tokens, is_token = _padded([question.tokens for question in questions])
    portraits, is_portrait = _padded([question.portraits for question in questions])
    wanted = np.array(targets if targets is not None else [(0.0, 0.0)] * len(windows), dtype=np.float32)
    arrays = (frames, is_row, faces, has_face, tokens, is_token, portraits, is_portrait, wanted)
    return Batch(*map(torch.from_numpy, arrays))


def _padded(arrays: Sequence[Any]) -> tuple[Any, Any]:
    longest = max(map(len, arrays))
    first = np.asarray(arrays[0])
    dtype = np.float32 if first.dtype.kind == "f" else first.dtype
    padded = np.zeros((len(arrays), longest, *first.shape[1:]), dtype=dtype)
    mask = np.zeros((len(arrays), longest), dtype=bool)
    for row, array in enumerate(arrays):
        padded[row, : len(array)], mask[row, : len(array)] = array, True
    return padded, mask


def located(network: Any, windows: Sequence[Rows], questions: Sequence[Question]) -> list[list[Candidate]]:
    """The surest spans of each window, the surest first."""
    torch = need("torch", extra="models", purpose="locators")
    device = next(network.parameters()).device
    with torch.no_grad():
        found = network(type(batch := collate(windows, questions))(*(each.to(device) for each in batch)))
    # A candidate that is not there is never the best: a window has at least one that is.
    scores = torch.sigmoid(found.logits).masked_fill(~found.is_there, -1.0).float().cpu().numpy()
    spans = found.spans.float().cpu().numpy()
    return [
        [
            Candidate(rows.span(start, end), score)
            for start, end, score in best_spans(spans[row], scores[row], len(rows))
        ]
        for row, rows in enumerate(windows)
    ]


def best_spans(spans: Float32s, scores: Float32s, length: int) -> list[tuple[float, float, float]]:
    """Start, end and score of the best candidates, cut at the ends of a window of so many rows.

    >>> spans = np.array([[0.0, 10.0], [1.0, 10.0], [12.0, 40.0]])
    >>> best_spans(spans, np.array([0.5, 0.9, 0.2]), length=20)
    [(1.0, 10.0, 0.9), (12.0, 20.0, 0.2)]
    """
    order = np.argsort(-scores, kind="stable")[:LOOKED_AT]
    cut = np.clip(spans[order].astype(np.float64), 0, length)
    order, cut = order[(real := cut[:, 1] > cut[:, 0])], cut[real]
    kept: list[int] = []
    while len(kept) < MOST and len(left := _unlike(cut, kept)):
        kept.append(int(left[0]))
    return [(*cut[row].tolist(), float(scores[order[row]])) for row in kept if scores[order[row]] >= 0]


def _unlike(spans: Floats, kept: Sequence[int]) -> Any:
    """Rows, in order, that overlap none of the kept ones too much."""
    is_left = np.ones(len(spans), dtype=bool)
    for row in kept:
        overlap = np.minimum(spans[:, 1], spans[row, 1]) - np.maximum(spans[:, 0], spans[row, 0])
        hull = np.maximum(spans[:, 1], spans[row, 1]) - np.minimum(spans[:, 0], spans[row, 0])
        is_left &= overlap <= SUPPRESS * hull
    return np.flatnonzero(is_left)


def merged(found: Iterable[Candidate], most: int = MOST) -> list[Candidate]:
    """The surest candidates of several windows, without those that repeat a surer one."""
    kept: list[Candidate] = []
    for candidate in sorted(found, key=lambda each: -each.confidence):
        if len(kept) < most and all(candidate.span.iou(other.span) <= SUPPRESS for other in kept):
            kept.append(candidate)
    return kept
