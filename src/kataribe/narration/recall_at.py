"""R@k/N: is the right line more similar to the prediction than its neighbours are?

    rank(i)   = position of reference i when the N reference lines around it, itself included, are sorted by their
                similarity to prediction i
    recall_at = share of the lines with rank(i) <= k
    windows=tool  a film's lines are cut into windows [i, i + N), i = 0, N/2, N, ..., whole ones only; the share in each
                window, then the mean over the windows of all films

Han, T., Bain, M., Nagrani, A., Varol, G., Xie, W., Zisserman, A. (2023). AutoAD II: the sequel - who, when, and what in
movie audio description. ICCV.

Quirks. windows=line (the default): neighbours are lines of the same film in time order, as many before as behind; at a
film's beginning and end the window is moved, and a film of fewer than N lines is one window. windows=tool, as the
published tool has it: most lines are in two windows and count twice, those at a film's end that no whole window holds
are not scored (a warning counts them), and a film of fewer than N lines is not either. The tool ranks equal
similarities in an order that depends on the machine. Here they are as good as drawn by lot under both: each takes its
share of the ranks, so that saying nothing, or always the same, gains nothing. `chance` is what drawing lots scores. The
tool's similarity is BERTScore of roberta-large, rescaled, which ranks as without rescaling. The corpus of CIDEr's idf
is the references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions.cautions import cut_by
from kataribe.captions.items import CaptionPairs, pool_pairs
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError, counted
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.ragged import Ragged
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Floats, Int64s
from kataribe.narration.items import Narrations
from kataribe.narration.paired_lines import own_pairs, sentence_metric

# Equal similarities may differ by this part of themselves: sums of the same numbers in another order. CIDEr ranks lines
# of other lengths by similarities as small as 1e-40, so that no difference is small by itself.
_SAME = 1e-12


class _Facts(NamedTuple):
    """The order of the corpus, and what the sentence metric scanned of one side or concluded from both.

    `lines` counts the lines of each film, of which the published windows leave some out.
    """

    order: str
    text: Any
    lines: Counter[str] = Counter()  # noqa: RUF012 - never changed


class _Context(NamedTuple):
    """Every prediction beside each line of its windows, which `windows` lists, `row_of` telling whose each one is.

    `pairs` are these, in the same order; `text` is what the sentence metric needs.
    """

    windows: Ragged
    row_of: Int64s
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
    windows: Literal["line", "tool"] = option("line", "N lines around each line, or the published tool's fixed windows")

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.n:
            raise UsageError(f"{self.name}({self.k}, {self.n}): k is at least 1 and at most n", hint="recall_at(5, 16)")
        if self.windows == "tool" and self.n < 2:
            raise UsageError(f"{self}: windows=tool moves by half a window, so that n is at least 2")

    @property
    def sentence(self) -> Metric:
        return sentence_metric(self.text, self.name)

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:  # type: ignore[override]
        return self.sentence.vectors

    @property
    def tokenizer_name(self) -> str | None:
        return cut_by(self.sentence)

    def scan_references(self, items: Narrations) -> _Facts:
        lines = Counter(film or "" for film in items.films)
        return _Facts(items.order_signature, self.sentence.scan_references(own_pairs(items)), lines)

    def scan_predictions(self, items: Narrations) -> _Facts:
        return _Facts(items.order_signature, self.sentence.scan_predictions(own_pairs(items)))

    def merge(self, scanned: Sequence[_Facts]) -> _Facts:
        order = scanned[0].order if scanned else "time"
        lines = sum((shard.lines for shard in scanned), Counter[str]())
        return _Facts(order, self.sentence.merge([shard.text for shard in scanned]), lines)

    def conclude(self, references: _Facts, predictions: _Facts) -> _Facts:
        if self.windows == "tool" and references.lines and max(references.lines.values()) < self.n:
            raise InputError(
                f"{self}: no film has {self.n} lines, and windows=tool scores whole windows only",
                hint="choose a smaller n, or windows=line",
            )
        return _Facts(references.order, self.sentence.conclude(references.text, predictions.text), references.lines)

    def prepare(self, items: Narrations, facts: _Facts) -> _Context:
        row_of, windows = self._windows(items)
        own = own_pairs(items)
        candidates = windows.spread(own.candidate_indices[row_of])
        pairs = pool_pairs(own.pool, candidates, own.reference_indices[windows.values])
        return _Context(windows, row_of, pairs, self.sentence.prepare(pairs, facts.text))

    def _windows(self, items: Narrations) -> tuple[Int64s, Ragged]:
        """A row and the rows of the lines around it, once for each window that it is in."""
        rows: list[int] = []
        windows: list[Int64s] = []
        for film in items.by_film.values():
            for index, row in enumerate(film.tolist()):
                for each in self._windows_of(index, len(film)):
                    rows.append(row)
                    windows.append(film[each])
        return np.array(rows, dtype=np.int64), Ragged.of(windows, dtype=np.int64)

    def _windows_of(self, line: int, lines: int) -> Iterable[slice]:
        return [window(line, lines, self.n)] if self.windows == "line" else tool_windows(line, lines, self.n)

    def stats(self, items: Narrations, context: _Context) -> Array:
        metric = self.sentence
        scores = metric.per_item(metric.stats(context.pairs, context.text)).value
        if np.isnan(scores).any():
            raise UsageError(f"{metric} gives no number for some pair of lines", hint="use another text metric")
        rows = np.zeros((len(items), len(self.columns)))
        right = np.flatnonzero(context.windows.values == context.windows.spread(context.row_of))
        windows = zip(context.row_of, context.windows.with_values(scores), scores[right].tolist(), strict=True)
        for row, of_window, of_right in windows:
            rows[row] += self._row(of_window, of_right)
        return rows

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
            "windows": self.windows,
            "order": facts.order,
            "text": self.text.name,
            **{f"text.{key}": value for key, value in inner.items()},
        }

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        cautions = list(self.sentence.warnings(facts.text))
        left_out = 0 if self.windows == "line" else sum(_outside(lines, self.n) for lines in facts.lines.values())
        if left_out:
            lines = counted(left_out, "line is", "lines are")
            text = f"{lines} in no whole window of {self.n} lines, and {self.name} does not score them"
            cautions.append(Caution("outside-windows", text))
        return cautions

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


def tool_windows(line: int, lines: int, n: int) -> list[slice]:
    """The windows of the published tool that hold a line: each n lines long, moved by half of that, whole ones only.

    >>> tool_windows(5, 10, 4), tool_windows(9, 11, 4), tool_windows(10, 11, 4)
    ([slice(2, 6, None), slice(4, 8, None)], [slice(6, 10, None)], [])
    """
    starts = range(0, lines - n + 1, n // 2)
    return [slice(start, start + n) for start in starts if start <= line < start + n]


def _outside(lines: int, n: int) -> int:
    """How many lines of a film the published windows do not reach.

    >>> _outside(11, 4), _outside(3, 4), _outside(8, 4)
    (1, 3, 0)
    """
    starts = range(0, lines - n + 1, n // 2)
    return lines - (starts[-1] + n) if len(starts) else lines
