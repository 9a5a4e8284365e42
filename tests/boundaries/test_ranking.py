"""Average precision: by hand, beside a plain re-computation, and draws of the bootstrap beside real ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe import _native
from kataribe.boundaries.boundary_ap import BoundaryAP
from kataribe.boundaries.files import read_predictions, read_truth
from kataribe.boundaries.frame_ap import FrameAP
from kataribe.boundaries.join import join
from kataribe.boundaries.players import once, random_entries
from kataribe.boundaries.ranking import average_precision
from kataribe.boundaries.tolerance import Tolerance
from kataribe.core import registry
from kataribe.core.comparison import compare

from .corpora import random_corpus, truth_of, videos_of


def by_thresholds(score: np.ndarray, correct: np.ndarray, positives: float) -> float:
    area, recall_before = 0.0, 0.0
    for threshold in sorted(set(score.tolist()), reverse=True):
        chosen = score >= threshold
        recall = correct[chosen].sum() / positives
        area += (recall - recall_before) * correct[chosen].mean()
        recall_before = recall
    return area


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=40))
def test_average_precision_is_the_area_by_thresholds(entries) -> None:
    score, correct = np.array([s for s, _ in entries], dtype=float), np.array([c for _, c in entries], dtype=float)
    if correct.sum():
        expected = by_thresholds(score, correct, correct.sum())
        assert average_precision(score, correct, correct.sum()) == pytest.approx(expected, abs=1e-12)


def reduce(metric, videos):
    return metric.reduce(metric.rows(videos))


def with_scores(predictions, truth):
    return join(read_predictions(predictions), read_truth(truth), "zero", "seconds", 0.0)[0]


def test_boundary_ap_ranks_and_punishes_duplicates() -> None:
    truth = truth_of({"v": [[2.0, 8.0]]})
    metric = BoundaryAP(tolerance=Tolerance("0.5s"), trials=1)
    good = with_scores({"v": [[2.0, 0.9], [8.0, 0.8], [5.0, 0.1]]}, truth)
    late = with_scores({"v": [[2.0, 0.9], [8.0, 0.1], [5.0, 0.8]]}, truth)
    twice = with_scores({"v": [[2.0, 0.9], [2.1, 0.8], [8.0, 0.7]]}, truth)
    assert reduce(metric, good).value == 1
    assert reduce(metric, late).value == pytest.approx((1 + 2 / 3) / 2)
    assert reduce(metric, twice).value == pytest.approx((1 + 2 / 3) / 2)


def test_boundary_ap_without_confidence_is_precision_times_recall() -> None:
    videos = videos_of({"v": [2.0, 5.0]}, {"v": [[2.0, 8.0, 9.5]]})
    assert reduce(BoundaryAP(tolerance=Tolerance("0.05"), trials=1), videos).value == pytest.approx(1 / 2 * 1 / 3)


def test_frame_ap_of_probabilities_is_their_own_ranking() -> None:
    truth = truth_of({"v": [[5.0]]}, duration=10.0, fps=10.0)
    curve = np.zeros(100)
    curve[45:56] = 1.0
    videos = with_scores({"v": {"probabilities": curve.tolist()}}, truth)
    found = reduce(FrameAP("mean", Tolerance("0.5s"), trials=1), videos)
    assert found.value == 1
    assert found.parts["prevalence"] == pytest.approx(0.11)
    upside_down = with_scores({"v": {"probabilities": (1 - curve).tolist()}}, truth)
    assert reduce(FrameAP("mean", Tolerance("0.5s"), trials=1), upside_down).value == pytest.approx(0.11)


def test_pooled_ap_equals_one_ranking_of_all_frames() -> None:
    predictions, annotators = random_corpus(np.random.default_rng(3), 5)
    videos = videos_of(predictions, annotators)
    metric = FrameAP("mean", trials=1)
    instances = metric.instances("system", once(videos.predictions), videos, metric.tolerance.distances[0])
    expected = by_thresholds(instances.score, instances.correct, instances.positives.sum())
    assert reduce(metric, videos).value == pytest.approx(expected, abs=1e-9)


Corpus = tuple[dict, dict]


def sparse_curves(rng: np.random.Generator, videos: int) -> Corpus:
    """Probabilities that are 0 on 99 of 100 frames, as a detector of cuts gives them."""
    predictions, truth = {}, {}
    for number in range(videos):
        marks = np.sort(rng.uniform(0, 60, rng.integers(1, 9)))
        truth[f"v{number}"] = {"duration": 60.0, "fps": 10.0, "annotators": [marks.tolist()]}
        curve = np.zeros(600)
        for mark in (*marks[rng.random(len(marks)) < 0.6], rng.uniform(0, 60)):
            curve[int(mark * 10) % 600] = rng.random()
        predictions[f"v{number}"] = {"probabilities": curve.tolist()}
    return predictions, truth


def dense_curves(rng: np.random.Generator, videos: int) -> Corpus:
    """A probability of its own for each of 600 frames."""
    predictions, truth = sparse_curves(rng, videos)
    for entry in predictions.values():
        curve = np.convolve(entry["probabilities"], np.hanning(31), "same") + rng.random(600) * 0.2
        entry["probabilities"] = (curve / 3).tolist()
    return predictions, truth


def lists_in_long_videos(rng: np.random.Generator, videos: int) -> Corpus:
    """Boundaries with confidences; far from all of them the density of frames is exactly 0."""
    predictions, truth = {}, {}
    for number in range(videos):
        marks = np.sort(rng.uniform(0, 600, rng.integers(1, 9)))
        truth[f"v{number}"] = {"duration": 600.0, "fps": 5.0, "annotators": [marks.tolist()]}
        found = np.sort(np.append(marks[rng.random(len(marks)) < 0.6] + 1.0, rng.uniform(0, 600, 2))).clip(0, 600)
        predictions[f"v{number}"] = [[time, rng.random()] for time in found]
    return predictions, truth


def table_of(metric, corpus: Corpus) -> np.ndarray:
    videos = with_scores(*corpus)
    return metric.rows(videos)


def drawn_again(corpus: Corpus, rows: np.ndarray) -> Corpus:
    """A corpus of the videos at these rows, some of them several times."""
    predictions, truth = corpus
    ids = list(truth)
    named = {f"draw {place}": ids[row] for place, row in enumerate(rows)}
    return {name: predictions[id] for name, id in named.items()}, {name: truth[id] for name, id in named.items()}


def real_and_computed_draws(metric, corpus: Corpus, rng: np.random.Generator, draws: int) -> tuple[np.ndarray, ...]:
    size = len(corpus[1])
    rows = rng.integers(0, size, (draws, size))
    real = [metric.reduce(table_of(metric, drawn_again(corpus, chosen))).value for chosen in rows]
    weights = np.stack([np.bincount(chosen, minlength=size) for chosen in rows])
    return np.array(real), metric.replicates(table_of(metric, corpus), weights)


@pytest.mark.parametrize(
    ("metric", "make"),
    [
        (FrameAP(trials=1), sparse_curves),
        (BoundaryAP(trials=1), sparse_curves),
        (BoundaryAP(trials=1), lists_in_long_videos),
        (BoundaryAP("max", Tolerance("0.05+1s"), trials=1), lists_in_long_videos),
    ],
    ids=lambda case: getattr(case, "__name__", str(case)),
)
def test_draws_are_exact_where_videos_have_few_different_scores(metric, make) -> None:
    """Most frames tie at 0, and every draw equals a corpus of the drawn videos that is scored from scratch."""
    rng = np.random.default_rng(5)
    real, computed = real_and_computed_draws(metric, make(rng, 30), rng, 12)
    assert computed == pytest.approx(real, abs=1e-12)
    assert real.std() > 0.01


@pytest.mark.parametrize("make", [dense_curves, lists_in_long_videos])
def test_draws_are_near_where_every_frame_has_a_score_of_its_own(make) -> None:
    """Within a tenth of what draws vary by."""
    rng = np.random.default_rng(6)
    real, computed = real_and_computed_draws(FrameAP(trials=1), make(rng, 30), rng, 12)
    assert np.abs(computed - real).max() < 0.1 * real.std()


def test_the_interval_of_tied_frames_is_that_of_real_draws() -> None:
    rng = np.random.default_rng(7)
    corpus = sparse_curves(rng, 40)
    metric = FrameAP(tolerance=Tolerance("0.1s"), trials=1)
    real, _ = real_and_computed_draws(metric, corpus, rng, 150)
    (scored,) = kataribe.evaluate("boundaries", *corpus, [metric], bootstrap=1000)
    assert scored.interval == pytest.approx(np.quantile(real, [0.025, 0.975]), abs=0.01)


def test_swapping_two_systems_ranks_their_scores_together() -> None:
    """The paired test's swaps, each scored from scratch."""
    rng = np.random.default_rng(8)
    one, truth = sparse_curves(rng, 20)
    other = {id: {"probabilities": rng.permutation(entry["probabilities"]).tolist()} for id, entry in one.items()}
    metric = FrameAP(trials=1)
    stacked = np.concatenate([table_of(metric, (system, truth)) for system in (one, other)])
    for kept in rng.integers(0, 2, (5, 20)):
        weights = np.stack([np.append(kept, 1 - kept), np.append(1 - kept, kept)])
        computed = np.subtract(*metric.replicates(stacked, weights))
        mixed, rest = (
            {id: (one if keep == side else other)[id] for id, keep in zip(truth, kept, strict=True)} for side in (1, 0)
        )
        real = [metric.reduce(table_of(metric, (system, truth))).value for system in (mixed, rest)]
        assert computed == pytest.approx(real[0] - real[1], abs=1e-12)


