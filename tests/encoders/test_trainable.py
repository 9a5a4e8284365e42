"""Encoders to train: the vectors of the untrained ones, gradients where they belong, and trained ones that score."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import ResourceError, UsageError
from kataribe.encoders.bert import WORDS
from kataribe.encoders.encoded import encode_texts
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.text import open_text
from kataribe.encoders.trainable import (
    TrainableText,
    pictures_with_trained,
    trainable,
    trainable_pictures,
    with_trained,
)
from tests.encoders.test_pictures import noise, tiny_vit
from tests.encoders.tiny import JAPANESE, SENTENCES

torch = pytest.importorskip("torch", reason="needs kataribe[models]")
pytest.importorskip("transformers", reason="needs kataribe[models]")
pytestmark = pytest.mark.usefixtures("own_cache")
TEXTS = [*SENTENCES, *JAPANESE, ""]


@pytest.fixture(params=["minilm", "e5", "bert", "xlm_roberta"])
def model(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue(request.param) if request.param in ("bert", "xlm_roberta") else request.param


def states_of(encoder: TrainableText, texts: list[str]) -> list[np.ndarray]:
    tokens = [text.ids for text in encoder.tokenize(texts)]
    with torch.no_grad():
        states = encoder.states(*encoder.batch(tokens)).numpy()
    return [row[: len(ids)] for row, ids in zip(states, tokens, strict=True)]


def train_a_step(encoder: TrainableText, texts: list[str] = SENTENCES) -> None:
    """One step of plain gradient descent that makes all texts unlike each other."""
    ids, mask = encoder.batch([text.ids for text in encoder.tokenize(texts)])
    vectors = encoder.sentences(ids, mask)
    (vectors @ vectors.T).mean().backward()
    with torch.no_grad():
        for parameter in encoder.network.parameters():
            if parameter.grad is not None:
                parameter -= 0.1 * parameter.grad
                parameter.grad = None


def test_vectors_are_those_of_the_encoder_that_scores(model: str) -> None:
    encoder, scores = trainable(model), open_text(model)
    tokens = [text.ids for text in encoder.tokenize(TEXTS)]
    assert [ids.tolist() for ids in tokens] == [text.ids.tolist() for text in scores.tokenize(TEXTS)]
    made = scores.forward(tokens)
    for ours, theirs in zip(states_of(encoder, TEXTS), made.tokens, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    with torch.no_grad():
        sentences = encoder.sentences(*encoder.batch(tokens))
        embedded, *_, last = encoder.all_states(*encoder.batch(tokens))
    np.testing.assert_allclose(sentences, made.sentences, atol=1e-5)
    np.testing.assert_allclose(last, encoder.states(*encoder.batch(tokens)).detach(), atol=1e-6)
    assert embedded.shape == last.shape == (len(TEXTS), max(map(len, tokens)), encoder.width)
    assert (encoder.layers, encoder.special_ids) == (scores.layers, scores.special_ids)


def test_a_trained_encoder_scores_like_any_other(model: str) -> None:
    encoder = trainable(model)
    encoder.freeze_below(1)
    train_a_step(encoder)
    tensors = {name: tensor.numpy() for name, tensor in encoder.trained_tensors().items()}
    tuned, untrained = with_trained(model, tensors), open_text(model)
    assert tuned.name == f"{untrained.name}-tuned"
    assert tuned.key != untrained.key
    assert tuned.signature != untrained.signature
    assert with_trained(model, tensors).key == tuned.key
    other = tensors | {next(iter(tensors)): next(iter(tensors.values())) + np.float32(1e-6)}
    assert with_trained(model, other).key != tuned.key
    vectors = encode_texts(tuned, TEXTS, "sentences").sentences(np.arange(len(TEXTS)))
    with torch.no_grad():
        expected = encoder.sentences(*encoder.batch([text.ids for text in encoder.tokenize(TEXTS)]))
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    before = encode_texts(untrained, TEXTS, "sentences").sentences(np.arange(len(TEXTS)))
    assert np.abs(vectors - before).max() > 1e-3


def test_only_the_upper_layers_train(bert: str) -> None:
    encoder = trainable(bert)
    assert encoder.freeze_below(0) == []
    upper = encoder.freeze_below(2)
    assert {".".join(name.split(".")[:3]) for name in upper} == {"encoder.layer.1", "encoder.layer.2"}
    before = {name: tensor.clone() for name, tensor in encoder.network.inner.state_dict().items()}
    train_a_step(encoder)
    changed = {name for name, tensor in encoder.network.inner.state_dict().items() if not tensor.equal(before[name])}
    assert changed <= set(upper)
    assert {".".join(name.split(".")[:3]) for name in changed} == {"encoder.layer.1", "encoder.layer.2"}
    assert set(encoder.trained_tensors()) == set(upper)
    everything = encoder.freeze_below("all")
    assert "embeddings.word_embeddings.weight" in everything
    assert not [name for name in everything if "pooler" in name]
    with pytest.raises(UsageError, match=r"has 3 layers to train, not 4 - give 0 to 3"):
        encoder.freeze_below(4)


def test_every_layer_is_less_than_everything(bert: str) -> None:
    encoder = trainable(bert)
    assert not [name for name in encoder.freeze_below(encoder.layers) if "embeddings" in name]


def test_all_of_e5_can_be_trained() -> None:
    """Its word embeddings too, which are four bits until then."""
    encoder = trainable("e5")
    assert WORDS in encoder.freeze_below("all")
    assert sum(parameter.numel() for parameter in encoder.network.parameters()) == pytest.approx(117.5e6, rel=0.01)
    [text] = encoder.tokenize(["犬が走る"])
    table = encoder.network.inner.get_input_embeddings().weight.detach().clone()
    table[text.ids[2]] *= 3
    made, before = (
        made.forward([text.ids]).sentences for made in (with_trained("e5", {WORDS: table}), open_text("e5"))
    )
    assert np.abs(made - before).max() > 1e-3


def test_training_goes_on_where_it_ended(bert: str) -> None:
    one, other = trainable(bert), trainable(bert)
    for encoder in (one, other):
        encoder.freeze_below(1)
    train_a_step(one)
    other.load_trained(one.trained_tensors())
    for ours, theirs in zip(states_of(one, SENTENCES), states_of(other, SENTENCES), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_copy_of_the_network_has_weights_of_its_own(bert: str, tmp_path: Path) -> None:
    """As a training loop makes one to keep the best."""
    encoder = trainable(bert)
    inputs = encoder.batch([text.ids for text in encoder.tokenize(SENTENCES)])
    seen = trainable_pictures(f"transformers:{tiny_vit(tmp_path / 'vit')}")
    for network, given in ((encoder.network, inputs), (seen.network, [noise(1, 224, 224, 3)])):
        with torch.no_grad():
            before = network(*given)
            kept = copy.deepcopy(network)
            for parameter in network.parameters():
                parameter.zero_()
            assert not network(*given).equal(before)
            torch.testing.assert_close(kept(*given), before)


def test_frozen_parts_stay_in_evaluation_mode(bert: str) -> None:
    encoder = trainable(bert)
    encoder.freeze_below(1)
    outer = torch.nn.ModuleList([encoder.network]).train()
    inner = outer[0].inner
    modes = [layer.attention.output.dropout.training for layer in inner.encoder.layer]
    assert (inner.embeddings.dropout.training, modes) == (False, [False, False, True])
    outer.eval()
    assert not any(module.training for module in outer.modules())


@pytest.mark.parametrize("model", ["minilm", "bert"])
@pytest.mark.parametrize(
    ("tensors", "reason"),
    [
        ({"encoder.layer.9.output.dense.bias": np.zeros(32, np.float32)}, "has no such tensor"),
        ({"encoder.layer.1.output.dense.bias": np.zeros(7, np.float32)}, r"of shape \(7,\) does not fit: .* there"),
    ],
)
def test_tensors_of_another_encoder_are_refused(
    model: str, tensors: dict[str, np.ndarray], reason: str, bert: str
) -> None:
    name = bert if model == "bert" else model
    for load in (lambda: with_trained(name, tensors), lambda: trainable(name).load_trained(tensors)):
        with pytest.raises(ResourceError, match=reason):
            load()


def test_without_trained_tensors_it_is_the_encoder_itself() -> None:
    assert with_trained("minilm", {}) is open_text("minilm")


def test_trained_weights_need_no_torch_to_score() -> None:
    import subprocess
    import sys

    program = """
