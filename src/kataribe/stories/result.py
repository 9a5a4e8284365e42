"""What a result of stories has to show: the captions on their time axis, and which of them a metric aligned."""

from __future__ import annotations

import msgspec

from kataribe.core.document import Document


class TimedCaption(msgspec.Struct, frozen=True):
    """A caption with its start and end in seconds; a time that was no number is null in the file."""

    segment: tuple[float | None, float | None]
    text: str


class ScoredStory(Document, frozen=True, tag="story"):
    """One video: what each annotator wrote and what was predicted, as in their files."""

    duration: float | None
    references: list[list[TimedCaption]]
    predictions: list[TimedCaption]

    @property
    def mean_reference_captions(self) -> float | None:
        """How many captions an annotator wrote; annotators who did not describe the video do not count."""
        counts = [len(captions) for captions in self.references if captions]
        return sum(counts) / len(counts) if counts else None


class ReferenceIndex(msgspec.Struct, frozen=True):
    """A reference caption by the index of its annotator and its own in the annotator's file."""

    annotator: int
    reference: int


class AlignedPair(ReferenceIndex, frozen=True):
    """A reference caption and a predicted one; `text` is the score of the sentences, `product` that times the IoU."""

    prediction: int
    iou: float
    text: float
    product: float


class StoryAlignment(Document, frozen=True, tag="story-alignment", omit_defaults=True):
    """A prediction aligned with one annotator's story, or with the captions of all annotators together.

    `counts` says whether it entered the score (under refs=best only the best one does); `tiou` is there where the
    metric has thresholds.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    counts: bool
    pairs: list[AlignedPair]
    unmatched_references: list[ReferenceIndex]
    unmatched_predictions: list[int]
    tiou: float | None = None

    @property
    def annotators(self) -> list[int]:
        """Whose captions were aligned."""
        return sorted({entry.annotator for entry in (*self.pairs, *self.unmatched_references)})
