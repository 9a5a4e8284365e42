"""Paragraphs: a video's captions, joined, scored as one long caption.

    candidate  = the predicted captions of a video, joined with spaces
    references = the same for each annotator of the video

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
both. A video without prediction counts as an empty paragraph. Each paragraph is tokenized alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.metric import Metric, Protocols, option
from kataribe.core.types import Int64s
from kataribe.formats.storytable import CaptionTable
from kataribe.stories.captioned import CaptionedStories, CaptionedVideos, captions_alone
from kataribe.stories.items import Order, Stories, VideoCounts, in_order
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
        return items.memo.keep(("paragraphs", self._order), lambda: _captioned(items, self._order))

    def counts(self, items: Stories) -> VideoCounts:
        return VideoCounts.of(items, "zero")

    @property
    def choices(self) -> dict[str, str]:
        return {"order": self._order}

    @property
    def _order(self) -> Order:
        return self.order or ("file" if self.rules == "official" else "sorted")


def _has_tokenizer(metric: Metric) -> bool:
    return any(field.name == "tok" for field in fields(metric))


def _captioned(items: Stories, order: Order) -> CaptionedVideos:
    counted = np.flatnonzero(items.counted("zero"))
    videos = counted.tolist()
    one_author = np.zeros(items.predictions.total, dtype=np.int64)
    predicted = _paragraphs(items, items.predictions, one_author, order)
    written = _paragraphs(items, items.references, items.annotator.values, order)
    captions = captions_alone(
        [items.ids[video] for video in videos],
        [predicted[video][0] if predicted[video] else "" for video in videos],
        [written[video] for video in videos],
    )
    return CaptionedVideos(captions, counted)


def _paragraphs(items: Stories, captions: CaptionTable, author: Int64s, order: Order) -> list[list[str]]:
    """For each video the paragraphs of those who wrote about it."""
    ordered = in_order(captions, order, author)
    columns = captions.video_of[ordered], author[ordered], captions.texts.values[ordered]
    texts = items.pool.texts
    paragraphs: list[dict[int, list[str]]] = [{} for _ in items.ids]
    for video, who, text in zip(*(column.tolist() for column in columns), strict=True):
        paragraphs[video].setdefault(who, []).append(texts[text].strip())
    return [[" ".join(parts) for parts in by_author.values()] for by_author in paragraphs]
