"""The items of the task: one candidate and its references for each id, in columns, tokenized once for all metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kataribe.core.types import Floats
from kataribe.text.sentences import Int64s, Sentences
from kataribe.text.tokenizers import tokenizer


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

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: slice) -> Captions:
        tokenized = {name: captions[rows] for name, captions in self._tokenized.items()}
        return Captions(self.ids[rows], self.candidates[rows], self.references[rows], tokenized)

    def tokens(self, name: str) -> TokenizedCaptions:
        """All texts cut by one tokenizer: each side in the order of the items, as the original tools do."""
        if name not in self._tokenized:
            cut = tokenizer(name)
            references = [text for texts in self.references for text in texts]
            sentences, places = Sentences.unique([*cut(self.candidates), *cut(references)])
            bounds = np.cumsum([0, *(len(texts) for texts in self.references)], dtype=np.int64)
            self._tokenized[name] = TokenizedCaptions(sentences, places[: len(self)], places[len(self) :], bounds)
        return self._tokenized[name]
