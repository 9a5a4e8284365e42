"""Unique tokenized sentences, with what the native core computes from them once and every metric shares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np

from kataribe import _native
from kataribe.core.types import Int32s, Int64s

MAX_ORDER = 4


@dataclass(frozen=True)
class TokenIndex:
    """Sentences as integers: sentence s is tokens[offsets[s]:offsets[s + 1]], token t is spelled words[t]."""

    tokens: Int32s
    offsets: Int64s
    words: list[str]

    @classmethod
    def of(cls, sentences: Sequence[str]) -> TokenIndex:
        return cls(*_native.index_tokens(sentences))

    @cached_property
    def lengths(self) -> Int64s:
        return np.diff(self.offsets)


@dataclass(frozen=True)
class NgramIndex:
    """The n-grams of every sentence up to MAX_ORDER, counted; see native/ngrams.cpp for the layout."""

    ngrams: Int32s
    counts: Int32s
    bounds: Int64s
    prefixes: Int32s
    lasts: Int32s

    @classmethod
    def of(cls, index: TokenIndex) -> NgramIndex:
        return cls(*_native.ngram_index(index.tokens, index.offsets, MAX_ORDER))

    @property
    def distinct(self) -> int:
        return len(self.lasts)

    def spell(self, words: Sequence[str]) -> list[str]:
        """Each n-gram as text. A prefix always has a smaller id than what it begins."""
        spelled: list[str] = []
        for prefix, last in zip(self.prefixes.tolist(), self.lasts.tolist(), strict=True):
            spelled.append(f"{spelled[prefix]} {words[last]}" if prefix >= 0 else words[last])
        return spelled


def numbering() -> defaultdict[str, int]:
    """A dictionary that numbers what it is asked for, in order of first appearance.

    >>> places = numbering()
    >>> places["b"], places["a"], places["b"]
    (0, 1, 0)
    """
    return defaultdict(count().__next__)


class Sentences:
    """A set of tokenized sentences, in order of first appearance.

    >>> sentences, places = Sentences.unique(["a dog runs", "a cat", "a dog runs"])
    >>> sentences.texts, places.tolist()
    (['a dog runs', 'a cat'], [0, 1, 0])
    """

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    @classmethod
    def unique(cls, texts: Iterable[str]) -> tuple[Sentences, Int64s]:
        """The distinct texts, and for each text given the place of its sentence."""
        places = numbering()
        found = np.fromiter(map(places.__getitem__, texts), dtype=np.int64)
        return cls(list(places)), found

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def tokens(self) -> TokenIndex:
        """Tokens as the space separates them."""
        return TokenIndex.of(self.texts)

    @cached_property
    def words(self) -> TokenIndex:
        """Tokens as any white space separates them: the tools behind BLEU and CIDEr also cut `3\u00a01/2` in two."""
        cut = [text if text.isascii() else " ".join(text.split()) for text in self.texts]
        return self.tokens if cut == self.texts else TokenIndex.of(cut)

    @cached_property
    def ngrams(self) -> NgramIndex:
        return NgramIndex.of(self.words)
