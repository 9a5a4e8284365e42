"""An n-gram language model with interpolated Kneser-Ney smoothing, small enough to train on a set of references.

    p_n(w | h) = max(c(h w) - D_n, 0) / c(h) + D_n N(h) / c(h) * p_{n-1}(w | h without its first word)

c counts at the highest order; below it counts in how many different contexts an n-gram stands. N(h) is the number of
different words after h. The lowest order is mixed with the uniform distribution over the vocabulary, the end of a
sentence and one unknown word. D_n = n1 / (n1 + 2 n2), n1 and n2 the numbers of n-grams counted once and twice.

Kneser, R., Ney, H. (1995). Improved backing-off for m-gram language modeling. ICASSP. Chen, S. F., Goodman, J. (1999).
An empirical study of smoothing techniques for language modeling. Computer Speech and Language 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kataribe.core.ragged import Ragged, spans
from kataribe.core.types import Floats, Int64s

UNKNOWN, START, END = 0, 1, 2
_FIRST_WORD = 3
# Three words of so many bits make one whole number of 63 bits.
_BITS = 21
_MASK = (1 << _BITS) - 1
MAX_ORDER = 3


class Likelihood(NamedTuple):
    """Of each sentence: how many words were predicted, its end included, and the sum of their log probabilities."""

    words: Int64s
    log: Floats


@dataclass(frozen=True)
class _Order:
    """The counts of one order: n-grams, their contexts' totals and how many different words follow each context."""

    ngrams: Int64s
    counts: Floats
    contexts: Int64s
    totals: Floats
    followers: Floats
    discount: float

    @classmethod
    def of(cls, ngrams: Int64s, counts: Floats) -> _Order:
        contexts, where = np.unique(ngrams >> _BITS, return_inverse=True)
        once, twice = int((counts == 1).sum()), int((counts == 2).sum())
        # A corpus too small to have both kinds gets the textbook's constant.
        discount = once / (once + 2 * twice) if once and twice else 0.75
        return cls(
            ngrams,
            counts,
            contexts,
            np.bincount(where, weights=counts, minlength=len(contexts)).astype(np.float64),
            np.bincount(where, minlength=len(contexts)).astype(np.float64),
            discount,
        )

    def probabilities(self, ngrams: Int64s, lower: Floats) -> Floats:
        counts = _look_up(self.ngrams, self.counts, ngrams)
        totals = _look_up(self.contexts, self.totals, ngrams >> _BITS)
        followers = _look_up(self.contexts, self.followers, ngrams >> _BITS)
        known = totals > 0
        below = np.where(known, totals, 1.0)
        mixed = (np.maximum(counts - self.discount, 0) + self.discount * followers * lower) / below
        return np.where(known, mixed, lower)


@dataclass(frozen=True, eq=False)
class NgramTally:
    """How often each n-gram of one order ends at a word or at the end of a sentence; tallies of two texts add up.

    Word k of the vocabulary, which is sorted, is the number _FIRST_WORD + k in the packed n-grams.

    >>> one, other = NgramTally.of([["a", "dog"]], 2), NgramTally.of([["a", "cat"]], 2)
    >>> (one + other).vocabulary, (one + other).counts.tolist()
    (('a', 'cat', 'dog'), [2, 1, 1, 1, 1])
    """

    order: int
    vocabulary: tuple[str, ...]
    ngrams: Int64s
    counts: Int64s

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], order: int) -> NgramTally:
        vocabulary = tuple(sorted({word for sentence in sentences for word in sentence}))
        ngrams, _ = _pack(sentences, _numbers(vocabulary), order)
        return cls(order, vocabulary, *np.unique(ngrams, return_counts=True))

    def __add__(self, other: NgramTally) -> NgramTally:
        vocabulary = tuple(sorted({*self.vocabulary, *other.vocabulary}))
        numbers = _numbers(vocabulary)
        both = np.concatenate([self._renumbered(numbers), other._renumbered(numbers)])
        ngrams, where = np.unique(both, return_inverse=True)
        counts = np.bincount(where, np.concatenate([self.counts, other.counts]), len(ngrams))
        return NgramTally(self.order, vocabulary, ngrams, counts.astype(np.int64))

    def _renumbered(self, numbers: Mapping[str, int]) -> Int64s:
        new = np.array([*range(_FIRST_WORD), *(numbers[word] for word in self.vocabulary)], dtype=np.int64)
        words = (new[(self.ngrams >> (_BITS * back)) & _MASK] << (_BITS * back) for back in range(self.order))
        renumbered: Int64s = np.bitwise_or.reduce(list(words), axis=0)
        return renumbered


