"""Captions on given segments: a captioner that gets the segments as input is scored segment by segment.

    items      = the reference segments; candidate = the prediction on the same segment, reference = its sentence
    same       = start and end each within .05 s, so that rounding in either file does no harm

`segments(cider)` is CIDEr of these, `segments(meteor)` METEOR, and so on for any sentence metric: the figures that
papers report "with ground-truth proposals".

Krishna, R., Hata, K., Ren, F., Fei-Fei, L., Niebles, J. C. (2017). Dense-captioning events in videos. ICCV.

Quirks. A prediction serves one segment of each annotator, in the order of the file. A segment without prediction
counts as an empty caption, with `missing="drop"` not at all: give only the reference file whose segments the
captioner got. Each caption is tokenized alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import JoinError
from kataribe.core.join import missing_field
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Int64s
from kataribe.stories.captioned import (
    CaptionedFacts,
    CaptionedStories,
    CaptionedVideos,
    ScannedPredictions,
    captions_alone,
)
from kataribe.stories.inner import InnerScan
from kataribe.stories.items import Missing, Stories

_SAME_SECONDS = 0.05


@dataclass(frozen=True)
class SegmentCounts:
    """How many captions there are on either side, and how many reference segments are predicted ones.

    Where others are left out, `scored` are these: the video and the number of the caption in it.
    """

    policy: Missing
    references: int
    predictions: int
    found: int
    scored: tuple[tuple[str, str], ...]

    def __add__(self, other: SegmentCounts) -> SegmentCounts:
        return SegmentCounts(
            self.policy,
            self.references + other.references,
            self.predictions + other.predictions,
            self.found + other.found,
            self.scored + other.scored,
        )

    @property
    def signature(self) -> dict[str, str]:
        absent = self.references - self.found
        leaves_out = self.policy == "drop" and absent > 0
        kept = self.found if leaves_out else self.references
        fields = {"missing": missing_field(self.policy, absent), "data": f"{kept}/{self.references}"}
        return fields | ({"scored": fingerprint_by_id(self.scored)} if leaves_out else {})

    def cautions(self, metric: str) -> list[Caution]:
        warnings = []
        if self.found < self.references:
            action = "left out" if self.policy == "drop" else "scored as empty captions"
            without = f"{self.references - self.found:,} of {self.references:,} reference segments have no prediction"
            warnings.append(Caution("missing-segments", f"{metric}: {without}, {action}"))
        if self.found < self.predictions:
            without = f"{self.predictions - self.found:,} of {self.predictions:,} predictions"
            warnings.append(Caution("extra-segments", f"{metric}: {without} are on no reference segment"))
        return warnings


@dataclass(frozen=True)
class Segments(CaptionedStories):
    name: ClassVar[str] = "segments"
    title: ClassVar[str] = "Given segments"

    def captioned(self, items: Stories) -> CaptionedVideos:
        return items.memo.keep("segments", lambda: _captioned(items))

    def counts(self, items: Stories) -> SegmentCounts:
        policy, found = items.policy("zero"), np.flatnonzero(_partners(items) >= 0)
        scored: tuple[tuple[str, str], ...] = ()
        if policy == "drop":
            videos, numbers = items.references.video_of[found], items.references.texts.within(found)
            pairs = zip(videos.tolist(), numbers.tolist(), strict=True)
            scored = tuple((items.ids[video], str(number)) for video, number in pairs)
        return SegmentCounts(policy, items.references.total, items.predictions.total, len(found), scored)

    def conclude(self, references: InnerScan, predictions: ScannedPredictions) -> CaptionedFacts:
        if not predictions.counts.found:
            raise JoinError(
                f"{self}: no predicted segment is a reference segment",
                hint="this score is for captioners that were told the segments; use soda(c) for others",
            )
        return super().conclude(references, predictions)

    def warnings(self, facts: CaptionedFacts) -> Sequence[Caution]:
        return [*facts.counts.cautions(str(self)), *super().warnings(facts)]


def _captioned(items: Stories) -> CaptionedVideos:
    references, partner, texts = items.references, _partners(items), items.pool.texts
    kept = np.flatnonzero(partner >= 0) if items.missing == "drop" else np.arange(len(partner))
    videos, numbers = references.video_of[kept], references.texts.within(kept)
    predicted, written = items.predictions.texts.values, references.texts.values
    captions = captions_alone(
        [f"{items.ids[video]}#{number}" for video, number in zip(videos.tolist(), numbers.tolist(), strict=True)],
        [texts[predicted[partner[row]]] if partner[row] >= 0 else "" for row in kept],
        [[texts[written[row]]] for row in kept],
    )
    return CaptionedVideos(captions, videos)


def _partners(items: Stories) -> Int64s:
    """For each reference caption the prediction on its segment, -1 where there is none."""
    return items.memo.keep("partners", lambda: _find_partners(items))


def _find_partners(items: Stories) -> Int64s:
    references, predictions = items.references, items.predictions
    partner = np.full(references.total, -1, dtype=np.int64)
    for video in np.flatnonzero(items.predicted):
        first_row, first_column = references.offsets[video], predictions.offsets[video]
        rows = references.segments.values[first_row : references.offsets[video + 1]]
        columns = predictions.segments.values[first_column : predictions.offsets[video + 1]]
        gaps = np.abs(rows[:, None] - columns[None]).max(axis=2)
        taken: set[tuple[int, int]] = set()
        for row, column in np.argwhere(gaps <= _SAME_SECONDS).tolist():
            reference, prediction = first_row + row, first_column + column
            annotator = int(items.annotator.values[reference])
            if partner[reference] < 0 and (annotator, prediction) not in taken:
                partner[reference] = prediction
                taken.add((annotator, prediction))
    return partner
