"""Where training begins: frames and words in one space, before the first step.

    frame f of a moment, token vector t of its query (means over the moment and over the tokens), centred
    C = (S_ff + a I)^-1/2 S_ft (S_tt + a I)^-1/2 = U D V'       canonical correlation analysis; a: a tenth of the mean
    W_f = U' (S_ff + a I)^-1/2,   W_t = V' (S_tt + a I)^-1/2       the rows with the greatest D, scaled to variance 1

A network that attends by likeness then finds what a query speaks of from the start, and training refines it. Half of
the rows of a layer begin so, and the others at random.

Hotelling, H. (1936). Relations between two sets of variates. Biometrika, 28.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kataribe.core.types import Float32s, Floats

_RIDGE = 0.1


class Aligned(NamedTuple):
    """Weights of the layers of frames and of words: (directions, inputs)."""

    frames: Float32s
    words: Float32s


def aligned(frames: Float32s, words: Float32s, width: int) -> Aligned:
    """Row i of both belongs together.

    >>> rng = np.random.default_rng(0)
    >>> shared = rng.normal(size=(200, 2))
    >>> found = aligned(shared @ rng.normal(size=(2, 5)), shared @ rng.normal(size=(2, 4)), width=2)
    >>> found.frames.shape, found.words.shape
    ((2, 5), (2, 4))
    """
    f, t = (np.asarray(each, dtype=np.float64) - each.mean(axis=0) for each in (frames, words))
    white_f, white_t = _whitening(f), _whitening(t)
    u, _, v = np.linalg.svd(white_f @ (f.T @ t / len(f)) @ white_t)
    count = min(width, len(f), *u.shape, *v.shape)
    return Aligned(_scaled(u.T[:count] @ white_f, f), _scaled(v[:count] @ white_t, t))


def _whitening(centred: Floats) -> Floats:
    covariance = centred.T @ centred / len(centred)
    values, vectors = np.linalg.eigh(
        covariance + _RIDGE * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    )
    inverse: Floats = vectors / np.sqrt(np.maximum(values, 1e-9)) @ vectors.T
    return inverse


def _scaled(weights: Floats, centred: Floats) -> Float32s:
    spread = np.maximum((centred @ weights.T).std(axis=0), 1e-6)
    scaled: Float32s = (weights / spread[:, None]).astype(np.float32)
    return scaled