class KneserNey:
    """
    >>> model = KneserNey([["a", "dog", "runs"], ["a", "dog", "sleeps"], ["a", "cat", "sleeps"]])
    >>> likelihood = model.score([["a", "dog", "sleeps"], ["sleeps", "dog", "zebra"]])
    >>> likelihood.words.tolist(), np.exp(-likelihood.log / likelihood.words).round(1).tolist()
    ([4, 4], [1.7, 14.6])
    """

    def __init__(self, sentences: Sequence[Sequence[str]] | NgramTally, order: int = MAX_ORDER) -> None:
        tally = sentences if isinstance(sentences, NgramTally) else NgramTally.of(sentences, order)
        self.order = tally.order
        self.vocabulary = _numbers(tally.vocabulary)
        seen, counts = tally.ngrams, tally.counts.astype(np.float64)
        orders = []
        for n in range(self.order, 0, -1):
            orders.append(_Order.of(seen, counts))
            # What is left of an n-gram without its first word; how often it is left is its number of contexts.
            seen, contexts = np.unique(seen & ((1 << (_BITS * (n - 1))) - 1), return_counts=True)
            counts = contexts.astype(np.float64)
        self._orders = orders[::-1]

    def score(self, sentences: Sequence[Sequence[str]]) -> Likelihood:
        ngrams, lengths = self._ngrams(sentences)
        # All that may follow: the vocabulary, the end and the unknown.
        probabilities = np.full(len(ngrams), 1 / (len(self.vocabulary) + 2))
        for n, order in enumerate(self._orders, start=1):
            probabilities = order.probabilities(ngrams & ((1 << (_BITS * n)) - 1), probabilities)
        return Likelihood(lengths, Ragged.counted(np.log(probabilities), lengths).sum())

    def _ngrams(self, sentences: Sequence[Sequence[str]]) -> tuple[Int64s, Int64s]:
        return _pack(sentences, self.vocabulary, self.order)


def _numbers(vocabulary: Sequence[str]) -> dict[str, int]:
    if len(vocabulary) + _FIRST_WORD > _MASK:
        raise ValueError(f"more than {_MASK - _FIRST_WORD:,} different words")
    return {word: _FIRST_WORD + index for index, word in enumerate(vocabulary)}


def _pack(sentences: Sequence[Sequence[str]], vocabulary: Mapping[str, int], order: int) -> tuple[Int64s, Int64s]:
    """The n-gram that ends at each word and at the end of each sentence, as one number; and how many each has."""
    lengths = np.array([len(sentence) + 1 for sentence in sentences], dtype=np.int64)
    words = np.array(
        [
            id
            for sentence in sentences
            for id in (*(START,) * (order - 1), *(vocabulary.get(w, UNKNOWN) for w in sentence), END)
        ],
        dtype=np.int64,
    )
    packed = words.copy()
    for back in range(1, order):
        packed[back:] |= words[:-back] << (_BITS * back)
    return packed[spans(np.cumsum(lengths + order - 1) - lengths, lengths)], lengths


def _look_up(keys: Int64s, values: Floats, wanted: Int64s) -> Floats:
    """The value of each wanted key, 0 for those that are not there."""
    if not len(keys):
        return np.zeros(len(wanted))
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[found] == wanted, values[found], 0.0)
