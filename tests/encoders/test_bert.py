"""What the core does between a BERT's matrix products, beside the same written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf, softmax

from kataribe import _native

HEADS, WIDTH = 3, 24


def floats(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_gelu() -> None:
    states = np.linspace(-12, 12, 200_001, dtype=np.float32).reshape(1, -1)
    bias = np.zeros(states.shape[1], dtype=np.float32)
    expected = states.astype(np.float64) * (1 + erf(states.astype(np.float64) / np.sqrt(2))) / 2
    _native.bert_gelu(states, bias)
    np.testing.assert_allclose(states, expected, atol=2e-6, rtol=0)


def test_the_bias_comes_first() -> None:
    states, bias = floats(5, WIDTH), floats(WIDTH, seed=1)
    expected = states + bias
    _native.bert_gelu(expected, np.zeros_like(bias))
    _native.bert_gelu(states, bias)
    np.testing.assert_array_equal(states, expected)


@pytest.mark.parametrize("width", [5, 8, 384])
def test_layer_normalization(width: int) -> None:
    states, residual = floats(4, width), floats(4, width, seed=1)
    bias, scale, shift = floats(3, width, seed=2)
    total = (states + bias + residual).astype(np.float64)
    centred = total - total.mean(axis=1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * scale + shift
    _native.bert_add_and_normalize(states, bias, residual, scale, shift, 1e-5)
    np.testing.assert_allclose(states, expected, atol=2e-6)


@pytest.mark.parametrize("lengths", [[1], [7, 1, 16], [3, 40, 8], []])
def test_attention_looks_at_its_own_text_only(lengths: list[int]) -> None:
    projected, bias = 3 * floats(sum(lengths), 3 * WIDTH), floats(3 * WIDTH, seed=1)
    result = np.full((sum(lengths), WIDTH), np.nan, dtype=np.float32)
    expected = []
    for text in np.split(projected + bias, np.cumsum(lengths)[:-1]) if lengths else []:
        query, key, value = text.astype(np.float64).reshape(len(text), 3, HEADS, -1).transpose(1, 2, 0, 3)
        weights = softmax(query @ key.transpose(0, 2, 1) / np.sqrt(WIDTH / HEADS), axis=-1)
        expected.append((weights @ value).transpose(1, 0, 2).reshape(len(text), WIDTH))
    _native.bert_attend(projected, bias, np.array(lengths, dtype=np.int64), HEADS, result)
    np.testing.assert_allclose(result, np.concatenate([np.zeros((0, WIDTH)), *expected]), atol=1e-5)


@pytest.mark.parametrize("lengths", [[3], [5], [5, -1]])
def test_lengths_that_do_not_add_up(lengths: list[int]) -> None:
    bias, counts = np.zeros(3 * WIDTH, dtype=np.float32), np.array(lengths, dtype=np.int64)
    with pytest.raises(ValueError, match="must add up to the number of tokens"):
        _native.bert_attend(floats(4, 3 * WIDTH), bias, counts, HEADS, floats(4, WIDTH))


def test_parameters_of_another_width() -> None:
    with pytest.raises(ValueError, match="as long as the rows"):
        _native.bert_gelu(floats(2, WIDTH), np.zeros(WIDTH + 1, dtype=np.float32))
    with pytest.raises(ValueError, match="must have the same shape"):
        _native.bert_add_and_normalize(floats(2, WIDTH), floats(WIDTH), floats(3, WIDTH), *floats(2, WIDTH), 1e-5)
    with pytest.raises(ValueError, match="query, key and value of all heads"):
        _native.bert_attend(floats(2, 3 * WIDTH), floats(3 * WIDTH), np.array([2], dtype=np.int64), 5, floats(2, WIDTH))
