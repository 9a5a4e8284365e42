"""Vectors after every layer, in one pass: those of the encoder opened for each layer by itself."""

from __future__ import annotations

import numpy as np
import pytest

from kataribe.encoders.layers import layer_means
from kataribe.encoders.text import open_text
from tests.encoders.tiny import SENTENCES

pytest.importorskip("transformers", reason="needs kataribe[models]")
pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.parametrize("model", ["minilm", "bert"])
def test_each_is_the_mean_of_the_tokens_after_its_layer(model: str, bert: str) -> None:
    name = bert if model == "bert" else model
    encoder = open_text(name)
    means = layer_means(name, SENTENCES)
    assert means.shape == (len(SENTENCES), encoder.layers + 1, encoder.width)
    assert means.dtype == np.float32
    for layer in range(encoder.layers + 1):
        of_layer = open_text(name, layer)
        made = of_layer.forward([tokens.ids for tokens in of_layer.tokenize(SENTENCES)])
        expected = np.stack([tokens.mean(axis=0) for tokens in made.tokens])
        np.testing.assert_allclose(means[:, layer], expected, atol=1e-5)
        scaled = means[:, layer] / np.linalg.norm(means[:, layer], axis=1, keepdims=True)
        np.testing.assert_allclose(scaled, made.sentences, atol=1e-5)


def test_what_was_encoded_is_not_encoded_again(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = layer_means(bert, SENTENCES)
    monkeypatch.setattr(open_text(bert), "layer_means", lambda batch: pytest.fail("everything was there"))
    again = layer_means(bert, [*SENTENCES[::-1], SENTENCES[0]])
    np.testing.assert_array_equal(again[: len(first)][::-1], first)
    np.testing.assert_array_equal(again[-1], first[0])


def test_an_encoder_of_a_lower_layer_ends_there(bert: str) -> None:
    np.testing.assert_allclose(
        layer_means(open_text(bert, 1), SENTENCES), layer_means(bert, SENTENCES)[:, :2], atol=1e-5
    )


def test_no_texts(bert: str) -> None:
    assert layer_means(bert, []).shape == (0, 4, 32)
