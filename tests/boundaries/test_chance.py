"""Windows, chance and what the chance-corrected measure promises, on masks and small corpora."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.boundaries.chance import ChanceF1
from kataribe.boundaries.f1 import BoundaryF1
from kataribe.boundaries.informedness import Informedness, window_rates
from kataribe.boundaries.players import once, uniform_lists
from kataribe.boundaries.tolerance import Tolerance
from kataribe.core.errors import InputError

from .corpora import random_corpus, truth_of, videos_of


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=400))
def test_equations_8_and_9_hold_on_any_masks_with_all_four_kinds_of_frames(frames) -> None:
    """With an empty column the rates of equations (6) and (7) do not exist, so that all four are put in."""
    masks = np.array([*frames, (True, True), (True, False), (False, True), (False, False)])
    predicted, true = masks.T
    counts = (float(n) for n in ((predicted & true).sum(), predicted.sum(), true.sum(), len(masks)))
    rates = window_rates(*map(np.array, counts))
    by_8 = rates["markedness"] * (1 - rates["bias"]) + rates["prevalence"]
    by_9 = rates["informedness"] * (1 - rates["prevalence"]) + rates["bias"]
    assert rates["precision"] == pytest.approx(by_8, abs=1e-12)
    assert rates["recall"] == pytest.approx(by_9, abs=1e-12)


@pytest.mark.parametrize("count", range(1, 10))
def test_uniform_has_the_bias_2dm_over_t_while_windows_do_not_overlap(count: int) -> None:
    """On a long video, where one frame more or less at a window's edge does not show."""
    times = uniform_lists(np.array([1000.0]), np.array([count])).values
    videos = videos_of({"v": times.tolist()}, {"v": [[500.0]]}, duration=1000.0)
    metric = Informedness(tolerance=Tolerance("0.05"), trials=1)
    assert metric.reduce(metric.stats(videos, None)).parts["bias"] == pytest.approx(0.1 * count, abs=1e-3)


def test_windows_by_hand() -> None:
    """A window of 30 frames each side: 61 frames, clipped at the video's start."""
    videos = videos_of({"v": [0.5, 5.0]}, {"v": [[5.0], [5.0]]})
    metric = Informedness("mean", Tolerance("1s"), trials=1)
    parts = metric.reduce(metric.stats(videos, None)).parts
    assert parts["bias"] == pytest.approx((46 + 61) / 300)
    assert parts["prevalence"] == pytest.approx(61 / 300)
    assert parts["recall"] == 1


def corpus(videos: int = 60):
    return random_corpus(np.random.default_rng(7), videos)


@pytest.mark.parametrize("count", [1, 5, 9, 15])
def test_uniform_scores_exactly_zero(count: int) -> None:
    _, annotators = corpus()
    videos = videos_of({id: [10 * n / (count + 1) for n in range(1, count + 1)] for id in annotators}, annotators)
    metric = ChanceF1()
    assert metric.reduce(metric.rows(videos)).value == pytest.approx(0, abs=1e-12)


def test_a_prediction_made_from_the_annotators_is_near_a_person_and_one_for_other_videos_near_nothing() -> None:
    _, annotators = corpus()
    rotated = dict(zip(annotators, [*list(annotators.values())[1:], next(iter(annotators.values()))], strict=True))
    metric = ChanceF1("mean")
    values = []
    for source in (annotators, rotated):
        videos = videos_of({id: lists[0] for id, lists in source.items()}, annotators)
        values.append(metric.reduce(metric.rows(videos)).value)
    assert values[0] > 0.9
    assert values[1] < 0.1


def test_people_score_one_by_construction() -> None:
    from kataribe.boundaries.players import human

    predictions, annotators = corpus()
    videos = videos_of(predictions, annotators)
    metric = ChanceF1()
    assert metric.lift(human(videos), videos) > 0
    assert metric.lift(once(videos.predictions), videos) < metric.lift(human(videos), videos)


def test_one_video_or_one_annotator_is_refused() -> None:
    with pytest.raises(InputError, match="two videos"):
        ChanceF1().facts(videos_of({"a": [1.0]}, {"a": [[1.0], [2.0]]}))
    with pytest.raises(InputError, match="two annotators"):
        ChanceF1().facts(videos_of({"a": [1.0]}, {"a": [[1.0]], "b": [[2.0]]}))


def test_the_null_depends_on_the_seed_alone() -> None:
    predictions, annotators = corpus()
    videos = videos_of(predictions, annotators)
    metric = ChanceF1()
    tables = [metric.rows(replace(videos, seed=seed)) for seed in (1, 1, 2)]
    values = [metric.reduce(table).value for table in tables]
    assert values[0] == values[1] != values[2]


def test_system_null_and_people_are_compared_with_the_same_annotators() -> None:
    """Two annotators, of whom the system copies the first: it is compared with itself once, with the other once.

    So its F1 lies half way between perfect and what people have. Against both at once it would be perfect.
    """
    _, annotators = corpus()
    pairs = {id: lists[:2] for id, lists in annotators.items()}
    videos = videos_of({id: lists[0] for id, lists in pairs.items()}, pairs)
    assert BoundaryF1("max").score_of(once(videos.predictions), videos).value == 1
    metric = ChanceF1("max", matching="optimal")
    parts = metric.reduce(metric.rows(videos)).parts
    first, second = (np.array([len(lists[place]) for lists in pairs.values()]).sum() for place in (0, 1))
    hits = parts["human"] * (first + second) / 2
    assert parts["system"] == pytest.approx(2 * (first + hits) / (2 * first + first + second))


def test_videos_with_one_annotator_say_nothing_about_people_and_nothing_about_the_system() -> None:
    _, annotators = corpus()
    predictions = {id: lists[0] for id, lists in annotators.items()}
    metric = ChanceF1("max")
    more = videos_of(predictions | {"alone": [1.0, 9.0]}, annotators | {"alone": [[5.0]]})
    fewer = videos_of(predictions, annotators)
    with_it, without_it = (metric.reduce(metric.rows(videos)).parts for videos in (more, fewer))
    assert with_it["system"] == without_it["system"]
    assert with_it["human"] == without_it["human"]


def test_the_system_beside_people_meets_as_many_annotators_as_they_do() -> None:
    """Under max the score itself may choose among one more; its part `system` may not."""
    predictions, annotators = corpus()
    result = kataribe.evaluate("boundaries", predictions, truth_of(annotators), ["boundary_f1", "chance_f1"])
    parts = result["boundary_f1"].parts
    assert parts["system"] < result["boundary_f1"].value
    assert parts["system"] == pytest.approx(result["chance_f1"].parts["system"])
    assert parts["human"] == pytest.approx(result["chance_f1"].parts["human"])
    mean = kataribe.evaluate("boundaries", predictions, truth_of(annotators), ["boundary_f1(mean)"])
    assert "system" not in mean["boundary_f1(mean)"].parts
