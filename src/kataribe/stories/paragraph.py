"""Paragraphs: a video's captions, joined in time order, scored as one long caption.

    candidate  = the predicted captions of a video, by start and then end, joined with spaces
    references = the same for each annotator who told the video

`paragraph(cider)` is CIDEr of these, `paragraph(meteor)` METEOR, and so on for any sentence metric: the figures that
paragraph captioning papers report.

Park, J. S., Rohrbach, M., Darrell, T., Rohrbach, A. (2019). Adversarial inference for multi-sentence video
description. CVPR.

Quirks. Where segments do not matter, neither does the number of captions: this score forgives both. A video without
prediction counts as an empty paragraph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.captions.items import Captions
from kataribe.stories.captioned import CaptionedStories, CaptionedVideos
from kataribe.stories.items import Stories, Told
from kataribe.text.sentences import Int64s


@dataclass(frozen=True)
class Paragraph(CaptionedStories):
    name: ClassVar[str] = "paragraph"
    title: ClassVar[str] = "Paragraph"

    def captioned(self, items: Stories) -> CaptionedVideos:
        counted = np.flatnonzero(items.counted("zero"))
        videos = counted.tolist()
        spoken = _paragraphs(items, items.predictions, np.zeros(len(items.predictions.texts), dtype=np.int64))
        written = _paragraphs(items, items.references, items.annotator)
        captions = Captions(
            [items.ids[video] for video in videos],
            [spoken[video][0] if spoken[video] else "" for video in videos],
            [written[video] for video in videos],
        )
        return CaptionedVideos(captions, counted, items.policy_fields("zero"), [])


def _paragraphs(items: Stories, told: Told, teller: Int64s) -> list[list[str]]:
    """For each video the paragraphs of those who told it."""
    order = told.in_order("sorted", teller)
    paragraphs: list[dict[int, list[str]]] = [{} for _ in items.ids]
    for video, who, text in zip(
        told.video_of[order].tolist(), teller[order].tolist(), told.texts[order].tolist(), strict=True
    ):
        paragraphs[video].setdefault(who, []).append(items.pool.texts[text].strip())
    return [[" ".join(texts) for texts in by_teller.values()] for by_teller in paragraphs]
