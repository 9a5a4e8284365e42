"""Greedy matching: each token of one side beside the most similar of the other, weighted, for many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kataribe import _native
from kataribe.core.types import Float32s, Floats, Int32s, Int64s
from kataribe.encoders.encoded import EncodedTexts
from kataribe.encoders.protocol import Tokens

# Texts of this many pairs are in memory at a time.
_PAIRS_AT_ONCE = 4096


class Matched(NamedTuple):
    """For each pair the weighted mean of the best similarities, seen from the one side and from the other."""

    precision: Floats
    recall: Floats


class Weighted(NamedTuple):
    """Vectors of any length and how much each counts; to a vector of zeros nothing is similar."""

    vectors: Float32s
    weights: Floats


Weigh = Callable[[Tokens], Floats]


def match_texts(encoded: EncodedTexts, weigh: Weigh, candidates: Int64s, references: Int64s) -> Matched:
    """Pairs of encoded texts by their places, each distinct pair once. Nothing to weigh on one side gives 0."""
    texts = len(encoded.keys)
    # Sorted, so that a candidate and its references are looked up together.
    pairs, again = np.unique(candidates * texts + references, return_inverse=True)
    precision, recall = np.zeros(len(pairs)), np.zeros(len(pairs))
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = slice(start, start + _PAIRS_AT_ONCE)
        places, sides = np.unique(np.concatenate(np.divmod(pairs[some], texts)), return_inverse=True)
        weighted = [Weighted(tokens.vectors, weigh(tokens)) for tokens in encoded.tokens(places)]
        precision[some], recall[some] = _match(weighted, *np.split(sides, 2))
    return Matched(precision[again], recall[again])


def match(candidates: Sequence[Weighted], references: Sequence[Weighted]) -> Matched:
    """
    >>> one = Weighted(np.eye(2, dtype=np.float32), np.ones(2))
    >>> other = Weighted(np.array([[1.0, 0.0]], dtype=np.float32), np.ones(1))
    >>> matched = match([one], [other])
    >>> matched.precision.tolist(), matched.recall.tolist()
    ([0.5], [1.0])
    """
    pairs = np.arange(len(candidates))
    return _match([*candidates, *references], pairs, pairs + len(candidates))


def _match(texts: Sequence[Weighted], ones: Int64s, others: Int64s) -> Matched:
    """Pairs of these texts by their places."""
    means = _native.greedy_match([text.vectors for text in texts], [text.weights for text in texts], ones, others)
    return Matched(means[:, 0], means[:, 1])


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


def token_idf(documents: Sequence[tuple[Int32s, int]]) -> Floats:
    """idf(t) = log((N + 1) / (df(t) + 1)) by token id, over N documents, each given with how often it occurs.

    The last entry is the idf of tokens that no document has.

    >>> token_idf([(np.array([0, 2, 2], dtype=np.int32), 2), (np.array([0], dtype=np.int32), 1)]).round(3).tolist()
    [0.0, 1.386, 0.288, 1.386]
    """
    size = max((int(ids.max(initial=-1)) for ids, _ in documents), default=-1) + 2
    frequencies = np.zeros(size)
    for ids, times in documents:
        frequencies[np.unique(ids)] += times
    total = sum(times for _, times in documents)
    idf: Floats = np.log((total + 1) / (frequencies + 1))
    return idf


def look_up_idf(idf: Floats, ids: Int32s) -> Floats:
    return idf[np.minimum(ids, len(idf) - 1)]
