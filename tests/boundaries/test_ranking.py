"""Average precision: by hand, beside a plain re-computation, and the bootstrap's centre."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.boundaries.boundary_ap import BoundaryAP
from kataribe.boundaries.frame_ap import FrameAP
from kataribe.boundaries.join import join
from kataribe.boundaries.players import once
from kataribe.boundaries.ranking import average_precision
from kataribe.boundaries.tolerance import Tolerance
from kataribe.formats.boundaries import read_predictions, read_truth

from .corpora import random_corpus, truth_of, videos_of


def by_thresholds(score: np.ndarray, correct: np.ndarray, positives: float) -> float:
    area, recall_before = 0.0, 0.0
    for threshold in sorted(set(score.tolist()), reverse=True):
        chosen = score >= threshold
        recall = correct[chosen].sum() / positives
        area += (recall - recall_before) * correct[chosen].mean()
        recall_before = recall
    return area


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=40))
def test_average_precision_is_the_area_by_thresholds(entries) -> None:
    score, correct = np.array([s for s, _ in entries], dtype=float), np.array([c for _, c in entries], dtype=float)
    if correct.sum():
        expected = by_thresholds(score, correct, correct.sum())
        assert average_precision(score, correct, correct.sum()) == pytest.approx(expected, abs=1e-12)


def reduce(metric, videos):
    return metric.reduce(metric.stats(videos, metric.prepare(videos)))


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


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_replicates_are_centred_on_the_exact_value_and_near_a_true_resample(seed: int) -> None:
    predictions, annotators = random_corpus(np.random.default_rng(seed), 30)
    videos = videos_of(predictions, annotators)
    metric = FrameAP(trials=1)
    table = metric.stats(videos, metric.prepare(videos))
    unchanged, drawn = np.ones(len(videos)), np.random.default_rng(seed).integers(0, len(videos), len(videos))
    weights = np.stack([unchanged, np.bincount(drawn, minlength=len(videos))])
    first, second = metric.replicates(table, weights)
    assert first == pytest.approx(metric.reduce(table).value, abs=1e-12)
    ids = list(annotators)
    resampled = videos_of(
        {f"{place}": predictions[ids[row]] for place, row in enumerate(drawn)},
        {f"{place}": annotators[ids[row]] for place, row in enumerate(drawn)},
    )
    assert second == pytest.approx(reduce(metric, resampled).value, abs=0.02)
