"""The items of the task: one candidate and its references for each id, in columns, tokenized once for all metrics.

Other tasks score sentences too. They draw pairs by the million from a pool of texts, and any metric of this room
scores them: `TextPool(texts).pairs(candidates, references)` looks like any other `Captions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kataribe.captions.media import Media
from kataribe.core.types import Floats, Int64s
from kataribe.text.sentences import Sentences
from kataribe.text.tokenizers import UNCUT, tokenizer


@dataclass(frozen=True)
class TokenizedCaptions:
    """Candidates and references as places in a set of sentences.

    Item i has the candidate candidates[i] and the references references[bounds[i]:bounds[i + 1]].
    """

    sentences: Sentences
    candidates: Int64s
    references: Int64s
    bounds: Int64s

    def __getitem__(self, rows: slice) -> TokenizedCaptions:
        start, stop, _ = rows.indices(len(self.candidates))
        bounds = self.bounds[start : stop + 1]
        return TokenizedCaptions(
            self.sentences,
            self.candidates[start:stop],
            self.references[bounds[0] : bounds[-1]],
            bounds - bounds[0],
        )

    @property
    def pairs(self) -> tuple[Int64s, Int64s]:
        """Every candidate beside each of its references."""
        return np.repeat(self.candidates, np.diff(self.bounds)), self.references

    def best_pairs(self, scores: Floats) -> Int64s:
        """For each item the pair with the highest of `scores`, the first of equals."""
        first, counts = self.bounds[:-1], np.diff(self.bounds)
        is_best = scores == np.repeat(np.maximum.reduceat(scores, first), counts)
        owner = np.repeat(np.arange(len(first)), counts)[is_best]
        return np.flatnonzero(is_best)[np.searchsorted(owner, np.arange(len(first)))]


@dataclass(frozen=True)
class Captions:
    """
    >>> captions = Captions(["1"], ["A dog."], [["A dog!", "One dog runs."]])
    >>> captions.tokens("ptb").sentences.texts
    ['a dog', 'one dog runs']
    """

    ids: Sequence[str]
    candidates: Sequence[str]
    references: Sequence[Sequence[str]]
    _tokenized: dict[str, TokenizedCaptions] = field(default_factory=dict, repr=False, compare=False)
    media: Media | None = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: slice) -> Captions:
        tokenized = {name: captions[rows] for name, captions in self._tokenized.items()}
        return Captions(self.ids[rows], self.candidates[rows], self.references[rows], tokenized, self.media)

    def tokens(self, name: str, *, alone: bool = False) -> TokenizedCaptions:
        """All texts cut by one tokenizer: each side in the order of the items, as the original tools do.

        With `alone`, each text as if it were the only one, for metrics in which no text may depend on another.
        """
        key = f"{name}, alone" if alone and tokenizer(name).looks_ahead else name
        if key not in self._tokenized:
            self._tokenized[key] = self._tokenize(name, alone)
        return self._tokenized[key]

    def uncut(self) -> TokenizedCaptions:
        """The texts as they stand, each distinct one once, for models that bring their own tokenizer."""
        return self.tokens(UNCUT.name)

    def _tokenize(self, name: str, alone: bool) -> TokenizedCaptions:
        cut = tokenizer(name).alone if alone else tokenizer(name)
        references = [text for texts in self.references for text in texts]
        sentences, places = Sentences.unique([*cut(self.candidates), *cut(references)])
        bounds = np.cumsum([0, *(len(texts) for texts in self.references)], dtype=np.int64)
        return TokenizedCaptions(sentences, places[: len(self)], places[len(self) :], bounds)


class TextPool:
    """Distinct texts, each tokenized once and alone, whatever it is later paired with.

    A text may be in the pool again, after all others, as it is cut before certain next texts or before nothing:
    `before` names such a text's place and what follows it.

    >>> pool = TextPool(["A dog.", "One dog runs."])
    >>> captions = pool.pairs(np.array([0, 0]), np.array([0, 1]))
    >>> captions.candidates[1], captions.references[1]
    ('A dog.', ['One dog runs.'])
    """

    def __init__(self, texts: Sequence[str], before: Sequence[tuple[int, Sequence[str]]] = ()) -> None:
        self.texts = [*texts, *(texts[place] for place, _ in before)]
        self._before = before
        self._tokenized: dict[str, tuple[Sentences, Int64s]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def tokens(self, name: str) -> tuple[Sentences, Int64s]:
        """The sentences that one tokenizer makes of the texts, and for each text the place of its sentence."""
        if name not in self._tokenized:
            cut = tokenizer(name)
            alone = cut.alone(self.texts[: len(self.texts) - len(self._before)])
            if cut.looks_ahead:
                in_front = [cut([self.texts[place], *following])[0] for place, following in self._before]
            else:
                in_front = [alone[place] for place, _ in self._before]
            self._tokenized[name] = Sentences.unique([*alone, *in_front])
        return self._tokenized[name]

    def pairs(self, candidates: Int64s, references: Int64s) -> CaptionPairs:
        """Texts by their places: item i is candidates[i] beside the one reference references[i]."""
        return CaptionPairs(
            _Rows(range(len(candidates))),
            _Texts(self.texts, candidates),
            _SingleTexts(self.texts, references),
            pool=self,
            candidate_places=candidates,
            reference_places=references,
        )


@dataclass(frozen=True, kw_only=True)
class CaptionPairs(Captions):
    """Captions drawn from a pool. Nothing is spelled out unless a metric asks for strings."""

    pool: TextPool
    candidate_places: Int64s
    reference_places: Int64s

    def __getitem__(self, rows: slice) -> CaptionPairs:
        return self.pool.pairs(self.candidate_places[rows], self.reference_places[rows])

    def _tokenize(self, name: str, alone: bool) -> TokenizedCaptions:
        sentences, places = self.pool.tokens(name)
        one_each = np.arange(len(self) + 1, dtype=np.int64)
        return TokenizedCaptions(sentences, places[self.candidate_places], places[self.reference_places], one_each)


@dataclass(frozen=True)
class _Rows(Sequence[str]):
    """Row numbers as ids, for items that have no names."""

    rows: range

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, row: Any) -> Any:
        return [str(number) for number in self.rows[row]] if isinstance(row, slice) else str(self.rows[row])


@dataclass(frozen=True)
class _Texts(Sequence[str]):
    texts: Sequence[str]
    places: Int64s

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, row: Any) -> Any:
        chosen = self.places[row]
        return [self.texts[place] for place in chosen] if isinstance(row, slice) else self.texts[chosen]


class _SingleTexts(_Texts):
    """Each text as a list of one."""

    def __getitem__(self, row: Any) -> Any:
        chosen = super().__getitem__(row)
        return [[text] for text in chosen] if isinstance(row, slice) else [chosen]
