"""What `paragraph` and `segments` share: stories become captions, a sentence metric's rows become rows of videos.

Each caption is tokenized alone, so that no video's row depends on the videos that come after it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions.items import Captions, Neighbours
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.ragged import sum_by
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Floats, Int64s, Score
from kataribe.stories.inner import InnerFacts, InnerScan, Side, conclude_inner, scan
from kataribe.stories.items import Stories
from kataribe.stories.pairtext import reads_english, sentence_metric, text_signature


class CaptionedVideos(NamedTuple):
    """Captions to score, and the row of each one's video."""

    captions: Captions
    video_of: Int64s


@dataclass(frozen=True)
class ScannedPredictions:
    text: InnerScan
    counts: Any

    def __add__(self, other: ScannedPredictions) -> ScannedPredictions:
        return ScannedPredictions(self.text + other.text, self.counts + other.counts)


class CaptionedFacts(NamedTuple):
    """What the sentence metric concluded, and how much of the data is scored."""

    text: InnerFacts
    counts: Any


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
        """The captions made from the stories; kept by the shard."""

    @abstractmethod
    def counts(self, items: Stories) -> Any:
        """How much of the data is scored: something that adds up and has a `signature`."""

    @property
    def choices(self) -> dict[str, str]:
        """What the signature says besides."""
        return {}

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

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:  # type: ignore[override]
        return self.sentence.vectors

    def scan_references(self, items: Stories) -> InnerScan:
        return self._scan(items, "references")

    def scan_predictions(self, items: Stories) -> ScannedPredictions:
        return ScannedPredictions(self._scan(items, "predictions"), self.counts(items))

    def _scan(self, items: Stories, side: Side) -> InnerScan:
        return InnerScan((self.sentence,), (scan(self.sentence, self.captioned(items).captions, side),))

    def conclude(self, references: InnerScan, predictions: ScannedPredictions) -> CaptionedFacts:
        return CaptionedFacts(conclude_inner(references, predictions.text), predictions.counts)

    def prepare(self, items: Stories, facts: CaptionedFacts) -> Any:
        return self.sentence.prepare(self.captioned(items).captions, facts.text.of(self.sentence))

    def stats(self, items: Stories, context: Any) -> Array:
        captioned = self.captioned(items)
        rows = self.sentence.stats(captioned.captions, context)
        return sum_by(captioned.video_of, rows, len(items))

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

    def signature(self, facts: CaptionedFacts) -> dict[str, str]:
        inner = text_signature(self.sentence, facts.text.of(self.sentence))
        return {**inner, **self.choices, **facts.counts.signature}

    def warnings(self, facts: CaptionedFacts) -> Sequence[Caution]:
        return self.sentence.warnings(facts.text.of(self.sentence))


def captions_alone(ids: Sequence[str], candidates: Sequence[str], references: Sequence[Sequence[str]]) -> Captions:
    """Captions of which none is cut with a view to what follows it."""
    nothing = Neighbours([None] * len(candidates), [[None] * len(texts) for texts in references])
    return Captions(ids, candidates, references, neighbours=nothing)
