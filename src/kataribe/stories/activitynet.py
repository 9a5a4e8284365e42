"""The ActivityNet Captions score: sentence metrics over all pairs of captions whose segments overlap enough.

    pairs(t)   every prediction with EVERY reference of every annotator whose IoU >= t; a prediction with no such
               reference with a filler text instead
    value      mean over t = .3 .5 .7 .9 of the mean over videos of METEOR's corpus score on the video's pairs(t)
    parts      the same with BLEU-1 to 4, ROUGE-L and CIDEr, and detection precision and recall; each also at each t

Krishna, R., Hata, K., Ren, F., Fei-Fei, L., Niebles, J. C. (2017). Dense-captioning events in videos. ICCV.

Quirks. The filler is `abc123!@#` in 2018 and a random word in 2021 (here drawn with the run's seed). CIDEr, which is
CIDEr-D unless `cider=plain`, takes its idf from the video's own pairs: a lone pair gives 0. Characters outside ASCII
become spaces. Only the first 1,000 predictions of a video count. Detection takes IoU > t where pairing takes
IoU >= t. A video without prediction scores 0. The scorer hands the pairs of one video and threshold to the tokenizer
as one text, so that in rare cases (a caption that ends in a single letter and a dot, say) the next caption decides
about a dot; that is reproduced.

`activitynet(2018, paper)` is the equation that the SODA papers print for this score: for each video the mean of f
over its pairs, no fillers, 0 where there is no pair; then the mean over videos, then over t. The IoU is exact, all
predictions count, the text is as it is, and CIDEr's idf comes from all references. `pooled=true`, under either rules,
is the mean of f over the pairs of all videos together, without fillers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions.bleu import Bleu
from kataribe.captions.cider import Cider
from kataribe.captions.items import CaptionPairs, pool_pairs
from kataribe.captions.rouge import RougeL
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError, some
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.ragged import pick, sum_by
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Floats, Int64s
from kataribe.stories.detection import detect
from kataribe.stories.inner import InnerFacts, InnerScan, conclude_inner, prepare_inner, scan_captions
from kataribe.stories.items import Stories, VideoCounts
from kataribe.stories.localisation import THRESHOLDS
from kataribe.stories.overlaps import OverlapPairs, open_endings, overlap_pairs, read_as_one_text
from kataribe.stories.pairtext import sentence_metric, text_signature
from kataribe.text.pool import TextPool
from kataribe.text.sentences import MAX_ORDER

MOST_PREDICTIONS = 1000
_BLEUS = tuple(f"BLEU-{n}" for n in range(1, MAX_ORDER + 1))
_TEXT_PARTS = ("METEOR", *_BLEUS, "ROUGE-L", "CIDEr")
_PARTS = (*_TEXT_PARTS, "precision", "recall")


@dataclass(frozen=True)
class _Predictions:
    """What is scanned of predictions: `long` are the videos that have too many of them."""

    text: InnerScan
    videos: VideoCounts
    seed: int
    long: tuple[str, ...]

    def __add__(self, other: _Predictions) -> _Predictions:
        return _Predictions(self.text + other.text, self.videos + other.videos, self.seed, self.long + other.long)


class _Facts(NamedTuple):
    text: InnerFacts
    videos: VideoCounts
    seed: int
    long: list[str]


class _Context(NamedTuple):
    """What each sentence metric prepared, and texts whose end is cut in several ways."""

    text: list[Any]
    endings: dict[int, list[int]]


@dataclass(frozen=True)
class ActivityNet(Metric):
    name: ClassVar[str] = "activitynet"
    task: ClassVar[str] = "stories"
    title: ClassVar[str] = "ActivityNet Captions"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = (
        "videos",
        *(f"pairs@{t}" for t in THRESHOLDS),
        *(f"{part}@{t}" for part in _PARTS for t in THRESHOLDS),
    )
    protocols: ClassVar[Protocols] = {"paper": {"rules": "paper"}}

    year: Literal[2018, 2021] | None = option(None, "which published scorer; it must be said", positional=True)
    rules: Literal["official", "paper"] = option("official", "the published scorer's, or the paper's", positional=True)
    pooled: bool = option(False, "the mean over all pairs of all videos, without fillers")
    cider: Literal["d", "plain"] = option("d", "CIDEr-D, or CIDEr as first defined")

    def __post_init__(self) -> None:
        if self.year is None:
            raise UsageError("activitynet: which year's scorer?", hint="write activitynet(2018) or activitynet(2021)")

    def scan_references(self, items: Stories) -> InnerScan:
        return scan_captions(self._inner, items, "references", plain=self.blanks_foreign_characters)

    def scan_predictions(self, items: Stories) -> _Predictions:
        text = scan_captions(self._inner, items, "predictions", plain=self.blanks_foreign_characters)
        long = np.flatnonzero(items.predictions.counts > MOST_PREDICTIONS)
        seed = items.fillers.seed
        return _Predictions(text, VideoCounts.of(items, "zero"), seed, tuple(pick(items.ids, long)))

    def conclude(self, references: InnerScan, predictions: _Predictions) -> _Facts:
        text = conclude_inner(references, predictions.text)
        return _Facts(text, predictions.videos, predictions.seed, sorted(predictions.long))

    def prepare(self, items: Stories, facts: _Facts) -> _Context:
        prepared = [prepare_inner(metric, items.pool, facts.text) for metric in self._inner]
        return _Context(prepared, open_endings(items.pool))

    def stats(self, items: Stories, context: _Context) -> Array:
        if self.rules == "official":
            items = items.first_predictions(MOST_PREDICTIONS)
        ious = items.ious(self.rules == "paper")
        pairs = overlap_pairs(items, ious, THRESHOLDS, self._fillers(items), plain=self.blanks_foreign_characters)
        pair_counts = [np.bincount(pairs.video[pairs.at(t)], minlength=len(items)) for t in THRESHOLDS]
        score = self._scores_of_pairs if self._by_pair else self._corpus_scores
        text = score(items, pairs, context)
        found = detect(items, ious, THRESHOLDS)
        columns = [np.ones(len(items)), *pair_counts, text, found.precision, found.recall]
        return items.counted("zero")[:, None] * np.column_stack(columns)

    def measure(self, totals: Floats) -> Measured:
        thresholds = len(THRESHOLDS)
        videos, pairs = totals[..., :1], totals[..., 1 : 1 + thresholds]
        parts: dict[str, Floats] = {}
        by_threshold: dict[str, Floats] = {}
        for number, name in enumerate(_PARTS, 1):
            sums = totals[..., 1 + thresholds * number :][..., :thresholds]
            with np.errstate(invalid="ignore"):  # a video that was left out has no score: 0/0
                if self.pooled and name in _TEXT_PARTS:
                    values = np.where(videos > 0, sums / np.maximum(pairs, 1), np.nan)
                else:
                    values = sums / videos
            parts[name] = values.mean(axis=-1)
            by_threshold |= {f"{name}@{t}": values[..., k] for k, t in enumerate(THRESHOLDS)}
        return Measured(parts["METEOR"], parts | by_threshold)

    def warnings(self, facts: _Facts) -> list[Caution]:
        if self.rules == "paper" or not facts.long:
            return []
        found = f"{len(facts.long):,} videos have more than {MOST_PREDICTIONS:,} predictions, cut to these"
        return [Caution("cut-predictions", f"activitynet: {found}: {some(facts.long)}")]

    def signature(self, facts: _Facts) -> dict[str, str]:
        official = self.rules == "official"
        filler = f"random-{facts.seed}" if self.year == 2021 else "constant"
        return {
            "v": str(self.year),
            "tiou": "+".join(map(str, THRESHOLDS)),
            "mean": "pairs" if self.pooled else "videos",
            "f": "pairs" if self._by_pair else "corpus",
            "iou": "tool" if official else "exact",
            "chars": "ascii" if official else "all",
            "limit": str(MOST_PREDICTIONS) if official else "none",
            **text_signature(self._meteor, None),
            "cider": self.cider,
            "idf": "references" if self._by_pair else "video-pairs",
            "filler": "none" if self._by_pair else filler,
            **facts.videos.signature,
        }

    @property
    def _by_pair(self) -> bool:
        """Whether f is the mean over pairs; the published scorers give a video's pairs to f as one corpus."""
        return self.pooled or self.rules == "paper"

    @property
    def blanks_foreign_characters(self) -> bool:
        """Whether characters outside ASCII count as blanks."""
        return self.rules == "official"

    @property
    def _meteor(self) -> Metric:
        return sentence_metric(Spec("meteor"), self.name)

    @property
    def _cider(self) -> Cider:
        return Cider(variant=self.cider)

    @property
    def _additive(self) -> tuple[Metric, ...]:
        """The metrics whose corpus score follows from sums of their rows, in the order of the parts they give."""
        return self._meteor, Bleu(), RougeL()

    @property
    def _inner(self) -> tuple[Metric, ...]:
        """The metrics that must know the corpus; CIDEr of a video's own pairs does not."""
        return (*self._additive, self._cider) if self._by_pair else self._additive

    def _fillers(self, items: Stories) -> Int64s | None:
        if self._by_pair:
            return None
        fillers = items.fillers
        return fillers.random if self.year == 2021 else np.full(len(items), fillers.constant)

    def _corpus_scores(self, items: Stories, pairs: OverlapPairs, context: _Context) -> Floats:
        """Each video a corpus: for each text part and threshold a column of corpus scores."""
        everything = pool_pairs(items.pool, pairs.candidates, pairs.references)
        metrics = list(zip(self._additive, context.text, strict=True))
        rows = [metric.stats(everything, prepared) for metric, prepared in metrics]
        has_captions = items.predictions.counts > 0
        columns: list[list[Floats]] = []
        for threshold in THRESHOLDS:
            chosen = pairs.at(threshold)
            video = pairs.video[chosen]
            captions, changed = _as_read(items.pool, pairs, chosen, context.endings)
            values: list[Floats] = []
            for (metric, prepared), known in zip(metrics, rows, strict=True):
                found = known[chosen]
                if len(changed):
                    found[changed] = metric.stats(captions[changed], prepared)
                values += _parts(metric, sum_by(video, found, len(items)))
            bounds = np.searchsorted(video, np.arange(len(items) + 1))
            tokens = captions.tokens(self._cider.tok)
            cider = self._cider.of_groups(tokens, bounds, tokens.references.values, bounds)
            values.append(sum_by(video, cider, len(items)) / np.maximum(np.diff(bounds), 1))
            columns.append([np.where(has_captions, value, 0.0) for value in values])
        return np.column_stack([at[part] for part in range(len(_TEXT_PARTS)) for at in columns])

    def _scores_of_pairs(self, items: Stories, pairs: OverlapPairs, context: _Context) -> Floats:
        """For each text part and threshold the sum of f over a video's pairs if they are pooled, else its mean."""
        captions = pool_pairs(items.pool, pairs.candidates, pairs.references)
        values = [
            value
            for metric, prepared in zip(self._inner, context.text, strict=True)
            for value in _parts(metric, metric.stats(captions, prepared))
        ]
        chosen = [pairs.at(threshold) for threshold in THRESHOLDS]
        sums = [sum_by(pairs.video[at], value[at], len(items)) for value in values for at in chosen]
        if self.pooled:
            return np.column_stack(sums)
        counts = [np.bincount(pairs.video[at], minlength=len(items)) for at in chosen] * len(values)
        return np.column_stack([total / np.maximum(count, 1) for total, count in zip(sums, counts, strict=True)])


def _parts(metric: Metric, totals: Floats) -> list[Floats]:
    """What a sentence metric is here: one column, or BLEU's four."""
    with np.errstate(invalid="ignore", divide="ignore"):  # a video without pairs
        measured = metric.per_item(totals)
    return [measured.parts[name] for name in _BLEUS] if isinstance(metric, Bleu) else [measured.value]


def _as_read(
    pool: TextPool, pairs: OverlapPairs, chosen: Int64s, endings: dict[int, list[int]]
) -> tuple[CaptionPairs, Int64s]:
    """The chosen pairs as the scorer's tokenizer cuts them, and which of them are cut differently than alone."""
    video = pairs.video[chosen]
    candidates, references = pairs.candidates[chosen], pairs.references[chosen]
    read_candidates = read_as_one_text(pool, candidates, video, endings)
    read_references = read_as_one_text(pool, references, video, endings)
    changed = np.flatnonzero((read_candidates != candidates) | (read_references != references))
    return pool_pairs(pool, read_candidates, read_references), changed
