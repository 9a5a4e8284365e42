"""Unique tokenized sentences, with what the native core computes from them once and every metric shares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np

from kataribe import _native
from kataribe.core.types import Int64s, UInt64s

MAX_ORDER = 4


class TokenIndex(_native.TokenIndex):
    """Sentences as integers: sentence s is tokens[offsets[s]:offsets[s + 1]], token t is words[t]."""

    @cached_property
    def words(self) -> list[str]:
        return self.spell_words()

    @cached_property
    def lengths(self) -> Int64s:
        return np.diff(self.offsets)


class NgramKeys(NamedTuple):
    """For each n-gram of an index two independent hashes of its words: what names it outside of the index.

    Equal n-grams have equal keys in every index, process and machine. Different n-grams with an equal key are possible
    but very rare; `checks` distinguishes them.
    """

    keys: UInt64s
    checks: UInt64s


class NgramIndex(_native.NgramIndex):
    """The n-grams of every sentence up to some order, counted.

    Those of sentence s with n words are `ngrams[bounds[s * orders + n - 1]:bounds[s * orders + n]]`.
    """

    @cached_property
    def keys(self) -> NgramKeys:
        return NgramKeys(*_native.ngram_keys(self))

    @cached_property
    def key_order(self) -> Int64s:
        """The n-grams in the order of their keys."""
        return np.argsort(self.keys.keys)

    def to_texts(self, words: Sequence[str]) -> list[str]:
        """Each n-gram as text."""
        texts: list[str] = []  # the prefix of an n-gram always has a smaller number
        for prefix, last in zip(self.prefixes.tolist(), self.lasts.tolist(), strict=True):
            texts.append(f"{texts[prefix]} {words[last]}" if prefix >= 0 else words[last])
        return texts


def numbering() -> defaultdict[str, int]:
    """A dictionary that numbers what it is asked for, in order of first appearance.

    >>> index_of = numbering()
    >>> index_of["b"], index_of["a"], index_of["b"]
    (0, 1, 0)
    """
    return defaultdict(count().__next__)


class Sentences:
    """A set of tokenized sentences, in order of first appearance.

    >>> sentences, indices = Sentences.unique(["a dog runs", "a cat", "a dog runs"])
    >>> sentences.texts, indices.tolist()
    (['a dog runs', 'a cat'], [0, 1, 0])
    """

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    @classmethod
    def unique(cls, texts: Iterable[str]) -> tuple[Sentences, Int64s]:
        """The distinct texts, and for each given text the index of its sentence."""
        index_of = numbering()
        indices = np.fromiter(map(index_of.__getitem__, texts), dtype=np.int64)
        return cls(list(index_of)), indices

    def __len__(self) -> int:
        return len(self.texts)

    def __reduce__(self) -> tuple[type[Sentences], tuple[list[str]]]:
        """Only the texts: what the native core made of them belongs to this process."""
        return Sentences, (self.texts,)

    @cached_property
    def tokens(self) -> TokenIndex:
        """Tokens as the space separates them."""
        return TokenIndex(self.texts)

    @cached_property
    def words(self) -> TokenIndex:
        """Tokens as any white space separates them: the tools behind BLEU and CIDEr also cut `3\u00a01/2` in two."""
        cut = [text if text.isascii() else " ".join(text.split()) for text in self.texts]
        return self.tokens if cut == self.texts else TokenIndex(cut)

    @cached_property
    def ngrams(self) -> NgramIndex:
        return NgramIndex(self.words, MAX_ORDER)
