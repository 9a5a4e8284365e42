"""Alignments as JSON, so that a page can draw them and a person can check them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kataribe.core.types import Bools, Int64s
from kataribe.formats.storytable import CaptionTable
from kataribe.stories.alignment import ScoredAlignment
from kataribe.stories.items import Stories


def describe(items: Stories, found: Sequence[ScoredAlignment], used: Sequence[Bools]) -> list[list[dict[str, Any]]]:
    """For each video its reference stories: scores, pairs, and the captions without partner on either side.

    Captions are numbered from 0 as in their file: a prediction by its number, a reference by its annotator's number
    and its own. `counts` says whether the story entered the score (under refs=best only the best one does).
    """
    numbers = _numbers_in_file(items)
    entries: list[list[dict[str, Any]]] = [[] for _ in items.ids]
    for scored, counts in zip(found, used, strict=True):
        for story, video in enumerate(scored.alignment.stories.video.tolist()):
            entry = {} if scored.threshold is None else {"tiou": scored.threshold}
            entry |= {name: float(share[story]) for name, share in scored.shares._asdict().items()}
            entry |= {"counts": bool(counts[story])} | _pairs(items, scored, story, video, numbers)
            entries[video].append(entry)
    return entries


def _pairs(items: Stories, scored: ScoredAlignment, story: int, video: int, numbers: Int64s) -> dict[str, Any]:
    alignment = scored.alignment
    pairs = slice(*alignment.cells.offsets[story : story + 2].tolist())
    all_rows = alignment.stories.rows[story : story + 1].values
    rows, columns, ious = alignment.rows[pairs], alignment.columns[pairs], scored.ious[pairs]
    text = scored.text[pairs] if scored.text is not None else np.ones(len(rows))
    first = items.references.offsets[video]

    def reference(row: int) -> dict[str, int]:
        return {"annotator": int(items.annotator.values[first + row]), "reference": int(numbers[first + row])}

    return {
        "pairs": [
            reference(row) | {"prediction": column, "iou": iou, "text": score, "product": iou * score}
            for row, column, iou, score in zip(
                rows.tolist(), columns.tolist(), ious.tolist(), text.tolist(), strict=True
            )
        ],
        "unmatched_references": [reference(row) for row in np.setdiff1d(all_rows, rows).tolist()],
        "unmatched_predictions": np.setdiff1d(np.arange(items.predictions.counts[video]), columns).tolist(),
    }


def _numbers_in_file(items: Stories) -> Int64s:
    """For each reference caption its number among its video's captions by the same annotator."""
    key = items.references.video_of * items.annotators + items.annotator.values
    return np.arange(len(key)) - np.searchsorted(key, key)


def content(items: Stories, durations: Mapping[str, float]) -> dict[str, Any]:
    """What was scored, by video: the captions that the numbers in `describe` point to."""
    texts = items.pool.texts

    def captions(table: CaptionTable) -> Iterator[list[dict[str, Any]]]:
        for segments, indices in zip(table.segments, table.texts, strict=True):
            pairs = zip(segments.tolist(), indices.tolist(), strict=True)
            yield [{"segment": segment, "text": texts[index]} for segment, index in pairs]

    stories = {}
    by_video = zip(items.ids, captions(items.predictions), captions(items.references), items.annotator, strict=True)
    for video, predicted, written, annotators in by_video:
        references: list[list[Any]] = [[] for _ in range(items.annotators)]
        for caption, annotator in zip(written, annotators.tolist(), strict=True):
            references[annotator].append(caption)
        stories[video] = {"duration": durations.get(video), "references": references, "predictions": predicted}
    return stories
