"""Boundary kappa: what it promises of guessing, people and duplicates, on small corpora."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.boundaries.kappa import BoundaryKappa, other_videos
from kataribe.boundaries.players import human, once, random_entries, uniform_lists
from kataribe.boundaries.tolerance import Tolerance
from kataribe.core.errors import InputError, UsageError
from kataribe.core.ragged import Ragged

from .corpora import random_corpus, truth_of, videos_of

HITS, CHANCE_HITS = 1, 4


def score(metric: BoundaryKappa, videos):
    return metric.reduce(metric.rows(videos))


def corpus_of(videos: int, seed: int = 7):
    return videos_of(*random_corpus(np.random.default_rng(seed), videos))


def test_by_hand() -> None:
    """Three videos of ten seconds. Elsewhere, the first finds nothing, the others find each other's boundary."""
    truth = {"a": [[1.0]], "b": [[5.0, 9.0]], "c": [[5.2]]}
    videos = videos_of({"a": [1.0], "b": [5.0], "c": [3.0, 5.0]}, truth)
    metric = BoundaryKappa(tolerance=Tolerance("0.5s"), trials=1)
    found = score(metric, videos)
    # hits 3 of 4 predicted and 4 true; in the other two videos: a 0, b 1 of 2, c 1 of 2
    by_chance = 2 * 1 / (4 + 4)
    assert found.parts["f1"] == pytest.approx(6 / 8)
    assert found.parts["chance"] == pytest.approx(by_chance)
    assert found.value == pytest.approx((6 / 8 - by_chance) / (1 - by_chance))


def test_perfect_boundaries_score_one() -> None:
    marks = {id: lists[:1] for id, lists in random_corpus(np.random.default_rng(1), 20)[1].items()}
    assert score(BoundaryKappa(), videos_of({id: lists[0] for id, lists in marks.items()}, marks)).value == 1


@pytest.mark.parametrize("annotator", ["mean", "max", "confident", "majority"])
@pytest.mark.parametrize("count", [1, 2, 5, 9, 15])
def test_uniform_scores_zero_however_many(count: int, annotator) -> None:
    videos = corpus_of(30)
    entries = once(uniform_lists(videos.durations, np.full(len(videos), count)))
    assert BoundaryKappa(annotator).score_of(entries, videos).value == pytest.approx(0, abs=1e-9)


def test_uniform_scores_zero_where_durations_differ_and_the_tolerance_is_in_seconds() -> None:
    rng = np.random.default_rng(8)
    truth = {}
    for number in range(20):
        duration = float(rng.uniform(5, 60))
        marks = np.sort(rng.uniform(0, duration, 1 + int(duration / 5)))
        truth[f"v{number}"] = {"duration": duration, "annotators": [marks.tolist()]}
    uniform = {id: [video["duration"] * n / 5 for n in range(1, 5)] for id, video in truth.items()}
    (found,) = kataribe.evaluate("boundaries", uniform, truth, ["boundary_kappa(mean, 0.5s)"])
    assert found.value == pytest.approx(0, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 9))
def test_predictions_handed_round_find_on_the_whole_what_chance_expects(seed: int, size: int) -> None:
    """Every prediction is for every video once: what single rounds find above chance others find below it."""
    videos = corpus_of(size, seed)
    metric = BoundaryKappa()
    hits, chance = 0.0, 0.0
    for step in range(size):
        handed = once(videos.predictions[(np.arange(size) + step) % size])
        totals = metric.corpus_rows(handed, videos).sum(axis=0)
        hits, chance = hits + totals[HITS], chance + totals[CHANCE_HITS]
    assert hits == pytest.approx(chance, abs=1e-9)


@pytest.mark.parametrize("count", [1, 3, 9, 15])
def test_random_scores_zero_on_average(count: int) -> None:
    videos = corpus_of(25)
    drawn = random_entries(videos, np.full(len(videos), count), trials=200)
    metric = BoundaryKappa()
    values = [metric.score_of(drawn.keep(np.arange(trial, len(drawn), 200)), videos).value for trial in range(200)]
    assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(200)


