"""On the 2,000 videos of Kinetics-GEBD minval: the figures of an independent evaluator, and the paper's findings."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from kataribe.boundaries.boundary_ap import BoundaryAP
from kataribe.boundaries.chance import ChanceF1
from kataribe.boundaries.f1 import BoundaryF1
from kataribe.boundaries.files import read_truth
from kataribe.boundaries.frame_ap import FrameAP
from kataribe.boundaries.informedness import Informedness
from kataribe.boundaries.items import Videos
from kataribe.boundaries.join import annotated_videos
from kataribe.boundaries.kappa import BoundaryKappa
from kataribe.boundaries.players import Entries, human, once, random_entries, uniform_lists
from kataribe.boundaries.tolerance import Tolerance
from kataribe.core.ragged import Ragged

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def videos(data_folder: Path) -> Videos:
    truth = read_truth(next((data_folder / "kinetics-gebd").glob("*.pkl")))
    assert len(truth) == 2000
    return annotated_videos(truth, min_consistency=0.3)


@pytest.fixture(scope="module")
def uniform_9(videos: Videos) -> Videos:
    return replace(videos, predictions=uniform_lists(videos.durations, np.full(len(videos), 9)))


def test_the_published_filter_skips_36_videos(videos: Videos) -> None:
    assert len(videos) == 1964


@pytest.mark.parametrize(
    ("metric", "human_score", "uniform_score", "random_score"),
    [
        (BoundaryF1("max"), 0.8125, 0.743, 0.541),
        (BoundaryF1("confident"), 0.7167, 0.626, 0.414),
        (FrameAP(), 0.696, 0.483, 0.463),
        (Informedness(), 0.448, 0.087, 0.013),
    ],
    ids=str,
)
def test_measured_figures(uniform_9: Videos, metric, human_score, uniform_score, random_score) -> None:
    parts = metric.reduce(metric.rows(uniform_9)).parts
    assert parts["human"] == pytest.approx(human_score, abs=0.002)
    assert parts["uniform"] == pytest.approx(uniform_score, abs=0.002)
    assert parts["random"] == pytest.approx(random_score, abs=0.005)


def test_uniform_peaks_at_nine(videos: Videos) -> None:
    metric = BoundaryF1()
    by_count = {
        count: metric.score_of(once(uniform_lists(videos.durations, np.full(len(videos), count))), videos).value
        for count in range(1, 16)
    }
    measured = {1: 0.304, 3: 0.539, 5: 0.661, 7: 0.719, 9: 0.743, 10: 0.723, 12: 0.671, 15: 0.581}
    assert {count: round(by_count[count], 3) for count in measured} == measured
    assert max(by_count, key=by_count.__getitem__) == 9


def test_skipping_missing_videos_would_lift_uniform(videos: Videos) -> None:
    """Half the predictions missing: misses cost what skipping would hide."""
    half = uniform_lists(videos.durations, np.where(np.arange(len(videos)) % 2, 9, 0))
    assert BoundaryF1().score_of(once(half), videos).value == pytest.approx(0.563, abs=0.01)


def degraded(videos: Videos, damage: str, size: float) -> Entries:
    rng = np.random.default_rng(1)
    people = human(videos)
    lists = []
    for times, duration in zip(people.lists, videos.durations[people.video], strict=True):
        if damage == "jitter":
            times = np.clip(times + rng.normal(0, size * duration, len(times)), 0, duration)
        elif damage == "drop":
            times = times[rng.random(len(times)) >= size]
        else:
            times = np.append(times, rng.uniform(0, duration, int(size)))
        lists.append(np.sort(times))
    return replace(people, lists=Ragged.of(lists))


@pytest.mark.parametrize("annotator", ["max", "confident"])
def test_the_chance_corrected_measure_does_its_job(videos: Videos, annotator) -> None:
    metric = ChanceF1(annotator)
    person = metric.lift(human(videos), videos)
    for count in (1, 2, 4, 6, 9, 12, 15):
        counts = np.full(len(videos), count)
        assert metric.lift(once(uniform_lists(videos.durations, counts)), videos) <= 1e-9
        drawn = random_entries(videos, counts, trials=8)
        trials = [drawn.keep(np.arange(trial, len(drawn), 8)) for trial in range(8)]
        assert np.mean([metric.lift(trial, videos) for trial in trials]) <= 0
    for damage, sizes in {
        "jitter": (0.01, 0.02, 0.05, 0.1, 0.2),
        "drop": (0.1, 0.25, 0.5, 0.75, 0.9),
        "add": (1, 2, 4, 8, 12),
    }.items():
        shares = [metric.lift(degraded(videos, damage, size), videos) / person for size in sizes]
        assert all(1 > one > other > 0 for one, other in pairwise(shares)), (damage, shares)


def test_the_obvious_null_fails_as_documented(videos: Videos) -> None:
    metric = ChanceF1(null="uniform")
    assert metric.lift(degraded(videos, "add", 4), videos) < 0
    random_null = ChanceF1(null="random", draws=1)
    uniform = once(uniform_lists(videos.durations, np.full(len(videos), 9)))
    assert random_null.lift(uniform, videos) / random_null.lift(human(videos), videos) > 0.6


@pytest.mark.parametrize("annotator", ["mean", "max"])
def test_guessing_cannot_raise_boundary_kappa(videos: Videos, annotator) -> None:
    """Uniform 0 for every number of boundaries, Random near 0, people and damaged people in order."""
    metric = BoundaryKappa(annotator)
    for count in range(1, 16):
        counts = np.full(len(videos), count)
        # A boundary at exactly d may round to either side once it is stretched to another duration.
        assert abs(metric.score_of(once(uniform_lists(videos.durations, counts)), videos).value) < 1e-4
        assert abs(metric.score_of(random_entries(videos, counts, 4), videos).value) < 0.006
    person = metric.score_of(human(videos), videos).value
    assert person == pytest.approx({"mean": 0.401, "max": 0.562}[annotator], abs=0.001)
    for damage, sizes in {"jitter": (0.01, 0.02, 0.05, 0.1, 0.2), "drop": (0.1, 0.5, 0.9), "add": (1, 4, 12)}.items():
        values = [metric.score_of(degraded(videos, damage, size), videos).value for size in sizes]
        assert all(person > one > other > 0.03 for one, other in pairwise(values)), (damage, values)


def test_boundary_ap_grows_with_the_number_of_guesses_as_documented(videos: Videos) -> None:
    metric = BoundaryAP("mean", Tolerance("0.05"))
    values = {
        count: round(
            metric.score_of(once(uniform_lists(videos.durations, np.full(len(videos), count))), videos).value, 3
        )
        for count in (1, 5, 9)
    }
    assert values == {1: 0.047, 5: 0.227, 9: 0.414}
    assert metric.score_of(human(videos), videos).value == pytest.approx(0.429, abs=0.0005)
