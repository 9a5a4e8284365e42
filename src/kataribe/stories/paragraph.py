"""Paragraphs: a video's captions, joined, scored as one long caption.

    candidate  = the predicted captions of a video, joined with spaces
    references = the same for each annotator who told the video

`paragraph(cider)` is CIDEr of these, `paragraph(meteor)` METEOR, and so on for any sentence metric: the figures that
paragraph captioning papers report.

Park, J. S., Rohrbach, M., Darrell, T., Rohrbach, A. (2019). Adversarial inference for multi-sentence video
description. CVPR.

Quirks: what the scorer of these papers does (`official`) and what one would expect of a paragraph (`paper`, as in
`paragraph(meteor, paper)`).
                        official                                    paper
    order of captions   as in the files                             by start, then end
    tok                 letters: lower-cased runs of a to z         the sentence metric's own
The official tokens are a rule for English: a sentence metric of another tokenizer (`paragraph(bleu(tok=zh))`) or
without one keeps its own. Where segments do not matter, neither does the number of captions: this score forgives
both. A video without prediction counts as an empty paragraph.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.captions.items import Captions
from kataribe.core.errors import UsageError
from kataribe.core.metric import Metric, Protocols, option
from kataribe.core.types import Int64s
from kataribe.stories.captioned import CaptionedStories, CaptionedVideos
from kataribe.stories.items import Order, Stories, Told
from kataribe.stories.pairtext import reads_english


@dataclass(frozen=True)
class Paragraph(CaptionedStories):
    name: ClassVar[str] = "paragraph"
    title: ClassVar[str] = "Paragraph"
    protocols: ClassVar[Protocols] = {"paper": {"rules": "paper"}}

    rules: Literal["official", "paper"] = option("official", "what fills the options left open", positional=True)
    order: Literal["file", "sorted"] | None = option(None, "of captions: as in the files, or by start and end")
    tok: str | None = option(None, "another tokenizer for the sentence metric")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tok is not None and not _has_tokenizer(super().sentence):
            raise UsageError(f"{self.name}: {super().sentence} has no tokenizer to choose", hint="leave tok out")

    @property
    def sentence(self) -> Metric:
        metric = super().sentence
        tok = self.tok or ("letters" if self.rules == "official" and reads_english(metric) else None)
        if tok is None:
            return metric
        chosen: dict[str, Any] = {"tok": tok}
        return replace(metric, **chosen)

    def captioned(self, items: Stories) -> CaptionedVideos:
        order: Order = self.order or ("file" if self.rules == "official" else "sorted")
        counted = np.flatnonzero(items.counted("zero"))
        videos = counted.tolist()
        only_teller = np.zeros(len(items.predictions.texts), dtype=np.int64)
        spoken = _paragraphs(items, items.predictions, only_teller, order)
        written = _paragraphs(items, items.references, items.annotator, order)
        captions = Captions(
            [items.ids[video] for video in videos],
            [spoken[video][0] if spoken[video] else "" for video in videos],
            [written[video] for video in videos],
        )
        return CaptionedVideos(captions, counted, {"order": order} | items.policy_fields("zero"), [])


def _has_tokenizer(metric: Metric) -> bool:
    return any(field.name == "tok" for field in fields(metric))


def _paragraphs(items: Stories, told: Told, teller: Int64s, order: Order) -> list[list[str]]:
    """For each video the paragraphs of those who told it."""
    captions = told.in_order(order, teller)
    paragraphs: list[dict[int, list[str]]] = [{} for _ in items.ids]
    for video, who, text in zip(
        told.video_of[captions].tolist(), teller[captions].tolist(), told.texts[captions].tolist(), strict=True
    ):
        paragraphs[video].setdefault(who, []).append(items.pool.texts[text].strip())
    return [[" ".join(texts) for texts in by_teller.values()] for by_teller in paragraphs]
