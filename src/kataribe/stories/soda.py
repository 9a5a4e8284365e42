"""SODA: a predicted story against a reference story, aligned in time order and at most one to one.

    S[i][j]   = max(S[i-1][j], S[i-1][j-1] + C[i][j], S[i][j-1]), both stories in time order
    a         C = IoU where IoU >= t, else 0;  sum = f over the aligned pairs;  mean over t = .3 .5 .7 .9
    b         C = IoU;                         sum = f over the aligned pairs
    c         C = IoU * f;                     sum = S, the best alignment itself
    d         C = IoU;                         sum = S (timing only)
    precision = sum / predicted captions, recall = sum / reference captions, F1 their harmonic mean,
    for each video; the value is the mean F1 over videos. f is any sentence metric, by default METEOR.

Fujita, S., Hirao, T., Kamigaito, H., Okumura, M., Nagata, M. (2020). SODA: story oriented dense video captioning
evaluation framework. ECCV. An earlier paper in Japanese has a and b, and c as a variant; it pools the annotators.

Quirks: what the published tool does (`official`) and what the ECCV paper defines (`paper`, as in `soda(c, paper)`).
                                            official                           paper
    refs    several annotators              pooled into one story              best F1 (for each video and t)
    roles   in f                            prediction given as reference      prediction is the hypothesis
    order   of captions                     by start alone (see below)         by start, then end
    chars   outside ASCII                   count as blanks                    count
    pairs   of a and b                      the tool's (see below)             those of the best alignment
    idf     of CIDEr as f                   the video's predictions            the references
    iou                                     union + 1e-8                       exact
    missing videos                          left out                           score 0
`refs=mean` is the mean of one run for each annotator, which many papers report. A video that is predicted to have no
caption scores 0 in both. Each text is tokenized alone, so that no caption's score depends on its neighbours.

order   The tool sorts by start and leaves equal starts as they stand in the file, annotators' files one after
        another (`order=start`). In its multi-reference mode (refs=best) it does not sort the references at all
        (`order=file`), only the predictions.
chars   A rule for English: `chars=ascii` is the official default only where f uses the tokenizer ptb.
pairs   The tool's pairs of a and b are not those of the best alignment. They follow from S, C (IoU where IoU >= t,
        else 0; b: t = 0) by this rule, which was found from inputs and outputs alone (`pairs=tool`):
          - Go from the last reference to the first.
          - Each looks among the free predictions, the latest first, for one at which pairing is strictly the best way:
            S[i-1][j-1] + C[i][j] > S[i-1][j] and > S[i][j-1]. The first such prediction is its partner, and only
            earlier ones stay free. Where there is none, the reference stays alone.
          - The first reference and the first prediction are partners whenever both are still free when that cell is
            reached, at overlap 0 too.
        `pairs=best` traces the best alignment back; a pair is made only where leaving either caption out would lower
        the sum, so captions that do not overlap never pair. c and d sum S itself, and need no pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.ragged import sum_by
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Bools, Floats, Int64s
from kataribe.stories.alignment import Alignment, ScoredAlignment, align, best_of_video, shares
from kataribe.stories.describe import describe
from kataribe.stories.inner import NOTHING_SCANNED, InnerFacts, InnerScan, conclude_inner
from kataribe.stories.items import Missing, Order, Stories, VideoCounts
from kataribe.stories.pairtext import PairText, reads_english, sentence_metric
from kataribe.stories.result import StoryAlignment

_RULES: dict[str, dict[str, str]] = {
    "official": {
        "refs": "pooled",
        "roles": "swapped",
        "order": "file",
        "chars": "ascii",
        "pairs": "tool",
        "idf": "predictions",
        "iou": "tool",
    },
    "paper": {
        "refs": "best",
        "roles": "proper",
        "order": "sorted",
        "chars": "all",
        "pairs": "best",
        "idf": "references",
        "iou": "exact",
    },
}
_MISSING: dict[str, Missing] = {"official": "drop", "paper": "zero"}
_THRESHOLDS = (0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, eq=False)
class _Predictions:
    """What is scanned of predictions: `stories` is how many counted videos each annotator has a story of."""

    text: InnerScan
    videos: VideoCounts
    stories: Int64s

    def __add__(self, other: _Predictions) -> _Predictions:
        return _Predictions(self.text + other.text, self.videos + other.videos, self.stories + other.stories)


@dataclass(frozen=True, eq=False)
class _Facts:
    text: InnerFacts
    videos: VideoCounts
    annotator_weights: Floats


@dataclass(frozen=True)
class Soda(Metric):
    name: ClassVar[str] = "soda"
    task: ClassVar[str] = "stories"
    title: ClassVar[str] = "SODA"
    columns: ClassVar[tuple[str, ...]] = ("weight", "precision", "recall", "f1")
    protocols: ClassVar[Protocols] = {"paper": {"rules": "paper"}}

    # No default of its own, so that the variant is always printed: `soda` is read as soda(c) and prints as that.
    variant: Literal["a", "b", "c", "d"] = option(None, "which cost and which sum; default: c", positional=True)
    rules: Literal["official", "paper"] = option("official", "what fills the options left open", positional=True)
    text: Spec = option(Spec("meteor"), "f, any sentence metric")
    tiou: tuple[float, ...] = option(_THRESHOLDS, "the thresholds of a")
    refs: Literal["pooled", "best", "mean"] | None = option(None, "several annotators as one, the best, or their mean")
    roles: Literal["swapped", "proper"] | None = option(None, "whether f is given the prediction as its reference")
    order: Literal["file", "start", "sorted"] | None = option(
        None, "by start alone, by start and end, or (references under refs=best) as in the file"
    )
    chars: Literal["ascii", "all"] | None = option(None, "whether characters outside ASCII count as blanks in f")
    pairs: Literal["tool", "best"] | None = option(None, "of a and b: the tool's, or those of the best alignment")
    idf: Literal["predictions", "references"] | None = option(None, "where CIDEr as f takes its idf from")
    iou: Literal["tool", "exact"] | None = option(None, "with the published tool's constant, or exact")

    def __post_init__(self) -> None:
        if self.variant is None:
            object.__setattr__(self, "variant", "c")
        if self.variant != "a" and self.tiou != _THRESHOLDS:
            raise UsageError(f"soda({self.variant}): only soda(a) has thresholds", hint="leave tiou out")
        if not all(0 <= threshold <= 1 for threshold in self.tiou):
            raise UsageError("soda(a): thresholds are between 0 and 1", hint="write tiou=0.3+0.5")

    def scan_references(self, items: Stories) -> InnerScan:
        return NOTHING_SCANNED if self.variant == "d" else self._f.scan_references(items)

    def scan_predictions(self, items: Stories) -> _Predictions:
        text = NOTHING_SCANNED if self.variant == "d" else self._f.scan_predictions(items)
        stories_of = items.reference_stories(pooled=False, order="file")
        annotators = stories_of.annotator[self._counted(items)[stories_of.video]]
        stories = np.bincount(annotators, minlength=items.annotators)
        return _Predictions(text, VideoCounts.of(items, _MISSING[self.rules]), stories)

    def conclude(self, references: InnerScan, predictions: _Predictions) -> _Facts:
        videos = predictions.videos
        weights = _annotator_weights(videos.counted, predictions.stories)
        return _Facts(conclude_inner(references, predictions.text), videos, weights)

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:  # type: ignore[override]
        return None if self.variant == "d" else self._f.metric.vectors

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        return sentence_metric(self.text, self.name).bounds

    def stats(self, items: Stories, context: _Facts) -> Array:
        rows = [self._rows(items, scored, context) for scored in self._alignments(items, context)]
        return np.asarray(np.mean(rows, axis=0))

    def measure(self, totals: Floats) -> Measured:
        with np.errstate(invalid="ignore"):  # a video that was left out has no score: 0/0
            precision, recall, f1 = (totals[..., column] / totals[..., 0] for column in (1, 2, 3))
        return Measured(f1, {"precision": precision, "recall": recall})

    def signature(self, facts: _Facts) -> dict[str, str]:
        fields: dict[str, str] = {"v": self.variant}
        if self.variant == "a":
            fields["tiou"] = "+".join(map(str, self.tiou))
        if self.variant != "d":
            fields |= self._f.signature(facts.text)
            fields |= {"chars": "ascii" if self._f.plain else "all", "roles": self._chosen("roles")}
        fields |= {"refs": self._chosen("refs"), "order": self._reference_order, "iou": self._chosen("iou")}
        if self.variant in "ab":
            fields["pairs"] = self._chosen("pairs")
        return fields | facts.videos.signature

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        return self._f.warnings(facts.text) if self.variant != "d" else ()

    def details(self, items: Stories, context: _Facts) -> list[list[StoryAlignment]]:
        found = list(self._alignments(items, context))
        return describe(items, found, [self._used(scored) for scored in found])

    @property
    def reads_english(self) -> bool:
        """Whether f cuts its texts as English."""
        return self.variant != "d" and reads_english(self._f.metric)

    @property
    def blanks_foreign_characters(self) -> bool:
        """Whether characters outside ASCII count as blanks."""
        return self.variant != "d" and self._f.plain

    def _chosen(self, name: str) -> Any:
        """An option as it was written, or else as the rules have it."""
        return getattr(self, name) or _RULES[self.rules][name]

    @property
    def _reference_order(self) -> Order:
        """Only the published tool's multi-reference mode takes the references in the order of the file."""
        order: Order = self._chosen("order")
        return "start" if order == "file" and self._chosen("refs") != "best" else order

    @property
    def _prediction_order(self) -> Order:
        return "sorted" if self._reference_order == "sorted" else "start"

    @property
    def _f(self) -> PairText:
        metric = sentence_metric(self.text, self.name)
        if metric.lower_is_better or not metric.needs_references:
            raise UsageError(
                f"{self.name}: {metric} does not tell how well one sentence says what another says",
                hint="give a metric that compares a caption with its references, such as meteor or bertscore",
            )
        return PairText(metric, self._chosen("roles") == "swapped", self._chosen("idf"), self._is_plain(metric))

    def _is_plain(self, metric: Metric) -> bool:
        if self.chars is None and not reads_english(metric):
            return False
        return bool(self._chosen("chars") == "ascii")

    def _counted(self, items: Stories) -> Bools:
        return items.counted(_MISSING[self.rules])

    def _alignments(self, items: Stories, context: _Facts) -> Iterator[ScoredAlignment]:
        """One alignment for each threshold."""
        stories = items.reference_stories(pooled=self._chosen("refs") == "pooled", order=self._reference_order)
        order = self._prediction_order
        ious = items.ious(self._chosen("iou") == "exact")
        if self.variant == "d":
            alignment = align(items, stories, ious, order=order)
            yield self._scored(items, alignment, ious, None, alignment.best)
        elif self.variant == "c":
            scores = self._f.table(items, context.text, ious)
            alignment = align(items, stories, ious * scores, order=order)
            yield self._scored(items, alignment, ious, scores[alignment.cells.values], alignment.best)
        else:
            for threshold in self.tiou if self.variant == "a" else (0.0,):
                costs = np.where(ious >= threshold, ious, 0.0)
                alignment = align(items, stories, costs, order=order, tool_pairs=self._chosen("pairs") == "tool")
                text = self._f.of_pairs(items, alignment.cells.values, context.text, ious)
                yield self._scored(items, alignment, ious, text, alignment.sum(text), threshold)

    def _scored(
        self,
        items: Stories,
        alignment: Alignment,
        ious: Floats,
        text: Floats | None,
        sums: Floats,
        threshold: float | None = None,
    ) -> ScoredAlignment:
        stories = alignment.stories
        return ScoredAlignment(
            threshold if self.variant == "a" else None,
            alignment,
            ious[alignment.cells.values],
            text,
            shares(sums, items.predictions.counts[stories.video], stories.lengths),
        )

    def _used(self, scored: ScoredAlignment) -> Bools:
        """Which reference stories enter the score of their video."""
        if self._chosen("refs") == "mean":
            return np.ones(len(scored.shares.f1), dtype=np.bool_)
        return best_of_video(scored.shares.f1, scored.alignment.stories.video)

    def _rows(self, items: Stories, scored: ScoredAlignment, context: _Facts) -> Floats:
        stories = scored.alignment.stories
        weight = (self._used(scored) & self._counted(items)[stories.video]).astype(np.float64)
        if self._chosen("refs") == "mean":
            weight *= context.annotator_weights[stories.annotator]
        return sum_by(
            stories.video, np.column_stack([weight, *(weight * share for share in scored.shares)]), len(items)
        )


def _annotator_weights(counted: int, stories: Int64s) -> Floats:
    """Weights that make the mean over videos the mean of one run per annotator, however many videos each has."""
    runs = np.count_nonzero(stories)
    weights: Floats = counted / (max(runs, 1) * np.maximum(stories, 1))
    return weights