def test_a_clear_difference_between_tied_systems_is_found() -> None:
    rng = np.random.default_rng(9)
    one, truth = sparse_curves(rng, 40)
    other = {id: {"probabilities": rng.permutation(entry["probabilities"]).tolist()} for id, entry in one.items()}
    results = {
        name: kataribe.evaluate("boundaries", system, truth, ["frame_ap(confident, 0.1s, trials=1)"])
        for name, system in (("sighted", one), ("blind", other))
    }
    (test,) = compare(results, replicates=400).tests
    assert test.difference > 0.05
    assert max(test.permutation, test.bootstrap) < 0.01


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 300), max_size=400), min_size=1, max_size=4), st.integers(4, 40))
def test_groups_are_few_and_never_split_equal_scores(lists, most: int) -> None:
    ranked = [sorted(map(float, scores), reverse=True) for scores in lists]
    offsets = np.cumsum([0, *map(len, ranked)])
    groups = _native.score_groups((np.array([score for scores in ranked for score in scores]), offsets), most)
    for scores, start in zip(ranked, offsets, strict=False):
        group_of: dict[float, set[int]] = {}
        for score, group in zip(scores, groups[start:].tolist(), strict=False):
            group_of.setdefault(score, set()).add(group)
        used = sorted(set().union(*group_of.values())) if group_of else []
        assert all(len(found) == 1 for found in group_of.values())
        assert used == list(range(len(used)))
        assert len(used) <= most
        assert len(used) == len(group_of) or len(group_of) > most


