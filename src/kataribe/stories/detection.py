"""How well segments are found, whatever is said about them.

    precision@t = share of predicted segments with IoU > t to some reference segment
    recall@t    = share of reference segments with IoU > t to some predicted segment

for each video, against the annotator for whom each is highest, precision and recall separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kataribe import _native
from kataribe.core.ragged import sum_by
from kataribe.core.types import Array, Floats
from kataribe.stories.items import Stories


@dataclass(frozen=True, eq=False)
class Detection:
    """Precision and recall by video and threshold."""

    precision: Floats
    recall: Floats


def detect(items: Stories, ious: Floats, thresholds: Sequence[float]) -> Detection:
    references, predictions = items.references, items.predictions
    best_of_predictions, best_of_references = _native.best_overlaps(
        ious, (items.annotator.values, references.offsets), items.annotators, predictions.offsets
    )
    captions_by = _by_annotator(np.ones(references.total), items)
    precision, recall = [], []
    for threshold in thresholds:
        hits = sum_by(predictions.video_of, best_of_predictions > threshold, len(items))
        precision.append((hits / np.maximum(predictions.counts, 1)[:, None]).max(axis=1))
        covered = _by_annotator(best_of_references > threshold, items)
        recall.append((covered / np.maximum(captions_by, 1)).max(axis=1))
    return Detection(np.column_stack(precision), np.column_stack(recall))


def _by_annotator(values: Array, items: Stories) -> Floats:
    """Sums by video and annotator."""
    key = items.references.video_of * items.annotators + items.annotator.values
    return sum_by(key, values, len(items) * items.annotators).reshape(len(items), items.annotators)
