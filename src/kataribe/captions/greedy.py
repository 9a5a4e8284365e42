"""Greedy matching: each token of one side beside the most similar of the other, weighted, for many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kataribe import _native
from kataribe.core.types import Float32s, Floats, Int32s, Int64s
from kataribe.encoders.encoded import EncodedTexts, tokenize_texts
from kataribe.encoders.protocol import TextEncoder, Tokens

# Texts of this many pairs are in memory at a time.
_PAIRS_AT_ONCE = 4096


class GreedyMatch(NamedTuple):
    """For each pair the weighted mean of the best similarities, seen from the one side and from the other."""

    precision: Floats
    recall: Floats


class Weighted(NamedTuple):
    """Vectors of any length and how much each counts; to a vector of zeros nothing is similar."""

    vectors: Float32s
    weights: Floats


Weigh = Callable[[Tokens], Floats]


def match_texts(encoded: EncodedTexts, weigh: Weigh, candidates: Int64s, references: Int64s) -> GreedyMatch:
    """Pairs of encoded texts by their indices, each distinct pair once. Nothing to weigh on one side gives 0."""
    texts = len(encoded.keys)
    # Sorted, so that a candidate and its references are looked up together.
    pairs, again = np.unique(candidates * texts + references, return_inverse=True)
    precision, recall = np.zeros(len(pairs)), np.zeros(len(pairs))
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        batch = slice(start, start + _PAIRS_AT_ONCE)
        indices, sides = np.unique(np.concatenate(np.divmod(pairs[batch], texts)), return_inverse=True)
        weighted = [Weighted(tokens.vectors, weigh(tokens)) for tokens in encoded.tokens(indices)]
        precision[batch], recall[batch] = _match(weighted, *np.split(sides, 2))
    return GreedyMatch(precision[again], recall[again])


def match(candidates: Sequence[Weighted], references: Sequence[Weighted]) -> GreedyMatch:
    """
    >>> one = Weighted(np.eye(2, dtype=np.float32), np.ones(2))
    >>> other = Weighted(np.array([[1.0, 0.0]], dtype=np.float32), np.ones(1))
    >>> matched = match([one], [other])
    >>> matched.precision.tolist(), matched.recall.tolist()
    ([0.5], [1.0])
    """
    pairs = np.arange(len(candidates))
    return _match([*candidates, *references], pairs, pairs + len(candidates))


def _match(texts: Sequence[Weighted], ones: Int64s, others: Int64s) -> GreedyMatch:
    """Pairs of these texts by their indices."""
    means = _native.greedy_match([text.vectors for text in texts], [text.weights for text in texts], ones, others)
    return GreedyMatch(means[:, 0], means[:, 1])


def unit(vectors: Float32s) -> Float32s:
    """Each vector scaled to length 1; a vector of zeros stays what it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)


def harmonic_mean(one: Floats, other: Floats) -> Floats:
    """2ab / (a + b) of what is positive; 0 elsewhere, where the formula gives numbers without meaning.

    >>> harmonic_mean(np.array([1.0, 0.0, -0.5]), np.array([0.5, 0.0, 0.6])).round(3).tolist()
    [0.667, 0.0, 0.0]
    """
    below = one + other
    both = (one > 0) & (other > 0)
    mean: Floats = np.divide(2 * one * other, below, out=np.zeros_like(below), where=both)
    return mean


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """In how many of `documents` texts each token occurs, by the token's id.

    >>> one, other = TokenCounts.of([(np.array([0, 2, 2]), 2)]), TokenCounts.of([(np.array([0]), 1)])
    >>> (one + other).documents, (one + other).counts.tolist(), (one + other).idf.round(3).tolist()
    (3, [3, 0, 2], [0.0, 1.386, 0.288, 1.386])
    """

    documents: int
    counts: Int64s

    @classmethod
    def of(cls, documents: Iterable[tuple[Int32s, int]]) -> TokenCounts:
        """Documents as ids of tokens, each with how often it occurs."""
        found = list(documents)
        counts = np.zeros(max((int(ids.max(initial=-1)) for ids, _ in found), default=-1) + 1, dtype=np.int64)
        for ids, times in found:
            counts[np.unique(ids)] += times
        return cls(sum(times for _, times in found), counts)

    def __add__(self, other: TokenCounts) -> TokenCounts:
        counts = np.zeros(max(len(self.counts), len(other.counts)), dtype=np.int64)
        counts[: len(self.counts)] += self.counts
        counts[: len(other.counts)] += other.counts
        return TokenCounts(self.documents + other.documents, counts)

    @property
    def idf(self) -> Floats:
        """log((N + 1) / (df + 1)) by token id; the last entry is that of tokens that no document has."""
        idf: Floats = np.log((self.documents + 1) / (np.append(self.counts, 0) + 1))
        return idf


def count_tokens(encoder: TextEncoder, texts: Sequence[str], documents: Int64s) -> TokenCounts:
    """Every document, an index of its text, counts, a repeated one as often as it is repeated."""
    used, times = np.unique(documents, return_counts=True)
    tokenized = tokenize_texts(encoder, [texts[index] for index in used.tolist()])
    return TokenCounts.of((text.ids, count) for text, count in zip(tokenized, times.tolist(), strict=True))


def look_up_idf(idf: Floats, ids: Int32s) -> Floats:
    return idf[np.minimum(ids, len(idf) - 1)]
