"""R@k/N: is the right line more similar to the prediction than its neighbours are?

    rank(i)   = position of reference i when the N reference lines around it, itself included, are sorted by their
                similarity to prediction i
    recall_at = share of the lines with rank(i) <= k

Han, T., Bain, M., Nagrani, A., Varol, G., Xie, W., Zisserman, A. (2023). AutoAD II: the sequel - who, when, and what in
movie audio description. ICCV.

Quirks. Neighbours are lines of the same film in time order, as many before as behind; at a film's beginning and end
the window is moved, and a film of fewer than N lines is one window. References that are equally similar are as good
as drawn by lot: each takes its share of the ranks, so that saying nothing, or always the same, gains nothing. `chance`
is what drawing lots scores. The corpus of CIDEr's idf is the references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions.cautions import cut_by
from kataribe.captions.items import CaptionPairs, pool_pairs
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.ragged import Ragged
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Floats, Int64s
from kataribe.narration.items import Narrations
from kataribe.text.pool import TextPool

# Equal similarities may differ by this part of themselves: sums of the same numbers in another order. CIDEr ranks lines
# of other lengths by similarities as small as 1e-40, so that no difference is small by itself.
_SAME = 1e-12


class _Facts(NamedTuple):
    """The order of the corpus, and what the sentence metric scanned of one side or concluded from both."""

    order: str
    text: Any


class _Context(NamedTuple):
    """Every prediction beside each line of its window, which `windows` lists by row; what the sentence metric needs."""

    windows: Ragged
    pairs: CaptionPairs
    text: Any


@dataclass(frozen=True)
class RecallAt(Metric):
    name: ClassVar[str] = "recall_at"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "R@k/N"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("lines", "recalled", "chance", "reciprocal_rank")
    group_by: ClassVar[str | None] = "films"

    k: int = option(5, "how many ranks count", positional=True)
    n: int = option(16, "how many neighbouring lines compete", positional=True)
    text: Spec = option(Spec("bertscore"), "the sentence metric that says how similar two lines are")

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.n:
            raise UsageError(f"{self.name}({self.k}, {self.n}): k is at least 1 and at most n", hint="recall_at(5, 16)")

    @property
    def sentence(self) -> Metric:
        metric = registry.parse(self.text)
        if metric.task != "captions":
            raise UsageError(
                f"{self.name}: {metric} does not score sentences but {metric.task}",
                hint=f"there are: {', '.join(registry.names('captions'))}",
            )
        return metric

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:  # type: ignore[override]
        return self.sentence.vectors

    @property
    def tokenizer_name(self) -> str | None:
        return cut_by(self.sentence)

    def scan_references(self, items: Narrations) -> _Facts:
        return _Facts(items.order_signature, self.sentence.scan_references(_own_pairs(items)))

    def scan_predictions(self, items: Narrations) -> _Facts:
        return _Facts(items.order_signature, self.sentence.scan_predictions(_own_pairs(items)))

    def merge(self, scanned: Sequence[_Facts]) -> _Facts:
        order = scanned[0].order if scanned else "time"
        return _Facts(order, self.sentence.merge([shard.text for shard in scanned]))

    def conclude(self, references: _Facts, predictions: _Facts) -> _Facts:
        return _Facts(references.order, self.sentence.conclude(references.text, predictions.text))

    def prepare(self, items: Narrations, facts: _Facts) -> _Context:
        windows = self._windows(items)
        own = _own_pairs(items)
        pairs = pool_pairs(own.pool, windows.spread(own.candidate_indices), own.reference_indices[windows.values])
        return _Context(windows, pairs, self.sentence.prepare(pairs, facts.text))

    def _windows(self, items: Narrations) -> Ragged:
        """For each row the rows of the lines around it."""
        windows: list[Int64s] = [np.zeros(0, dtype=np.int64)] * len(items)
        for film in items.by_film.values():
            for index, row in enumerate(film.tolist()):
                windows[row] = film[window(index, len(film), self.n)]
        return Ragged.of(windows, dtype=np.int64)

    def stats(self, items: Narrations, context: _Context) -> Array:
        metric = self.sentence
        scores = metric.per_item(metric.stats(context.pairs, context.text)).value
        if np.isnan(scores).any():
            raise UsageError(f"{metric} gives no number for some pair of lines", hint="use another text metric")
        right = np.flatnonzero(context.windows.values == context.windows.owners)
        windows = zip(context.windows.with_values(scores), scores[right].tolist(), strict=True)
        rows = [self._row(of_window, of_right) for of_window, of_right in windows]
        return np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns))

    def measure(self, totals: Floats) -> Measured:
        lines, recalled, chance, reciprocal = (totals[..., column] for column in range(4))
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = {"chance": chance / lines, "mean reciprocal rank": reciprocal / lines}
            return Measured(np.asarray(recalled / lines), parts)

    def signature(self, facts: _Facts) -> dict[str, str]:
        inner = self.sentence.signature(facts.text)
        return {
            "k": str(self.k),
            "n": str(self.n),
            "order": facts.order,
            "text": self.text.name,
            **{f"text.{key}": value for key, value in inner.items()},
        }

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        return self.sentence.warnings(facts.text)

    def _row(self, scores: Floats, right: float) -> list[float]:
        """The scores of a window's lines, and that of the right one."""
        is_equal = np.abs(scores - right) <= _SAME * abs(right)
        better, equal = int((~is_equal & (scores > right)).sum()), int(is_equal.sum())
        recalled = min(max((self.k - better) / equal, 0.0), 1.0)
        reciprocal = sum(1 / (better + rank) for rank in range(1, equal + 1)) / equal
        return [1.0, recalled, min(self.k / len(scores), 1.0), reciprocal]


def window(line: int, lines: int, n: int) -> slice:
    """The n lines around one, itself included, within a film of so many lines.

    >>> window(5, 10, 4), window(0, 10, 4), window(9, 10, 4), window(1, 3, 4)
    (slice(3, 7, None), slice(0, 4, None), slice(6, 10, None), slice(0, 3, None))
    """
    start = max(0, min(line - n // 2, lines - n))
    return slice(start, min(start + n, lines))


def _own_pairs(items: Narrations) -> CaptionPairs:
    """Every prediction beside its own reference, each text cut alone: lines meet others than those they stand with."""

    def pair() -> CaptionPairs:
        texts = list(dict.fromkeys([*items.candidates, *items.written]))
        index_of = {text: index for index, text in enumerate(texts)}
        candidates, references = (
            np.array([index_of[text] for text in side], dtype=np.int64) for side in (items.candidates, items.written)
        )
        return replace(pool_pairs(TextPool(texts), candidates, references), ids=items.ids)

    return items.memo.keep("own pairs", pair)