def test_a_score_that_most_frames_share_has_a_group_of_its_own() -> None:
    scores = np.concatenate([np.linspace(1, 0.1, 200), np.zeros(5000)])
    groups = _native.score_groups((scores, np.array([0, len(scores)])), 64)
    assert len(set(groups[scores == 0])) == 1
    assert groups[199] != groups[200]
    assert len(set(groups)) > 50


@pytest.mark.parametrize(("metric", "tolerances"), [(FrameAP(), 1), (BoundaryAP(), 10)], ids=str)
def test_what_a_video_costs_does_not_depend_on_its_length(metric, tolerances: int) -> None:
    """Four players with five shares each, and 64 groups: score, size, and what is correct at each tolerance."""
    assert len(metric.columns) == 4 * 5 * tolerances + 64 * (2 + tolerances)
    truth = {"duration": 3600.0, "fps": 25.0, "annotators": [[10.0, 1000.0]]}
    videos = with_scores({"v": [[float(time), time / 3600] for time in range(3600)]}, {"v": truth})
    assert metric.rows(videos).shape == (1, len(metric.columns))


def test_random_is_the_mean_of_single_draws() -> None:
    videos = videos_of(*random_corpus(np.random.default_rng(4), 8))
    metric = FrameAP(trials=3)
    values = []
    for trial in range(3):
        drawn = random_entries(videos, videos.predictions.counts, 3)
        values.append(metric.score_of(drawn.keep(np.arange(trial, len(drawn), 3)), videos).value)
    assert reduce(metric, videos).parts["random"] == pytest.approx(np.mean(values), abs=1e-12)


def test_the_paper_draws_a_hundred_times_and_is_strict() -> None:
    assert registry.parse("boundary_ap", protocol="paper") == BoundaryAP(trials=100, edge="open")
    assert registry.parse("frame_ap", protocol="paper") == FrameAP(trials=100)
