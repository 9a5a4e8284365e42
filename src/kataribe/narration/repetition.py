"""Repetition: how much of what is said was just said?

    repetition = n-grams of a line that stand earlier in it or in the `window` lines before it / all its n-grams,
                 summed over lines; lines of a film follow each other as they are told
    repetition(across=true): only n-grams that stand in the lines before it count, not those within the line

Xiong, Y., Dai, B., Lin, D. (2018). Move forward and tell: a progressive generator of video descriptions. ECCV: n-grams
that are repeated within a paragraph.

Quirks. Lower is better. Lines of fewer than n words have no n-gram and count for nothing; nor do lines that say
nothing, missing or not, and a warning counts these (whose own item value is 0). `copies` is the share of lines that
are, word for word, one of the lines before them; `reference` is what the references come to, since people repeat
themselves too.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats
from kataribe.narration.items import Narrations
from kataribe.text.tokenizers import tokenizer


@dataclass(frozen=True)
class Repetition(Metric):
    name: ClassVar[str] = "repetition"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "Repetition"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = (
        *("lines", "repeated", "ngrams", "copies"),
        *("reference_lines", "reference_repeated", "reference_ngrams", "reference_copies"),
    )
    group_by: ClassVar[str | None] = "films"

    n: int = option(4, "the length of the n-grams in words", positional=True)
    window: int = option(8, "how many lines back are remembered; more than a film has: all of them")
    across: bool = option(False, "whether only what other lines said counts, not what the line itself repeats")
    tok: str = option("ptb", "the tokenizer")

    def __post_init__(self) -> None:
        if self.n < 1 or self.window < int(self.across):
            least = "1 where only other lines count" if self.across else "0"
            raise UsageError(f"{self}: n is at least 1 and window at least {least}")

    @property
    def ignores_empty(self) -> bool:
        return True

    def scan_references(self, items: Narrations) -> str:
        return items.order_signature

    def merge(self, scanned: Sequence[str]) -> str | None:
        """All shards carry the order of the corpus."""
        return scanned[0] if scanned else None

    def conclude(self, references: str | None, predictions: None) -> str:
        return references or "time"

    def stats(self, items: Narrations, context: str) -> Array:
        captions = items.tokens(self.tok)
        words = [text.split() for text in captions.sentences.texts]
        rows = np.zeros((len(items), len(self.columns)))
        sides = (
            (slice(0, 4), captions.candidates, items.as_told),
            (slice(4, 8), captions.references.values, items.by_film),
        )
        for columns, lines, films in sides:
            for film in films.values():
                rows[film, columns] = self._of_film([words[index] for index in lines[film]])
        return rows

    def measure(self, totals: Floats) -> Measured:
        lines, repeated, ngrams, copies, reference_lines, reference_repeated, reference_ngrams, reference_copies = (
            totals[..., column] for column in range(8)
        )
        parts = {
            "copies": _share(copies, lines, lines),
            "reference": _share(reference_repeated, reference_ngrams, reference_lines),
            "reference copies": _share(reference_copies, reference_lines, reference_lines),
        }
        return Measured(_share(repeated, ngrams, lines), parts)

    def per_item(self, statistics: Array) -> Measured:
        """A line that says nothing is not part of the share; by itself, it repeats nothing."""
        value, parts = super().per_item(statistics)
        return Measured(np.nan_to_num(value, nan=0.0), {name: np.nan_to_num(part) for name, part in parts.items()})

    def signature(self, facts: str) -> dict[str, str]:
        fields = {"n": str(self.n), "window": str(self.window)} | ({"count": "across"} if self.across else {})
        return fields | {"tok": tokenizer(self.tok).signature, "order": facts}

    def _of_film(self, lines: Sequence[Sequence[str]]) -> list[tuple[int, int, int, int]]:
        """For each line: does it say anything, n-grams said before, all of them, and was the line said before?"""
        counts = []
        said: deque[Sequence[str]] = deque()
        remembered: Counter[tuple[str, ...]] = Counter()
        for words in lines:
            ngrams = self._ngrams(words)
            seen: set[tuple[str, ...]] = set()
            repeated = 0
            for ngram in ngrams:
                repeated += remembered[ngram] > 0 or (ngram in seen and not self.across)
                seen.add(ngram)
            counts.append((int(bool(words)), repeated, len(ngrams), int(bool(words) and words in said)))
            if not words:  # who says nothing makes nobody forget
                continue
            said.append(words)
            remembered.update(ngrams)
            if len(said) > self.window:
                remembered.subtract(self._ngrams(said.popleft()))
        return counts

    def _ngrams(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        return [tuple(words[at : at + self.n]) for at in range(len(words) - self.n + 1)]


def _share(part: Floats, whole: Floats, lines: Floats) -> Floats:
    """Lines too short for an n-gram repeat none; where nothing is said, there is no share."""
    share = np.divide(part, whole, out=np.zeros_like(np.asarray(whole, dtype=np.float64)), where=whole > 0)
    return np.where(lines > 0, share, np.nan)
