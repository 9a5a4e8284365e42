"""A retriever learns which texts belong to which shots, and its folder gives in numpy what was trained in torch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs kataribe[models]")
pytest.importorskip("accelerate", reason="training needs kataribe[models]")

import kataribe
from kataribe.cli.main import main
from kataribe.core.errors import InputError, KataribeError
from kataribe.encoders.clip import open_clip
from kataribe.encoders.dual import DualEncoder, pooled
from kataribe.encoders.encoded import encode_texts
from kataribe.grounding.retrieval.options import RetrieverOptions
from kataribe.grounding.retrieval.pairs import PairedFilms, read_pairs
from kataribe.grounding.retrieval.recall import means, ranks_by_film
from kataribe.grounding.retrieval.shot_vectors import see_film
from kataribe.grounding.retrieval.training import Trained, train
from kataribe.learning.folder import read_card
from tests.grounding.retrieval.corpora import ENCODER, WIDTH, make_corpus, make_videos, write_features

QUICK = RetrieverOptions(epochs=12, width=64, device="cpu")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def paired(corpus: tuple[Path, Path]) -> PairedFilms:
    return read_pairs(*corpus)


@pytest.fixture(scope="module")
def trained(paired: PairedFilms) -> Trained:
    return train(paired, QUICK)


@pytest.fixture(scope="module")
def folder(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "retriever"
    trained.save(folder, {})
    return folder


def test_texts_find_their_shots_in_a_film_that_was_never_seen(trained: Trained) -> None:
    found = trained.recalls["test"]
    assert found.chance["R@1"] == pytest.approx(0.1)
    assert found.values["R@1"] >= 0.7
    assert found.values["R@1"] <= found.values["R@5"] <= found.values["R@10"] == 1.0


def test_card_has_recall_beside_chance_and_the_encoders(folder: Path, trained: Trained) -> None:
    card = read_card(folder)
    scores = {(score.data, score.measure): score.value for score in card.scores}
    assert scores["test films", "R@1"] == pytest.approx(trained.recalls["test"].values["R@1"])
    assert scores["test films, by chance", "R@5"] == pytest.approx(0.5)
    assert (card.options["text"], card.options["pictures"]) == ("minilm", ENCODER)
    assert len(card.training["course"]["epochs"]) <= QUICK.epochs


def test_folder_gives_the_vectors_that_were_trained(folder: Path, trained: Trained, paired: PairedFilms) -> None:
    encoder = DualEncoder(folder)
    pairs = paired.shots["test"]
    texts = [pair.text for pair in pairs]
    sentences = encode_texts(encoder, texts, "sentences").sentences(np.arange(len(texts)))
    frames = [paired.films[pair.film] for pair in pairs]
    shots = np.stack(
        [pooled(encoder.frames(film.vectors[film.during(pair.span)])) for film, pair in zip(frames, pairs, strict=True)]
    )
    assert np.linalg.norm(shots, axis=1) == pytest.approx(np.ones(len(shots)), abs=1e-5)
    again = means(ranks_by_film([pair.film for pair in pairs], shots, sentences))
    assert again == pytest.approx(dict(trained.recalls["test"].values))


def test_same_seed_gives_the_same_weights_and_another_one_others(trained: Trained, paired: PairedFilms) -> None:
    again, other = train(paired, QUICK), train(paired, replace(QUICK, seed=1))
    assert all(np.array_equal(again.tensors[name], tensor) for name, tensor in trained.tensors.items())
    assert not np.allclose(other.tensors["texts.weight"], trained.tensors["texts.weight"])


def test_training_that_was_stopped_comes_to_the_same_loss(
    trained: Trained, paired: PairedFilms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kataribe.learning import state as states

    save, epochs = states.State.save, []

    def stop_after_four(self, accelerator, done, best) -> None:
        save(self, accelerator, done, best)
        epochs.append(len(done))
        if len(done) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(states.State, "save", stop_after_four)
    with pytest.raises(KeyboardInterrupt):
        train(paired, QUICK, state=tmp_path / "state")
    resumed = train(paired, QUICK, state=tmp_path / "state")
    assert epochs[:5] == [1, 2, 3, 4, 5], "it went on after the fourth"
    assert resumed.courses[0].epochs[-1].loss == pytest.approx(trained.courses[0].epochs[-1].loss, rel=1e-6)


def test_emscore_and_clipscore_open_the_folder(folder: Path, paired: PairedFilms, own_cache: Path) -> None:
    """With features of the common space; a true text scores more than one of another shot."""
    encoder = open_clip(str(folder))
    pairs = paired.shots["test"]
    frames = {
        str(n): encoder.frames(paired.films[pair.film].vectors[paired.films[pair.film].during(pair.span)])
        for n, pair in enumerate(pairs)
    }
    true = {str(n): pair.text for n, pair in enumerate(pairs)}
    wrong = {str(n): pairs[n - 1].text for n in range(len(pairs))}
    for metric in (f"emscore(movie101, model={folder})", f'clipscore({folder}, prefix="")'):
        scored = [
            kataribe.evaluate("captions", said, None, [metric], features=frames)[metric] for said in (true, wrong)
        ]
        assert scored[0].value > scored[1].value
        assert f"|model:{encoder.signature}|" in scored[0].signature
    assert encoder.signature == f"retriever-{read_card(folder).fingerprint}"


def test_finetuned_text_encoder_is_in_the_folder(paired: PairedFilms, tmp_path: Path) -> None:
    tuned = train(paired, replace(QUICK, finetune=1, epochs=1, batch=64))
    tuned.save(tmp_path / "model", {})
    encoder = DualEncoder(tmp_path / "model")
    assert encoder.text_encoder.name.endswith("-tuned")
    assert any(name.startswith("text_encoder.encoder.layer.5.") for name in tuned.tensors)
    texts = [pair.text for pair in paired.shots["test"]]
    vectors = encode_texts(encoder, texts, "sentences").sentences(np.arange(len(texts)))
    films, shots = [pair.film for pair in paired.shots["test"]], []
    for pair in paired.shots["test"]:
        film = paired.films[pair.film]
        shots.append(pooled(encoder.frames(film.vectors[film.during(pair.span)])))
    assert means(ranks_by_film(films, np.stack(shots), vectors)) == pytest.approx(dict(tuned.recalls["test"].values))


def test_finetuned_picture_encoder_is_in_the_folder_and_refuses_frames_of_the_old_one(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="videos need kataribe[video]")
    corpus, features, videos = make_videos(tmp_path)
    quick = replace(QUICK, epochs=1, batch=6, frames=2, learn="clips")
    with pytest.raises(KataribeError, match="videos=DIR"):
        train(read_pairs(corpus, features, "clips"), replace(quick, finetune_pictures=1))
    tuned = train(read_pairs(corpus, features, "clips"), replace(quick, finetune_pictures=1), videos=videos)
    tuned.save(tmp_path / "model", {})
    encoder = DualEncoder(tmp_path / "model")
    assert encoder.picture_encoder.name == "efficientnet-lite0-tuned"
    with pytest.raises(InputError, match=r"has frames by efficientnet-lite0-.* sees with efficientnet-lite0-tuned-"):
        see_film(features / "f0.npz", encoder)
    pairs = tuned.recalls["test"]
    found = see_film(videos / "f2.mp4", encoder)
    texts = encode_texts(encoder, ["Anna burns a letter."], "sentences").sentences(np.arange(1))
    assert pairs.texts == len(found) == 1
    assert found.vectors.shape == texts.shape == (1, quick.width)


def test_both_sides_may_be_one_model_of_texts_and_pictures(clip: str, tmp_path: Path) -> None:
    """As the paper does with Chinese-CLIP; here with a CLIP of random weights."""
    own = open_clip(clip)
    corpus, features = make_corpus(tmp_path, films=3, shots=4, encoder=own.signature, width=24)
    sides = {"text": f"transformers:{clip}", "pictures": f"transformers:{clip}"}
    options = replace(QUICK, epochs=1, **sides)
    with pytest.raises(KataribeError, match="cannot be trained here"):
        train(read_pairs(corpus, features), replace(options, finetune=1))
    train(read_pairs(corpus, features), options).save(tmp_path / "model", {})
    encoder = DualEncoder(tmp_path / "model")
    assert encoder.end_id == own.end_id
    assert encoder.pixels([np.zeros((40, 30, 3), np.uint8)]).shape == (1, QUICK.width)
    [made] = encoder.forward([encoder.tokenize(["a dog runs"])[0].ids]).tokens
    assert np.linalg.norm(made, axis=1) == pytest.approx(np.ones(len(made)), abs=1e-5)


def refused(*arguments: object, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as left:
        main(["train", "retriever", *map(str, arguments), "-q"])
    assert left.value.code == 2
    [line] = capsys.readouterr().err.splitlines()
    return line


def test_command_writes_a_folder_and_says_how_it_does(
    corpus: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = [corpus[0], "--features", corpus[1], "-o", tmp_path / "model", "--epochs", "2", "--seeds", "2", "-q"]
    with pytest.raises(SystemExit) as left:
        main(["train", "retriever", *map(str, call)])
    assert left.value.code == 0
    answer = capsys.readouterr().out
    assert "trained on 120 pairs of 6 films, seed" in answer
    assert "by chance" in answer
    assert "R@10" in answer
    assert read_card(tmp_path / "model").kind == "retriever"


def test_bad_input_is_one_line(corpus: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts, features = corpus
    (tmp_path / "empty").mkdir()
    out = ["-o", tmp_path / "model"]
    assert "has no features of 8 of 8 films" in refused(texts, "--features", tmp_path / "empty", *out, capsys=capsys)
    assert "is no Movie101 folder" in refused(tmp_path / "empty", "--features", features, *out, capsys=capsys)
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for path in features.iterdir():
        (mixed / path.name).write_bytes(path.read_bytes())
    write_features(mixed / "f3.npz", np.ones((200, WIDTH)), encoder="another")
    assert "made in different ways" in refused(texts, "--features", mixed, *out, capsys=capsys)
    for path in mixed.iterdir():
        write_features(path, np.ones((200, WIDTH)), encoder="histogram-1234abcd")
    line = refused(texts, "--features", mixed, *out, capsys=capsys)
    assert "seen with histogram-1234abcd, and this is histogram" in line
    assert not (tmp_path / "model").exists()


def test_folder_of_another_kind_or_damaged_is_refused(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    (copy / "weights.safetensors").write_bytes(b"no weights")
    with pytest.raises(InputError, match="damaged"):
        DualEncoder(copy)
    card = json.loads((copy / "card.json").read_text())
    (copy / "card.json").write_text(json.dumps(card | {"kind": "narrator"}))
    with pytest.raises(KataribeError, match="was changed after it was written"):
        DualEncoder(copy)


def test_frames_of_another_width_are_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=f"frames of {WIDTH} numbers, and these have 3"):
        DualEncoder(folder).frames(np.ones((2, 3)))
