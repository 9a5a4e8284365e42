"""Alignments as documents, so that a page can draw them and a person can check them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kataribe.core.types import Bools, Int64s
from kataribe.formats.storytable import CaptionTable
from kataribe.stories.alignment import ScoredAlignment
from kataribe.stories.items import Stories
from kataribe.stories.result import AlignedPair, ReferenceIndex, ScoredStory, StoryAlignment, TimedCaption


def describe(items: Stories, found: Sequence[ScoredAlignment], used: Sequence[Bools]) -> list[list[StoryAlignment]]:
    """For each video its reference stories: scores, pairs, and the captions without partner on either side.

    Captions are numbered from 0 as in their file: a prediction by its number, a reference by its annotator's number
    and its own.
    """
    numbers = _numbers_in_file(items)
    described: list[list[StoryAlignment]] = [[] for _ in items.ids]
    for scored, counts in zip(found, used, strict=True):
        for story, video in enumerate(scored.alignment.stories.video.tolist()):
            described[video].append(_described(items, scored, story, video, bool(counts[story]), numbers))
    return described


def _described(
    items: Stories, scored: ScoredAlignment, story: int, video: int, counts: bool, numbers: Int64s
) -> StoryAlignment:
    alignment = scored.alignment
    pairs = slice(*alignment.cells.offsets[story : story + 2].tolist())
    all_rows = alignment.stories.rows[story : story + 1].values
    rows, columns, ious = alignment.rows[pairs], alignment.columns[pairs], scored.ious[pairs]
    text = scored.text[pairs] if scored.text is not None else np.ones(len(rows))
    first = items.references.offsets[video]

    def index(row: int) -> tuple[int, int]:
        return int(items.annotator.values[first + row]), int(numbers[first + row])

    return StoryAlignment(
        **{name: float(share[story]) for name, share in scored.shares._asdict().items()},
        counts=counts,
        pairs=[
            AlignedPair(*index(row), prediction=column, iou=iou, text=score, product=iou * score)
            for row, column, iou, score in zip(
                rows.tolist(), columns.tolist(), ious.tolist(), text.tolist(), strict=True
            )
        ],
        unmatched_references=[ReferenceIndex(*index(row)) for row in np.setdiff1d(all_rows, rows).tolist()],
        unmatched_predictions=np.setdiff1d(np.arange(items.predictions.counts[video]), columns).tolist(),
        tiou=scored.threshold,
    )


def _numbers_in_file(items: Stories) -> Int64s:
    """For each reference caption its number among its video's captions by the same annotator."""
    key = items.references.video_of * items.annotators + items.annotator.values
    return np.arange(len(key)) - np.searchsorted(key, key)


def content(items: Stories, durations: Mapping[str, float]) -> dict[str, ScoredStory]:
    """What was scored, by video: the captions that the numbers in `describe` point to."""
    texts = items.pool.texts

    def captions(table: CaptionTable) -> Iterator[list[TimedCaption]]:
        for segments, indices in zip(table.segments, table.texts, strict=True):
            pairs = zip(segments.tolist(), indices.tolist(), strict=True)
            yield [TimedCaption(segment=(start, end), text=texts[index]) for (start, end), index in pairs]

    stories = {}
    by_video = zip(items.ids, captions(items.predictions), captions(items.references), items.annotator, strict=True)
    for video, predicted, written, annotators in by_video:
        references: list[list[TimedCaption]] = [[] for _ in range(items.annotators)]
        for caption, annotator in zip(written, annotators.tolist(), strict=True):
            references[annotator].append(caption)
        stories[video] = ScoredStory(duration=durations.get(video), references=references, predictions=predicted)
    return stories
