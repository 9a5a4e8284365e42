"""What `paragraph` and `segments` share: stories become captions, a sentence metric's rows become rows of videos."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kataribe.captions.items import Captions
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Floats, Int64s, Score
from kataribe.stories.items import Stories, sum_by
from kataribe.stories.pairtext import reads_english, sentence_metric, text_signature


class CaptionedVideos(NamedTuple):
    """Captions to score, those of one video side by side; `notes` go into the signature, `warnings` to the user."""

    captions: Captions
    video_of: Int64s
    notes: dict[str, str]
    warnings: list[Caution]


class _Prepared(NamedTuple):
    captioned: CaptionedVideos
    text: Any


@dataclass(frozen=True)
class CaptionedStories(Metric):
    """A sentence metric on captions that are made from stories. Its rows add up, so a video's row is their sum."""

    task: ClassVar[str] = "stories"

    text: Spec | None = option(None, "the sentence metric; it must be said", positional=True)

    def __post_init__(self) -> None:
        if self.text is None:
            raise UsageError(f"{self.name} of what?", hint=f"write {self.name}(meteor) or {self.name}(cider)")

    @abstractmethod
    def captioned(self, items: Stories) -> CaptionedVideos:
        """The captions that stand for the stories."""

    @property
    def sentence(self) -> Metric:
        return sentence_metric(self.text or Spec(""), self.name)

    @property
    def reads_english(self) -> bool:
        """Whether the sentence metric cuts its texts as English."""
        return reads_english(self.sentence)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.sentence.columns

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        return self.sentence.bounds

    @property
    def steady_from(self) -> int:  # type: ignore[override]
        return self.sentence.steady_from

    def prepare(self, items: Stories) -> _Prepared:
        captioned = self.captioned(items)
        return _Prepared(captioned, self.sentence.prepare(captioned.captions))

    def stats(self, items: Stories, context: _Prepared) -> Array:
        video_of = context.captioned.video_of
        first, last = np.searchsorted(video_of, [items.rows.start, items.rows.stop])
        rows = self.sentence.stats(context.captioned.captions[first:last], context.text)
        return sum_by(video_of[first:last] - items.first, rows, len(items))

    def measure(self, totals: Floats) -> Measured:
        with np.errstate(invalid="ignore", divide="ignore"):  # a video that was left out has no score: 0/0
            return self.sentence.measure(totals)

    def reduce(self, statistics: Array) -> Score:
        return self.sentence.reduce(statistics)

    def per_item(self, statistics: Array) -> Measured:
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.sentence.per_item(statistics)

    def replicates(self, statistics: Array, weights: Array) -> Floats:
        return self.sentence.replicates(statistics, weights)

    def signature(self, context: _Prepared) -> dict[str, str]:
        return text_signature(self.sentence, context.text) | context.captioned.notes

    def warnings(self, context: _Prepared) -> list[Caution]:
        return [*context.captioned.warnings, *self.sentence.warnings(context.text)]
