"""Where training begins."""

from __future__ import annotations

import numpy as np

from kataribe.grounding.locators.alignment import aligned


def test_what_two_sides_have_in_common_is_alike_after_alignment() -> None:
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(400, 3))
    frames = np.hstack([shared, rng.normal(size=(400, 5))]) @ np.linalg.qr(rng.normal(size=(8, 8)))[0]
    words = np.hstack([rng.normal(size=(400, 4)), shared]) @ np.linalg.qr(rng.normal(size=(7, 7)))[0]
    found = aligned(frames.astype(np.float32), words.astype(np.float32), width=3)
    one, other = (frames - frames.mean(0)) @ found.frames.T, (words - words.mean(0)) @ found.words.T
    np.testing.assert_allclose(one.std(axis=0), 1, rtol=1e-3)
    assert (np.diag(one.T @ other) / 400 > 0.8).all()


def test_there_are_never_more_directions_than_either_side_has() -> None:
    rng = np.random.default_rng(0)
    found = aligned(rng.normal(size=(50, 4)), rng.normal(size=(50, 2)), width=16)
    assert (found.frames.shape, found.words.shape) == ((2, 4), (2, 2))
