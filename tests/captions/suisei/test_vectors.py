"""Texts as vectors: the idf of equation 2, smoothed; the weighted tokens of equation 3; how tokens are pooled."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kataribe.captions.media import Media
from kataribe.captions.suisei.options import GIVEN, ModelOptions
from kataribe.captions.suisei.vectors import Idf, TextSource, all_vectors, picture_vectors, pooled, text_source
from kataribe.core.errors import KataribeError
from kataribe.encoders.encoded import encode_texts
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.protocol import Tokens
from kataribe.encoders.text import open_text
from tests.captions.suisei.made import features
from tests.encoders.tiny import SENTENCES


def naive_idf(encoder: object, references: list[str], token: int) -> float:
    holding = sum(token in text.ids.tolist() for text in encoder.tokenize(references))  # type: ignore[attr-defined]
    return math.log((len(references) + 1) / (holding + 1))


def test_idf_is_equation_2_smoothed_and_counts_repeated_references(bert: str) -> None:
    encoder = open_text(bert)
    references = [*SENTENCES, SENTENCES[0], "a dog a dog a dog"]
    idf = Idf.of(encoder, references)
    tokens = np.arange(45, dtype=np.int32)
    expected = [naive_idf(encoder, references, int(token)) for token in tokens]
    np.testing.assert_allclose(idf.weights(tokens), expected, rtol=1e-6)
    assert len(set(np.round(expected, 6))) > 4


def test_idf_survives_a_model_folder(bert: str) -> None:
    idf = Idf.of(open_text(bert), SENTENCES)
    again = Idf.from_tensors(idf.to_tensors())
    assert again is not None
    tokens = np.arange(60, dtype=np.int32)
    assert again.weights(tokens).tolist() == idf.weights(tokens).tolist()
    assert Idf.from_tensors({}) is None


@pytest.mark.parametrize("pool", ["mean", "cls", "max"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_vectors_of_texts_are_equation_3_pooled(bert: str, pool: str, is_weighted: bool) -> None:
    encoder = open_text(bert)
    texts = [*SENTENCES, "", "a dog"]
    idf = Idf.of(encoder, SENTENCES)
    found = all_vectors(TextSource(encode_texts(encoder, texts, "tokens"), idf, pool))  # type: ignore[arg-type]
    vectors = found.weighted if is_weighted else found.plain
    assert vectors is not None
    for text, vector in zip(texts, vectors, strict=True):
        ids = encoder.tokenize([text])[0].ids
        states = encoder.forward([ids]).tokens[0].astype(np.float64)
        if is_weighted:
            weights = [0.0 if id in encoder.special_ids else naive_idf(encoder, SENTENCES, int(id)) for id in ids]
            states = np.array(weights)[:, np.newaxis] * states
        expected = {"mean": states.mean(axis=0), "cls": states[0], "max": states.max(axis=0)}[pool]
        np.testing.assert_allclose(vector, expected, atol=1e-4)


def test_empty_text_has_nothing_that_the_idf_weighs(bert: str) -> None:
    encoder = open_text(bert)
    found = all_vectors(text_source(encoder, [""], Idf.of(encoder, SENTENCES), ModelOptions()))
    assert found.weighted is not None
    assert not found.weighted.any()
    assert found.plain.any()


def test_plain_vector_is_the_encoders_sentence_vector_up_to_its_length(bert: str) -> None:
    encoder = open_text(bert)
    plain = all_vectors(text_source(encoder, SENTENCES, None, ModelOptions())).plain.astype(np.float64)
    sentences = encoder.forward([text.ids for text in encoder.tokenize(SENTENCES)]).sentences
    np.testing.assert_allclose(plain / np.linalg.norm(plain, axis=1, keepdims=True), sentences, atol=1e-5)


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=6),
    st.sampled_from(["mean", "cls", "max"]),
    st.booleans(),
    st.integers(0, 2**31),
)
def test_other_texts_do_not_move_a_vector(lengths: list[int], pool: str, is_weighted: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [
        Tokens(rng.integers(0, 9, n).astype(np.int32), rng.random(n) < 0.3, rng.normal(size=(n, 3)).astype(np.float32))
        for n in lengths
    ]
    idf = Idf(np.arange(5, dtype=np.int32), np.arange(5, dtype=np.float32), 7.0) if is_weighted else None
    together = pooled(texts, idf, pool)  # type: ignore[arg-type]
    alone = np.concatenate([pooled([text], idf, pool) for text in texts])  # type: ignore[arg-type]
    np.testing.assert_array_equal(together, alone)


@given(arrays(np.int32, st.integers(0, 8), elements=st.integers(0, 12)))
def test_subwords_that_no_reference_has_weigh_most(tokens: np.ndarray) -> None:
    idf = Idf(np.array([2, 5], np.int32), np.array([0.5, 0.25], np.float32), 2.0)
    assert idf.weights(tokens).tolist() == [{2: 0.5, 5: 0.25}.get(token, 2.0) for token in tokens.tolist()]


def test_frames_of_a_clip_are_averaged() -> None:
    media = features({"a": [[1.0, 3.0], [3.0, 5.0]], "b": [0.0, 1.0]})
    found = picture_vectors(media, ["b", "a"], GIVEN, None, "it")
    assert found.tolist() == [[0.0, 1.0], [2.0, 4.0]]
    assert found.dtype == np.float32


@pytest.mark.parametrize(
    ("media", "encoder", "line"),
    [
        (None, GIVEN, "it looks at pictures, and nothing says where they are - give features=FILE"),
        (None, "histogram", "it looks at pictures, and nothing says where they are - give images=FOLDER"),
        (Media(images={}), GIVEN, "it takes given features of pictures, which cannot be made from pictures here"),
        (features({"a": [1.0]}), "histogram", "it looks at pictures with histogram, and features of another making"),
        (Media(images={}), "histogram", "id 'a': has no picture"),
    ],
)
def test_pictures_that_are_not_there_are_missed_with_one_line(media: Media | None, encoder: str, line: str) -> None:
    opened = None if encoder == GIVEN else open_pictures(encoder)
    with pytest.raises(KataribeError) as caught:
        picture_vectors(media, ["a"], encoder, opened, "it")
    assert str(caught.value).startswith(line)


def test_comet_is_fed_with_the_means_of_every_layer(bert: str) -> None:
    encoder = open_text(bert)
    found = all_vectors(text_source(encoder, SENTENCES, None, ModelOptions(head="comet")))
    assert found.layers is not None
    assert found.layers.shape == (len(SENTENCES), 4, 32)
    np.testing.assert_array_equal(found.plain, found.layers[:, -1])
    means = [encoder.forward([text.ids]).tokens[0].mean(axis=0) for text in encoder.tokenize(SENTENCES)]
    np.testing.assert_allclose(found.plain, means, atol=1e-4)
