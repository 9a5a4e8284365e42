"""Greedy matching: each token of one side beside the most similar of the other, weighted, for many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kataribe.core.types import Floats
from kataribe.encoders.encoded import EncodedTexts
from kataribe.encoders.protocol import Float32s, Int32s, Tokens
from kataribe.text.sentences import Int64s

# Texts of this many pairs are in memory at a time; similarities are computed for a block of pairs of similar length.
_PAIRS_AT_ONCE = 512
_BLOCK = 128


class Matched(NamedTuple):
    """For each pair the weighted mean of the best similarities, seen from the one side and from the other."""

    precision: Floats
    recall: Floats


class Weighted(NamedTuple):
    """Vectors of length 1, and how much each counts."""

    vectors: Float32s
    weights: Floats


Weigh = Callable[[Tokens], Floats]


def match_texts(encoded: EncodedTexts, weigh: Weigh, candidates: Int64s, references: Int64s) -> Matched:
    """Pairs of encoded texts by their places. Nothing to weigh on one side gives 0."""
    precision, recall = np.zeros(len(candidates)), np.zeros(len(candidates))
    for start in range(0, len(candidates), _PAIRS_AT_ONCE):
        some = slice(start, start + _PAIRS_AT_ONCE)
        places = np.unique(np.concatenate([candidates[some], references[some]]))
        texts = {
            place: Weighted(unit(tokens.vectors), weigh(tokens))
            for place, tokens in zip(places.tolist(), encoded.tokens(places), strict=True)
        }
        matched = match(
            [texts[place] for place in candidates[some].tolist()], [texts[place] for place in references[some].tolist()]
        )
        precision[some], recall[some] = matched
    return Matched(precision, recall)


def match(candidates: Sequence[Weighted], references: Sequence[Weighted]) -> Matched:
    """
    >>> one = Weighted(np.eye(2, dtype=np.float32), np.ones(2))
    >>> other = Weighted(np.array([[1.0, 0.0]], dtype=np.float32), np.ones(1))
    >>> matched = match([one], [other])
    >>> matched.precision.tolist(), matched.recall.tolist()
    ([0.5], [1.0])
    """
    precision, recall = np.zeros(len(candidates)), np.zeros(len(candidates))
    lengths = np.array([(len(c.weights), len(r.weights)) for c, r in zip(candidates, references, strict=True)])
    order = np.lexsort(lengths.T[::-1]) if len(lengths) else np.zeros(0, dtype=np.int64)
    for start in range(0, len(order), _BLOCK):
        rows = order[start : start + _BLOCK]
        one, one_weights = _padded([candidates[row] for row in rows.tolist()])
        other, other_weights = _padded([references[row] for row in rows.tolist()])
        similarities = _products(one, other)
        lacking_one = np.arange(one.shape[1]) >= lengths[rows, :1]
        lacking_other = np.arange(other.shape[1]) >= lengths[rows, 1:]
        similarities[lacking_other[:, None, :] | lacking_one[:, :, None]] = -1.0  # no cosine is less
        precision[rows] = _weighted_mean(similarities.max(axis=2), one_weights)
        recall[rows] = _weighted_mean(similarities.max(axis=1), other_weights)
    return Matched(precision, recall)


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


def _products(one: Float32s, other: Float32s) -> Float32s:
    """The dot products of all rows of one[i] with all rows of other[i].

    torch shares the whole batch out among its threads. numpy's library starts its own threads for each small matrix,
    which on a busy machine costs a hundred times the work; it serves where torch is absent.
    """
    try:
        import torch
    except ImportError:
        return np.asarray(one @ other.transpose(0, 2, 1), dtype=np.float32)
    products = torch.bmm(torch.from_numpy(one), torch.from_numpy(other).transpose(1, 2))
    return np.asarray(products.numpy(), dtype=np.float32)


def _padded(texts: Sequence[Weighted]) -> tuple[Float32s, Floats]:
    longest = max(len(text.weights) for text in texts)
    vectors = np.zeros((len(texts), longest, texts[0].vectors.shape[1]), dtype=np.float32)
    weights = np.zeros((len(texts), longest))
    for row, text in enumerate(texts):
        vectors[row, : len(text.weights)] = text.vectors
        weights[row, : len(text.weights)] = text.weights
    return vectors, weights


def _weighted_mean(values: Float32s, weights: Floats) -> Floats:
    total = weights.sum(axis=1)
    mean: Floats = np.divide((values * weights).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
    return mean
