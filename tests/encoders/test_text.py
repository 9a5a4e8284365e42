"""Text encoders: the offline default, any model of transformers, and what is said when one is not there."""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import ResourceError
from kataribe.encoders.clip import open_clip
from kataribe.encoders.encoded import encode_texts
from kataribe.encoders.language import open_causal
from kataribe.encoders.text import open_text
from tests.encoders.tiny import JAPANESE, SENTENCES, tiny_bert

pytestmark = pytest.mark.usefixtures("own_cache")
PLACES = np.arange(len(SENTENCES))


def test_vectors_equal_those_of_the_model_itself(bert: str) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(bert), AutoModel.from_pretrained(bert).eval()
    encoded = encode_texts(open_text(bert), SENTENCES, "tokens")
    for text, tokens, sentence in zip(SENTENCES, encoded.tokens(PLACES), encoded.sentences(PLACES), strict=True):
        with torch.inference_mode():
            states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()
        assert tokens.ids.tolist() == tokenizer(text)["input_ids"]
        assert tokens.special.tolist() == [True, *[False] * (len(states) - 2), True]
        np.testing.assert_allclose(tokens.vectors, states, atol=1e-4)
        mean = states.mean(axis=0)
        np.testing.assert_allclose(sentence, mean / np.linalg.norm(mean), atol=1e-5)


def test_xlm_roberta_reads_japanese(xlm_roberta: str) -> None:
    """Its positions are counted from behind the padding's number, and sentencepiece marks blanks."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(xlm_roberta), AutoModel.from_pretrained(xlm_roberta).eval()
    encoder = open_text(xlm_roberta)
    assert encoder.longest == 24, "two of 26 positions stand before the first token"
    texts = [*JAPANESE, "a dog runs", "犬が" * 30]
    encoded = encode_texts(encoder, texts, "tokens")
    assert [text.is_whole for text in encoder.tokenize(texts)] == [True] * 6 + [False]
    for text, tokens in zip(texts, encoded.tokens(np.arange(len(texts))), strict=True):
        inputs = tokenizer(text, return_tensors="pt", truncation=True, max_length=24)
        inputs.pop("token_type_ids", None)
        with torch.inference_mode():
            states = model(**inputs).last_hidden_state[0].numpy()
        np.testing.assert_allclose(tokens.vectors, states, atol=1e-4)
        assert tokens.special.tolist() == [True, *[False] * (len(states) - 2), True]
    assert tokenizer.convert_ids_to_tokens(encoded.tokens(np.array([0]))[0].ids)[1:3] == ["▁犬", "が"]


def test_default_encoder_needs_no_hub_and_knows_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    texts = ["A dog runs on the beach.", "A puppy is running along the shore.", "He plays the guitar."]
    vectors = encode_texts(open_text(), texts, "sentences").sentences(np.arange(3))
    near, far = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert near > 0.6 > 0.2 > far


def test_weights_and_layer_name_the_encoder(bert: str, tmp_path: Path) -> None:
    same, other = tiny_bert(tmp_path / "same"), tiny_bert(tmp_path / "other", seed=1)
    assert open_text(same).fingerprint == open_text(bert).fingerprint != open_text(other).fingerprint
    assert open_text(bert, 1).key != open_text(bert, 2).key


def test_how_layers_and_tokens_are_made_names_the_cache(bert: str, tmp_path: Path) -> None:
    moved = shutil.copytree(bert, tmp_path / "moved")
    assert open_text(str(moved)).key == open_text(bert).key, "where it lies does not matter"
    for name, file, before, after in (
        ("epsilon", "config.json", '"layer_norm_eps": 1e-12', '"layer_norm_eps": 1e-06'),
        ("cased", "tokenizer_config.json", '"do_lower_case": true', '"do_lower_case": false'),
    ):
        changed = shutil.copytree(bert, tmp_path / name)
        text = (changed / file).read_text()
        assert before in text
        (changed / file).write_text(text.replace(before, after))
        assert open_text(str(changed)).key != open_text(bert).key


def test_what_was_encoded_is_not_encoded_again(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = open_text(bert)
    first = encode_texts(encoder, SENTENCES, "tokens")

    def refuse(batch):
        raise AssertionError("everything was there")

    monkeypatch.setattr(encoder, "forward", refuse)
    again = encode_texts(encoder, SENTENCES[::-1], "tokens")
    np.testing.assert_array_equal(again.sentences(PLACES[::-1]), first.sentences(PLACES))


@pytest.mark.parametrize(
    ("opened", "instead"),
    [(open_text, "model=minilm"), (open_clip, "features with text_features"), (open_causal, "model=ngram")],
)
def test_absent_model_is_one_line_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch, opened: Callable[[str], object], instead: str
) -> None:
    import huggingface_hub.constants

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ResourceError) as caught:
        opened("nobody/has-this-model")
    assert str(caught.value) == (
        "the model 'nobody/has-this-model' is not here: HF_HUB_OFFLINE is set and it is not in the hub's cache - "
        f"give the folder of a downloaded model, or {instead}, which needs no hub"
    )


def test_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="finds no text model in this folder"):
        open_text(str(tmp_path))


def test_checkpoint_that_lacks_weights_is_refused(bert: str, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    broken = shutil.copytree(bert, tmp_path / "broken")
    weights = load_file(broken / "model.safetensors")
    del weights["encoder.layer.0.output.dense.weight"]
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ResourceError, match="its checkpoint lacks weights"):
        open_text(str(broken))


def test_texts_that_two_threads_want_at_once_are_encoded_once(monkeypatch: pytest.MonkeyPatch, bert: str) -> None:
    encoder = open_text(bert)
    real, counts, both = encoder.forward, Counter[int](), threading.Barrier(2)

    def forward(batch: Sequence[np.ndarray]) -> object:
        counts.update(len(ids) for ids in batch)
        time.sleep(0.05)  # long enough for the other thread to come
        return real(batch)

    monkeypatch.setattr(encoder, "forward", forward)
    words = [" ".join(["dog"] * length) for length in range(1, 9)]  # told apart by their lengths

    def encode(texts: list[str]) -> list[int]:
        both.wait()
        return [len(tokens.ids) for tokens in encode_texts(encoder, texts, "tokens").tokens(np.arange(len(texts)))]

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(encode, [words[:6], words[2:]]))
    assert found == [[3, 4, 5, 6, 7, 8], [5, 6, 7, 8, 9, 10]]
    assert set(counts.values()) == {1}


def test_a_thread_that_fails_leaves_its_texts_to_the_others(monkeypatch: pytest.MonkeyPatch, bert: str) -> None:
    encoder = open_text(bert)
    real, calls = encoder.forward, iter([True])

    def forward(batch: Sequence[np.ndarray]) -> object:
        if next(calls, False):
            time.sleep(0.1)
            raise MemoryError
        return real(batch)

    monkeypatch.setattr(encoder, "forward", forward)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(encode_texts, encoder, ["a dog runs"], "tokens")
        time.sleep(0.02)
        second = pool.submit(encode_texts, encoder, ["a dog runs"], "tokens")
        with pytest.raises(MemoryError):
            first.result()
        assert len(second.result().tokens(np.arange(1))[0].ids) == 5