def test_people_are_well_above_zero_and_fall_with_damage() -> None:
    videos = corpus_of(60)
    rng = np.random.default_rng(0)
    people = human(videos)
    metric = BoundaryKappa()

    def moved(size: float) -> float:
        lists = [np.sort(np.clip(times + rng.normal(0, size, len(times)), 0, 10)) for times in people.lists]
        return metric.score_of(replace(people, lists=Ragged.of(lists)), videos).value

    values = [metric.score_of(people, videos).value, moved(0.2), moved(0.5), moved(1.0)]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.4
    assert values[2] > 0.1


def test_a_boundary_found_twice_is_found_once() -> None:
    _, annotators = random_corpus(np.random.default_rng(2), 20)
    twice = {id: sorted(time for mark in lists[0] for time in (mark, mark)) for id, lists in annotators.items()}
    once_each = {id: lists[0] for id, lists in annotators.items()}
    values = [score(BoundaryKappa(), videos_of(lists, annotators)).value for lists in (once_each, twice)]
    assert values[1] < 0.7 * values[0]


def test_best_is_what_a_threshold_on_the_confidence_gives() -> None:
    rng = np.random.default_rng(3)
    _, annotators = random_corpus(rng, 30)
    sure = {id: [[time, 0.9] for time in lists[0]] for id, lists in annotators.items()}
    unsure = {id: [*marks, *([time, 0.1] for time in rng.uniform(0, 10, 6))] for id, marks in sure.items()}
    truth = truth_of(annotators)
    with_junk, without = (
        kataribe.evaluate("boundaries", system, truth, ["boundary_kappa"])["boundary_kappa"]
        for system in (unsure, sure)
    )
    assert with_junk.value < 0.6 * without.value
    assert with_junk.parts["best"] == pytest.approx(without.value)
    assert without.parts["best"] == without.value


def test_the_order_of_videos_plays_no_part_and_a_prediction_too_few_costs() -> None:
    _, annotators = random_corpus(np.random.default_rng(4), 12)
    near = {id: lists[0] for id, lists in annotators.items()}
    value = score(BoundaryKappa(others=3), videos_of(near, annotators)).value
    turned = {id: annotators[id] for id in reversed(annotators)}
    assert score(BoundaryKappa(others=3), videos_of(near, turned)).value == pytest.approx(value, abs=1e-12)
    fewer = near | {"v3": []}
    assert score(BoundaryKappa(others=3), videos_of(fewer, annotators)).value < value


def test_every_video_is_asked_equally_often() -> None:
    for most, expected in ((4, 4), (9, 9), (50, 9)):
        sources = other_videos(np.arange(10), 10, most)
        assert len(sources) == expected
        for source in sources:
            assert sorted(source) == list(range(10))
            assert not (source == np.arange(10)).any()
        assert len({tuple(source) for source in sources}) == expected


def test_one_video_has_no_others() -> None:
    with pytest.raises(InputError, match="at least two videos"):
        BoundaryKappa().facts(videos_of({"a": [1.0]}, {"a": [[1.0], [2.0]]}))
    with pytest.raises(UsageError, match="at least one other video"):
        BoundaryKappa(others=0)


def test_it_is_registered_with_an_interval_and_says_what_it_compared_with() -> None:
    predictions, annotators = random_corpus(np.random.default_rng(5), 12)
    result = kataribe.evaluate("boundaries", predictions, truth_of(annotators), ["boundary_kappa"], bootstrap=100)
    found = result["boundary_kappa"]
    assert found.interval is not None
    assert found.interval[0] <= found.value <= found.interval[1]
    assert "|others:32|edge:closed|" in found.signature
    assert list(found.parts) == ["f1", "chance", "best", "human", "uniform", "random"]
    assert set(found.items) == set(annotators)
