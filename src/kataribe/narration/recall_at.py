"""R@k/N: can the right line be told from its neighbours by what the prediction says?

    rank(i)   = place of reference i when the N reference lines around it, itself included, are sorted by their
                similarity to prediction i
    recall_at = share of the lines with rank(i) <= k

Han, T., Bain, M., Nagrani, A., Varol, G., Xie, W., Zisserman, A. (2023). AutoAD II: the sequel - who, when, and what in
movie audio description. ICCV.

Quirks. Neighbours are lines of the same film in time order, as many before as behind; at a film's beginning and end
the window is moved, and a film of fewer than N lines is one window. References that are equally similar are as good
as drawn by lot: each takes its share of the places, so that saying nothing, or always the same, gains nothing. `chance`
is what drawing lots scores. The corpus of CIDEr's idf is the references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kataribe.captions.cautions import cut_by
from kataribe.captions.items import CaptionPairs, TextPool
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Floats, Int64s
from kataribe.narration.items import Narrations


class _Prepared(NamedTuple):
    """Every prediction beside each line of its window; those of row i are pairs[bounds[i]:bounds[i + 1]]."""

    pairs: CaptionPairs
    bounds: Int64s
    right: Int64s
    text: Any
    order: str


@dataclass(frozen=True)
class RecallAt(Metric):
    name: ClassVar[str] = "recall_at"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "R@k/N"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("lines", "recalled", "chance", "reciprocal_rank")

    k: int = option(5, "how many places count", positional=True)
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
    def tokenizer_name(self) -> str | None:
        return cut_by(self.sentence)

    def prepare(self, items: Narrations) -> _Prepared:
        texts = list(dict.fromkeys([*items.candidates, *items.written]))
        place = {text: number for number, text in enumerate(texts)}
        told, written = (
            np.array([place[text] for text in side], dtype=np.int64) for side in (items.candidates, items.written)
        )
        windows: list[Int64s] = [np.zeros(0, dtype=np.int64)] * len(items)
        for film in items.by_film.values():
            for at, row in enumerate(film.tolist()):
                windows[row] = film[window(at, len(film), self.n)]
        pool = TextPool(texts)
        pairs = pool.pairs(np.repeat(told, [len(rows) for rows in windows]), written[_joined(windows)])
        right = [int(np.flatnonzero(rows == row)[0]) for row, rows in enumerate(windows)]
        return _Prepared(
            pairs,
            np.cumsum([0, *map(len, windows)], dtype=np.int64),
            np.array(right, dtype=np.int64),
            self.sentence.prepare(pool.pairs(told, written)),
            items.order_signature,
        )

    def stats(self, items: Narrations, context: _Prepared) -> Array:
        bounds = context.bounds[items.rows.start : items.rows.stop + 1]
        metric = self.sentence
        scores = metric.per_item(metric.stats(context.pairs[bounds[0] : bounds[-1]], context.text)).value
        if np.isnan(scores).any():
            raise UsageError(f"{metric} gives no number for some pair of lines", hint="use another text metric")
        ends = (bounds - bounds[0]).tolist()
        rows = [
            self._row(scores[start:end], right)
            for start, end, right in zip(ends, ends[1:], context.right[items.rows.start :].tolist(), strict=False)
        ]
        return np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns))

    def measure(self, totals: Floats) -> Measured:
        lines, recalled, chance, reciprocal = (totals[..., place] for place in range(4))
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = {"chance": chance / lines, "mean reciprocal rank": reciprocal / lines}
            return Measured(np.asarray(recalled / lines), parts)

    def signature(self, context: _Prepared) -> dict[str, str]:
        inner = self.sentence.signature(context.text)
        return {
            "k": str(self.k),
            "n": str(self.n),
            "order": context.order,
            "text": self.text.name,
            **{f"text.{key}": value for key, value in inner.items()},
        }

    def warnings(self, context: _Prepared) -> Sequence[Caution]:
        return self.sentence.warnings(context.text)

    def _row(self, scores: Floats, right: int) -> list[float]:
        better, equal = int((scores > scores[right]).sum()), int((scores == scores[right]).sum())
        recalled = min(max((self.k - better) / equal, 0.0), 1.0)
        reciprocal = sum(1 / (better + place) for place in range(1, equal + 1)) / equal
        return [1.0, recalled, min(self.k / len(scores), 1.0), reciprocal]


def window(at: int, lines: int, n: int) -> slice:
    """The n lines around one, itself included, within a film of so many lines.

    >>> window(5, 10, 4), window(0, 10, 4), window(9, 10, 4), window(1, 3, 4)
    (slice(3, 7, None), slice(0, 4, None), slice(6, 10, None), slice(0, 3, None))
    """
    start = max(0, min(at - n // 2, lines - n))
    return slice(start, min(start + n, lines))


def _joined(windows: Sequence[Int64s]) -> Int64s:
    return np.concatenate(windows) if windows else np.zeros(0, dtype=np.int64)
