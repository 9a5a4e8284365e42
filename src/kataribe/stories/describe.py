"""Alignments as documents, so that a page can draw them and a person can check them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kataribe.core.types import Bools, Int64s
from kataribe.stories.alignment import ScoredAlignment
from kataribe.stories.items import Stories, Told
from kataribe.stories.result import AlignedPair, ReferenceIndex, ScoredStory, StoryAlignment, TimedCaption


def describe(items: Stories, found: Sequence[ScoredAlignment], used: Sequence[Bools]) -> list[list[StoryAlignment]]:
    """For each video its readings: scores, pairs, and the captions without partner on either side.

    Captions are numbered from 0 as in their file: a prediction by its number, a reference by its annotator's number
    and its own.
    """
    numbers = _numbers_in_file(items)
    described: list[list[StoryAlignment]] = [[] for _ in items.ids]
    for scored, counts in zip(found, used, strict=True):
        for reading, video in enumerate(scored.alignment.readings.video.tolist()):
            described[video].append(_described(items, scored, reading, video, bool(counts[reading]), numbers))
    return described


def _described(
    items: Stories, scored: ScoredAlignment, reading: int, video: int, counts: bool, numbers: Int64s
) -> StoryAlignment:
    alignment, readings = scored.alignment, scored.alignment.readings
    pairs = slice(alignment.bounds[reading], alignment.bounds[reading + 1])
    story = readings.rows[readings.bounds[reading] : readings.bounds[reading + 1]]
    rows, columns, ious = alignment.rows[pairs], alignment.columns[pairs], scored.ious[pairs]
    text = scored.text[pairs] if scored.text is not None else np.ones(len(rows))
    first = items.references.bounds[video]

    def index(row: int) -> tuple[int, int]:
        return int(items.annotator[first + row]), int(numbers[first + row])

    return StoryAlignment(
        **{name: float(share[reading]) for name, share in scored.shares._asdict().items()},
        counts=counts,
        pairs=[
            AlignedPair(*index(row), prediction=column, iou=iou, text=score, product=iou * score)
            for row, column, iou, score in zip(
                rows.tolist(), columns.tolist(), ious.tolist(), text.tolist(), strict=True
            )
        ],
        unmatched_references=[ReferenceIndex(*index(row)) for row in np.setdiff1d(story, rows).tolist()],
        unmatched_predictions=np.setdiff1d(np.arange(items.predictions.counts[video]), columns).tolist(),
        tiou=scored.threshold,
    )


def _numbers_in_file(items: Stories) -> Int64s:
    """For each reference caption its number among its video's captions by the same annotator."""
    key = items.references.video_of * items.annotators + items.annotator
    return np.arange(len(key)) - np.searchsorted(key, key)


def content(items: Stories, durations: Mapping[str, float]) -> dict[str, ScoredStory]:
    """What was scored, by video: the captions that the numbers in `describe` point to."""
    texts = items.pool.texts
    stories = {}
    for row, video in enumerate(items.ids):
        predictions = range(items.predictions.bounds[row], items.predictions.bounds[row + 1])
        references: list[list[TimedCaption]] = [[] for _ in range(items.annotators)]
        for caption in range(items.references.bounds[row], items.references.bounds[row + 1]):
            references[items.annotator[caption]].append(_caption(items.references, caption, texts))
        stories[video] = ScoredStory(
            duration=durations.get(video),
            references=references,
            predictions=[_caption(items.predictions, caption, texts) for caption in predictions],
        )
    return stories


def _caption(told: Told, caption: int, texts: Sequence[str]) -> TimedCaption:
    start, end = told.segments[caption].tolist()
    return TimedCaption(segment=(start, end), text=texts[told.texts[caption]])