import sys, numpy as np
from kataribe.encoders.trainable import with_trained
encoder = with_trained("minilm", {"encoder.layer.5.output.dense.bias": np.ones(384, dtype=np.float32)})
encoder.forward([tokens.ids for tokens in encoder.tokenize(["a dog"])])
print([name for name in ("torch", "transformers") if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout == "[]\n"


def _pictures(kind: str, clip: str, folder: Path) -> str:
    if kind == "efficientnet-lite0":
        pytest.importorskip("efficientnet_lite_pytorch", reason="needs kataribe[models]")
        return kind
    return f"transformers:{clip if kind == 'clip' else tiny_vit(folder / 'vit')}"


@pytest.mark.parametrize("kind", ["efficientnet-lite0", "vit", "clip"])
def test_pictures(kind: str, clip: str, tmp_path: Path) -> None:
    name = _pictures(kind, clip, tmp_path)
    encoder = trainable_pictures(name)
    frames = noise(2, 224, 224, 3)
    before = open_pictures(name).pixels(frames)
    np.testing.assert_allclose(encoder.vectors(torch.from_numpy(frames)).detach(), before, atol=1e-4)
    names = encoder.freeze_below(1)
    assert 0 < len(names) < len(list(encoder.network.parameters()))
    outer = torch.nn.ModuleList([encoder.network]).train()
    encoder.vectors(frames).std(dim=0).sum().backward()
    with torch.no_grad():
        for parameter in encoder.network.parameters():
            assert parameter.requires_grad or parameter.grad is None
            if parameter.grad is not None:
                parameter -= 0.1 * parameter.grad
    outer.eval()
    trained = encoder.trained_tensors()
    tuned = pictures_with_trained(name, {key: tensor.numpy() for key, tensor in trained.items()})
    assert tuned.key != open_pictures(name).key
    assert tuned.signature != open_pictures(name).signature
    after = tuned.pixels(frames)
    np.testing.assert_allclose(encoder.vectors(frames).detach(), after, atol=1e-4)
    assert np.abs(after - before).max() > 1e-4
    np.testing.assert_array_equal(open_pictures(name).pixels(frames), before)


def test_statistics_of_batches_are_trained_with_their_block_and_rest_with_it() -> None:
    pytest.importorskip("efficientnet_lite_pytorch", reason="needs kataribe[models]")
    encoder = trainable_pictures("efficientnet-lite0")
    encoder.freeze_below(1)
    before = {name: tensor.clone() for name, tensor in encoder.network.inner.state_dict().items()}
    torch.nn.ModuleList([encoder.network]).train()
    encoder.vectors(noise(2, 224, 224, 3))
    after = encoder.network.inner.state_dict()
    changed = {name for name, tensor in after.items() if not tensor.equal(before[name])}
    assert changed
    assert changed <= set(encoder.trained_tensors())
    assert not [name for name in encoder.trained_tensors() if name.startswith("_fc")]


def test_a_histogram_has_nothing_to_train() -> None:
    with pytest.raises(UsageError, match="'histogram' has no weights to train"):
        trainable_pictures("histogram")
