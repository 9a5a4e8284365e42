"""The number that the published challenge scorer prints, beside a plain loop written from its description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.boundaries.files import AnnotatedVideo, read_truth


def scorer(predictions: Mapping[str, Sequence[float]], truth: Mapping[str, AnnotatedVideo], share: float) -> float:
    """As described: detections outside the video do not count; a video with none left counts the first rater's
    boundaries as misses; otherwise the rater with the highest 2rp / (r + p), the first of equals, counts."""
    hits = detected = wanted = 0
    for id, video in truth.items():
        if video.consistency is not None and sum(video.consistency) / len(video.consistency) < 0.3:
            continue
        raters = [list(annotator.times) for annotator in video.annotators]
        inside = [time for time in predictions.get(id, ()) if 0 <= time <= video.duration]
        if not inside:
            wanted += len(raters[0])
            continue
        best = (-1.0, 0, 0)
        for marks in raters:
            found = matches(inside, marks, share * video.duration)
            recall = found / len(marks) if marks else 1.0
            precision = found / len(inside)
            f1 = 2 * recall * precision / (recall + precision) if found else 0.0
            if f1 > best[0]:
                best = (f1, found, len(marks))
        hits, detected, wanted = hits + best[1], detected + len(inside), wanted + best[2]
    recall, precision = hits / wanted, hits / detected
    return 2 * recall * precision / (recall + precision)


def matches(detections: Sequence[float], marks: Sequence[float], tolerance: float) -> int:
    left = list(detections)
    found = 0
    for mark in marks:
        if not left:
            break
        gaps = [abs(mark - time) for time in left]
        if min(gaps) <= tolerance:
            found += 1
            left.pop(gaps.index(min(gaps)))
    return found


def jittered(truth: Mapping[str, AnnotatedVideo], seed: int, spread: float) -> dict[str, list[float]]:
    """One person's boundaries in each video, moved and partly lost; some videos end up empty or with times outside."""
    rng = np.random.default_rng(seed)
    predictions = {}
    for id, video in truth.items():
        times = np.array(video.annotators[rng.integers(len(video.annotators))].times)
        times = times[rng.random(len(times)) < 0.8]
        predictions[id] = np.sort(times + rng.normal(0, spread * video.duration, len(times))).tolist()
    return predictions


@pytest.mark.data
@pytest.mark.parametrize(("seed", "spread"), [(0, 0.02), (1, 0.05), (2, 0.2)])
def test_jittered_people_on_kinetics_score_what_the_scorer_says(data_folder: Path, seed: int, spread: float) -> None:
    path = next((data_folder / "kinetics-gebd").glob("*.pkl"))
    truth = read_truth(path)
    predictions = jittered(truth, seed, spread)
    for id in list(predictions)[::50]:
        del predictions[id]
    empty = [id for id, times in predictions.items() if not times]
    outside = [id for id, times in predictions.items() if any(not 0 <= time <= truth[id].duration for time in times)]
    assert empty
    assert outside
    for share in (0.05, 0.1, 0.5):
        metric = f"boundary_f1(max, {share}, trials=1)"
        result = kataribe.evaluate("boundaries", predictions, path, [metric])
        assert result[metric].value == pytest.approx(scorer(predictions, truth, share), abs=1e-15)
    assert {"missing", "empty", "outside-video"} <= {warning.id for warning in result.warnings}


def f1(annotators: Sequence[Sequence[float]], prediction: Sequence[float] | None, **options) -> float:
    """Of one video beside another in which nothing can go wrong."""
    truth = {
        "v": {"duration": 100.0, "annotators": annotators},
        "other": {"duration": 100.0, "annotators": [[50.0]] * len(annotators)},
    }
    predictions = {"other": [50.0]} | ({} if prediction is None else {"v": prediction})
    return kataribe.evaluate("boundaries", predictions, truth, ["boundary_f1"], **options)["boundary_f1"].value


@pytest.mark.parametrize("prediction", [[], None, [140.0, -3.0]], ids=["empty", "missing", "outside the video"])
def test_where_nothing_is_predicted_the_first_raters_boundaries_are_misses(prediction) -> None:
    assert f1([[20.0, 40.0], []], prediction) == pytest.approx(2 * 1 / (1 + 3))
    assert f1([[], [20.0, 40.0]], prediction) == 1


def test_an_empty_prediction_alone_is_not_perfect_because_one_rater_marked_nothing() -> None:
    truth = {"v": {"duration": 100.0, "annotators": [[20.0, 40.0], []]}}
    assert kataribe.evaluate("boundaries", {"v": []}, truth, ["boundary_f1"])["boundary_f1"].value == 0


def test_the_last_bit_chooses_between_raters_who_are_equally_good() -> None:
    """F1 is 6/11 with both raters; as 2rp / (r + p), in floating point, one of them is ahead by the last bit."""
    predicted = [10.0 * n for n in range(1, 8)]
    three_of_four = [10.0, 20.0, 30.0, 95.0]
    six_of_fifteen = [*predicted[:6], *(80.0 + n for n in range(9))]

    def harmonic(hits: int, true: int) -> float:
        recall, precision = hits / true, hits / len(predicted)
        return 2 * recall * precision / (recall + precision)

    assert harmonic(3, 4) != harmonic(6, 15)
    winner = (3, 4) if harmonic(3, 4) > harmonic(6, 15) else (6, 15)
    for raters in ([three_of_four, six_of_fifteen], [six_of_fifteen, three_of_four]):
        truth = {"v": {"duration": 100.0, "annotators": raters}}
        parts = kataribe.evaluate("boundaries", {"v": predicted}, truth, ["boundary_f1(max, 0.5s)"])
        assert parts["boundary_f1(max, 0.5s)"].parts["recall"] == winner[0] / winner[1]


def test_detections_outside_the_video_are_dropped_and_counted_with_their_confidences() -> None:
    truth = {"v": {"duration": 10.0, "fps": 10.0, "annotators": [[2.0, 5.0], [2.0]]}}
    scored = {"v": [[-1.0, 0.9], [2.0, 0.8], [5.0, 0.7], [10.5, 0.99]]}
    result = kataribe.evaluate("boundaries", scored, truth, ["boundary_f1", "boundary_ap", "frame_ap"])
    assert result["boundary_f1"].value == 1
    said = next(warning for warning in result.warnings if warning.id == "outside-video")
    assert said == "2 of 4 predicted boundaries lie outside their video and were dropped: 'v'"
    clean = kataribe.evaluate("boundaries", {"v": scored["v"][1:3]}, truth, ["boundary_ap", "frame_ap"])
    for metric in ("boundary_ap", "frame_ap"):
        assert result[metric].value == clean[metric].value


@pytest.mark.parametrize("metric", ["pk", "window_diff"])
def test_the_window_of_pk_and_window_diff_has_at_least_two_frames(metric: str) -> None:
    """Six frames with boundaries before frames 2 and 4, so that half a segment is one frame: k is 2 nevertheless.

    Truth within (0, 2), (1, 3), (2, 4), (3, 5): one boundary each. Predicted before frame 2 only: one, one, none, none.
    """
    truth = {"v": {"duration": 6.0, "fps": 1.0, "annotators": [[2.0, 4.0]]}}
    assert kataribe.evaluate("boundaries", {"v": [2.0]}, truth, [metric])[metric].value == 2 / 4
