"""The loops of the core that are compiled for each kind of processor give the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from kataribe import _native

# A child chooses its kernels by the environment; it prints what they compute of the same numbers.
PROGRAM = """
import sys
import numpy as np
from kataribe import _native

rng = np.random.default_rng(0)
floats = lambda *shape: rng.normal(size=shape).astype(np.float32)
lengths = np.array([5, 1, 12, 31], dtype=np.int64)
tokens, width = int(lengths.sum()), 48
states, attended = floats(tokens, width), np.empty((tokens, width), dtype=np.float32)
_native.bert_gelu(states, floats(width))
_native.bert_add_and_normalize(states, floats(width), floats(tokens, width), floats(width), floats(width), 1e-12)
_native.bert_attend(floats(tokens, 3 * width), floats(3 * width), lengths, 3, attended)
texts = np.split(floats(tokens, 21), np.cumsum(lengths)[:-1])
weights = [np.ones(len(text)) for text in texts]
ones, others = (side.ravel().astype(np.int64) for side in np.indices((4, 4)))
matched = _native.greedy_match(texts, weights, ones, others)
np.savez(sys.argv[1], states, attended, matched)
"""


def computed(path: str, portable: str) -> list[np.ndarray]:
    subprocess.run([sys.executable, "-c", PROGRAM, path], check=True, env=os.environ | {"KATARIBE_PORTABLE": portable})
    with np.load(path) as file:
        return [file[name] for name in file.files]


@pytest.mark.skipif(_native.kernels_name() == "portable", reason="this processor has the portable kernels only")
def test_portable_and_fast_kernels_agree(tmp_path) -> None:
    fast, portable = computed(str(tmp_path / "fast.npz"), ""), computed(str(tmp_path / "portable.npz"), "1")
    for one, other in zip(fast, portable, strict=True):
        np.testing.assert_allclose(one, other, atol=3e-6)
    assert any((one != other).any() for one, other in zip(fast, portable, strict=True)), "both were the same kernels"
