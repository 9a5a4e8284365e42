"""Captions on given segments: a captioner that is told where to look is scored segment by segment.

    items      = the reference segments; candidate = the prediction on the same segment, reference = its sentence
    same       = start and end each within .05 s, so that rounding in either file does no harm

`segments(cider)` is CIDEr of these, `segments(meteor)` METEOR, and so on for any sentence metric: the figures that
papers report "with ground-truth proposals".

Krishna, R., Hata, K., Ren, F., Fei-Fei, L., Niebles, J. C. (2017). Dense-captioning events in videos. ICCV.

Quirks. A prediction serves one segment of each annotator, in the order of the file. A segment without prediction
counts as an empty caption, under `--missing drop` not at all: give the reference file whose segments the captioner
was told, not all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.captions.items import Captions
from kataribe.core.caution import Caution
from kataribe.core.errors import JoinError
from kataribe.core.join import missing_field
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Int64s
from kataribe.stories.captioned import CaptionedStories, CaptionedVideos
from kataribe.stories.items import Stories

_SAME_SECONDS = 0.05


@dataclass(frozen=True)
class Segments(CaptionedStories):
    name: ClassVar[str] = "segments"
    title: ClassVar[str] = "Given segments"

    def captioned(self, items: Stories) -> CaptionedVideos:
        partner = _partners(items)
        found = int((partner >= 0).sum())
        if not found:
            raise JoinError(
                f"{self}: no predicted segment is a reference segment",
                hint="this score is for captioners that were told the segments; use soda(c) for others",
            )
        kept = np.flatnonzero(partner >= 0) if items.missing == "drop" else np.arange(len(partner))
        said, written, texts = items.predictions.texts, items.references.texts, items.pool.texts
        captions = Captions(
            [f"{items.ids[items.references.video_of[row]]}#{row}" for row in kept],
            [texts[said[partner[row]]] if partner[row] >= 0 else "" for row in kept],
            [[texts[written[row]]] for row in kept],
        )
        absent = len(partner) - found
        notes = {"missing": missing_field(items.missing or "zero", absent), "data": f"{len(kept)}/{len(partner)}"}
        if len(kept) < len(partner):
            notes["scored"] = _fingerprint(items, kept)
        return CaptionedVideos(captions, items.references.video_of[kept], notes, self._say(items, found))

    def _say(self, items: Stories, found: int) -> list[Caution]:
        told, said = len(items.references.texts), len(items.predictions.texts)
        warnings = []
        if found < told:
            action = "left out" if items.missing == "drop" else "scored as empty captions"
            text = f"{self}: {told - found:,} of {told:,} reference segments have no prediction, {action}"
            warnings.append(Caution("missing-segments", text))
        if found < said:
            text = f"{self}: {said - found:,} of {said:,} predictions are on no reference segment"
            warnings.append(Caution("extra-segments", text))
        return warnings


def _fingerprint(items: Stories, captions: Int64s) -> str:
    """Of some reference captions, in whatever order their videos stand."""
    told = items.references
    numbers = zip(captions.tolist(), told.within_video(captions).tolist(), strict=True)
    return fingerprint_by_id((items.ids[told.video_of[caption]], str(number)) for caption, number in numbers)


def _partners(items: Stories) -> Int64s:
    """For each reference caption the prediction on its segment, -1 where there is none."""
    told, said = items.references, items.predictions
    partner = np.full(len(told.texts), -1, dtype=np.int64)
    for video in np.flatnonzero(items.predicted):
        rows = slice(told.bounds[video], told.bounds[video + 1])
        columns = slice(said.bounds[video], said.bounds[video + 1])
        gaps = np.abs(told.segments[rows, None] - said.segments[None, columns]).max(axis=2)
        taken: set[tuple[int, int]] = set()
        for row, column in np.argwhere(gaps <= _SAME_SECONDS).tolist():
            reference, prediction = rows.start + row, columns.start + column
            annotator = int(items.annotator[reference])
            if partner[reference] < 0 and (annotator, prediction) not in taken:
                partner[reference] = prediction
                taken.add((annotator, prediction))
    return partner
