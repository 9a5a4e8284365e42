"""Mistakes that users really make: each is named or refused, and clean data is left in peace."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.boundaries.confidence import positive
from kataribe.boundaries.files import read_truth
from kataribe.boundaries.join import annotated_videos
from kataribe.boundaries.players import random_entries, uniform_lists
from kataribe.core.errors import InputError

FPS = 25.0


@pytest.fixture(scope="module")
def truth() -> dict:
    """Three people who agree more or less."""
    rng = np.random.default_rng(3)
    scenes = {f"v{number}": np.sort(rng.uniform(1, 11, 4)) for number in range(6)}
    return {
        id: {
            "duration": 12.0,
            "fps": FPS,
            "annotators": [(scene + rng.normal(0, 0.1, 4)).round(2).tolist() for _ in range(3)],
        }
        for id, scene in scenes.items()
    }


@pytest.fixture(scope="module")
def predictions(truth: dict) -> dict[str, list[float]]:
    rng = np.random.default_rng(4)
    return {id: np.sort(rng.uniform(0.5, 11.5, 3)).round(2).tolist() for id in truth}


def said(predictions, truth, **options) -> list[str]:
    result = kataribe.evaluate("boundaries", predictions, truth, ["boundary_f1"], **options)
    return [warning.id for warning in result.warnings]


def changed(predictions: dict, change) -> dict:
    return {id: [change(time) for time in times] for id, times in predictions.items()}


def test_a_clean_file_raises_no_doubt_in_either_unit(truth: dict, predictions: dict) -> None:
    assert said(predictions, truth) == []
    assert said(changed(predictions, lambda time: round(time * FPS)), truth, unit="frames") == []


@pytest.mark.parametrize(
    ("change", "options", "expected"),
    [
        (lambda time: round(time * FPS), {}, "frames-as-seconds"),
        (lambda time: round(time * 1000), {}, "milliseconds-as-seconds"),
        (lambda time: time / 12.0, {}, "fractions-as-times"),
        (lambda time: time, {"unit": "frames"}, "seconds-as-frames"),
    ],
)
def test_another_unit_is_named(truth: dict, predictions: dict, change, options: dict, expected: str) -> None:
    assert expected in said(changed(predictions, change), truth, **options)


def test_a_column_called_frame_is_not_read_as_seconds_in_silence(tmp_path: Path, truth: dict) -> None:
    rows = [f"{id},{frame}" for id in truth for frame in (30, 90, 200)]
    (tmp_path / "p.csv").write_text("\n".join(["id,frame", *rows]))
    assert "frame-column" in said(tmp_path / "p.csv", truth)
    assert said(tmp_path / "p.csv", truth, unit="frames") == []
    named = {id: {"frames": [3, 9, 11]} for id in truth}
    assert said(named, truth) == ["frame-column"]


@pytest.mark.parametrize(("factor", "unit"), [(1000, "milliseconds"), (FPS, "frames")])
def test_durations_in_another_unit_are_doubted(truth: dict, predictions: dict, factor: float, unit: str) -> None:
    """Tolerances are fractions of the duration: with one that is too long, everything would be right."""
    longer = {id: {**video, "duration": video["duration"] * factor} for id, video in truth.items()}
    result = kataribe.evaluate("boundaries", predictions, longer, ["boundary_f1"])
    doubts = [warning for warning in result.warnings if warning.id == "duration-unit"]
    assert len(doubts) == 1
    assert f"are the durations in {unit}?" in doubts[0]


def test_a_whole_ground_truth_in_another_unit_is_doubted(truth: dict, predictions: dict) -> None:
    in_ms = {
        id: {"duration": 12_000.0, "annotators": [[time * 1000 for time in times] for times in video["annotators"]]}
        for id, video in truth.items()
    }
    result = kataribe.evaluate("boundaries", predictions, in_ms, ["boundary_f1"])
    assert [warning.id for warning in result.warnings] == ["duration-unit"]
    assert "is the ground truth in milliseconds?" in result.warnings[0]


def test_true_boundaries_as_fractions_are_doubted(truth: dict, predictions: dict) -> None:
    fractions = {
        id: {**video, "annotators": [[time / 12.0 for time in times] for times in video["annotators"]]}
        for id, video in truth.items()
    }
    assert "fractions-as-times" in said(predictions, fractions)


def test_few_boundaries_show_no_pattern(truth: dict) -> None:
    assert said({"v0": [0.5], "v1": [0.9]}, {id: truth[id] for id in ("v0", "v1")}) == []


SEGMENTS = {
    "side by side": [[0.0, 2.5], [2.5, 7.0], [7.0, 11.9]],
    "with gaps": [[0.5, 2.0], [4.0, 7.0]],
    "overlapping": [[0.0, 11.0], [2.0, 7.0], [6.5, 9.0]],
    "within a second": [[0.0, 0.2], [0.2, 0.5], [0.5, 0.9]],
}


@pytest.mark.parametrize("segments", SEGMENTS.values(), ids=SEGMENTS)
def test_segments_are_not_taken_for_times_with_scores(truth: dict, segments) -> None:
    with pytest.raises(InputError) as error:
        said(dict.fromkeys(truth, segments), truth)
    assert "look like segments [start, end]" in str(error.value)
    assert '"scores"' in str(error.value)
    assert "\n" not in str(error.value)


def test_scores_of_any_size_are_taken_where_they_are_named_or_cannot_be_ends(truth: dict) -> None:
    pairs = {
        "probabilities": [[2.0, 0.3], [5.0, 0.9], [11.0, 0.4]],
        "percent": [[2.0, 30.0], [5.0, 90.0], [11.0, 40.0]],
        "logits": [[2.0, 3.1], [5.0, -0.4], [11.0, 4.4]],
    }
    for scored in pairs.values():
        assert kataribe.evaluate("boundaries", dict.fromkeys(truth, scored), truth, ["boundary_ap"])
    named = {"boundaries": [2.0, 5.0], "scores": [3.0, 7.0]}
    assert kataribe.evaluate("boundaries", dict.fromkeys(truth, named), truth, ["boundary_ap"])


def test_predictions_that_are_an_annotators_own_are_named(truth: dict, predictions: dict) -> None:
    copied = {id: video["annotators"][1] for id, video in truth.items()}
    result = kataribe.evaluate("boundaries", copied, truth, ["boundary_f1"])
    assert [warning.id for warning in result.warnings] == ["references-as-predictions"]
    assert "in 6 of 6 videos" in result.warnings[0]
    two_of_six = predictions | {id: copied[id] for id in ("v0", "v1")}
    assert said(two_of_six, truth) == []


def confident(times: dict, of_probability) -> dict:
    """The same boundaries with confidences that differ in scale only."""
    rng = np.random.default_rng(8)
    return {
        id: {"boundaries": marks, "scores": [float(of_probability(p)) for p in rng.uniform(0.01, 0.99, len(marks))]}
        for id, marks in times.items()
    }


def logit(p: float) -> float:
    return np.log(p / (1 - p))


@pytest.mark.parametrize(
    ("transform", "rule"), [(np.log, "exp"), (logit, "logistic"), (lambda p: p * 2000 - 3000, "ranks")]
)
def test_negative_confidences_rank_as_the_probabilities_they_stand_for(truth, predictions, transform, rule) -> None:
    metrics = ["boundary_ap", "frame_ap"]
    plain = kataribe.evaluate("boundaries", confident(predictions, lambda p: p), truth, metrics)
    negative = kataribe.evaluate("boundaries", confident(predictions, transform), truth, metrics)
    assert negative["boundary_ap"].value == pytest.approx(plain["boundary_ap"].value, abs=1e-12)
    # Ranks are no probabilities, so that the bells' heights differ; nothing is turned upside down.
    slack = 0.05 if rule == "ranks" else 1e-12
    assert negative["frame_ap"].value == pytest.approx(plain["frame_ap"].value, abs=slack)
    assert "negative-confidences" in [warning.id for warning in negative.warnings]
    assert f"|confidence:{rule}|" in negative["frame_ap"].signature
    assert "|confidence:" not in plain["frame_ap"].signature


def test_confidences_that_an_exponential_would_merge_keep_their_order() -> None:
    values = np.array([-1e4, -2e4, -3e4])
    assert np.argsort(positive(values)[0]).tolist() == np.argsort(values).tolist()


@pytest.mark.parametrize("transform", [np.log, logit])
def test_negative_curves_have_the_boundaries_of_their_probabilities(truth: dict, transform) -> None:
    """And a video without prediction ranks below all frames of the others, not above them."""
    rng = np.random.default_rng(1)
    curves = {id: rng.uniform(0.01, 0.99, 300) for id in list(truth)[:-1]}
    metrics = ["boundary_f1", "frame_ap"]
    plain, negative = (
        kataribe.evaluate(
            "boundaries", {id: {"probabilities": change(curve)} for id, curve in curves.items()}, truth, metrics
        )
        for change in (lambda curve: curve, transform)
    )
    for metric in metrics:
        assert negative[metric].value == pytest.approx(plain[metric].value, abs=1e-12)
    assert "|curve:" in negative["boundary_f1"].signature


@pytest.mark.data
@pytest.mark.parametrize("player", ["people", "jittered people", "uniform", "random", "random frames"])
def test_no_false_alarm_on_kinetics(data_folder: Path, player: str) -> None:
    path = next((data_folder / "kinetics-gebd").glob("*.pkl"))
    truth = read_truth(path)
    videos = annotated_videos(truth, 0.0)
    rng = np.random.default_rng(0)
    for count in (1, 5, 9):
        counts = np.full(len(videos), count)
        lists = {
            "uniform": lambda counts=counts: list(uniform_lists(videos.durations, counts)),
            "random": lambda counts=counts: list(random_entries(videos, counts, 1).lists),
        }
        if player in lists:
            predictions = dict(zip(videos.ids, (times.tolist() for times in lists[player]()), strict=True))
        elif player == "random frames":
            drawn = lists["random"]()
            predictions = {
                id: np.rint(times * fps).tolist() for id, times, fps in zip(videos.ids, drawn, videos.fps, strict=True)
            }
        else:
            people = [video.annotators[count % len(video.annotators)].times for video in truth.values()]
            spread = 0.02 if player == "jittered people" else 0.0
            predictions = {
                id: np.clip(np.array(times) + rng.normal(0, spread, len(times)), 0, duration).tolist()
                for id, times, duration in zip(videos.ids, people, videos.durations, strict=True)
            }
        unit = "frames" if player == "random frames" else "seconds"
        expected = {"inconsistent-videos", "empty"} | ({"references-as-predictions"} if player == "people" else set())
        result = kataribe.evaluate("boundaries", predictions, path, ["boundary_f1(trials=1)"], unit=unit)
        assert {warning.id for warning in result.warnings} <= expected
        assert ("references-as-predictions" in {warning.id for warning in result.warnings}) == (player == "people")


def test_whatever_moves_a_number_is_in_the_fingerprint(truth: dict, predictions: dict) -> None:
    stored = {id: {**video, "f1_consis": [0.9, 0.6, 0.5]} for id, video in truth.items()}

    def fingerprint(truth: dict) -> str:
        signature = kataribe.evaluate("boundaries", predictions, truth, ["boundary_f1"])["boundary_f1"].signature
        return signature.partition("|hash:")[2][:8]

    slower = {id: {**video, "fps": 1.0} for id, video in stored.items()}
    reversed_values = {id: {**video, "f1_consis": [0.5, 0.6, 0.9]} for id, video in stored.items()}
    longer = {id: {**video, "duration": 13.0} for id, video in stored.items()}
    moved = stored | {"v0": {**stored["v0"], "annotators": [[1.0], *stored["v0"]["annotators"][1:]]}}
    swapped = {id: {**video, "annotators": video["annotators"][::-1]} for id, video in stored.items()}
    everything = [stored, slower, reversed_values, longer, moved, swapped, truth]
    assert len({fingerprint(one) for one in everything}) == len(everything)
    assert fingerprint(dict(reversed(stored.items()))) == fingerprint(stored)


def test_the_order_of_videos_moves_no_number(truth: dict, predictions: dict) -> None:
    first, again = (kataribe.evaluate("boundaries", predictions, one) for one in (truth, dict(reversed(truth.items()))))
    for metric in first:
        assert again[metric.metric].signature == metric.signature
        assert again[metric.metric].value == pytest.approx(metric.value, abs=1e-12)
        assert again[metric.metric].parts == pytest.approx(dict(metric.parts), abs=1e-12, nan_ok=True)
