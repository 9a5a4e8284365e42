"""F1: the paper's example, matching beside brute force, and what must not change it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.boundaries.comparison import compare
from kataribe.boundaries.f1 import BoundaryF1
from kataribe.boundaries.players import once
from kataribe.boundaries.tolerance import Distance, Tolerance
from kataribe.core import registry
from kataribe.core.errors import UsageError
from kataribe.core.types import Score

from .corpora import random_corpus, videos_of

times = st.lists(st.integers(0, 1000).map(lambda n: n / 100), max_size=7)


def score(metric: BoundaryF1, predictions, annotators, **shape) -> Score:
    videos = videos_of(predictions, annotators, **shape)
    return metric.reduce(metric.stats(videos, None))


def hits(predicted, true, tolerance: float, optimal: bool) -> int:
    videos = videos_of({"v": predicted}, {"v": [true]})
    comparison = compare(once(videos.predictions), videos, "mean", Distance(0.05))
    return int(comparison.hits(np.array([tolerance]), optimal=optimal)[0])


def test_the_papers_figure_2() -> None:
    """Four predictions, three true boundaries: one hit, one miss, two predictions on the last boundary."""
    found = score(BoundaryF1(tolerance=Tolerance("0.5s")), {"v": [2.2, 4.0, 7.8, 8.3]}, {"v": [[2.0, 5.0, 8.0]]})
    assert found.parts["recall"] == 2 / 3
    assert found.parts["precision"] == 1 / 2
    assert found.value == 4 / 7


@given(times, times, st.floats(0.01, 3))
def test_optimal_matching_equals_brute_force(predicted, true, tolerance: float) -> None:
    few, many = sorted([predicted, true], key=len)
    best = max(
        (
            sum(abs(a - b) <= tolerance for a, b in zip(few, order, strict=False))
            for order in permutations(many, len(few))
        ),
        default=0,
    )
    assert hits(predicted, true, tolerance, optimal=True) == best


def official_by_hand(predicted, true, tolerance: float) -> int:
    left = sorted(predicted)
    found = 0
    for boundary in sorted(true):
        near = min(left, key=lambda time: abs(time - boundary), default=None)
        if near is not None and abs(near - boundary) <= tolerance:
            left.remove(near)
            found += 1
    return found


@given(times, times, st.floats(0.01, 3))
def test_official_matching_is_what_its_description_says_and_never_beats_optimal(predicted, true, tolerance) -> None:
    official = hits(predicted, true, tolerance, optimal=False)
    assert official == official_by_hand(predicted, true, tolerance)
    assert official <= hits(predicted, true, tolerance, optimal=True)


def test_official_matching_can_lose_a_match_that_optimal_finds() -> None:
    predictions, annotators = {"v": [4.6, 5.4]}, {"v": [[5.0, 5.0 + 0.45]]}
    narrow = Tolerance("0.44s")
    assert score(BoundaryF1(tolerance=narrow, matching="optimal"), predictions, annotators).value == 1
    assert score(BoundaryF1(tolerance=narrow), {"v": [4.6, 5.35]}, annotators).value == 0.5


def test_the_edge_of_the_tolerance_is_right_or_wrong_by_option() -> None:
    closed, opened = (BoundaryF1(tolerance=Tolerance("0.5s"), edge=edge) for edge in ("closed", "open"))
    assert score(closed, {"v": [2.5]}, {"v": [[2.0]]}).value == 1
    assert score(opened, {"v": [2.5]}, {"v": [[2.0]]}).value == 0


def test_annotators_by_choice() -> None:
    annotators = {"v": [[2.0], [5.0, 8.0], [5.1, 8.1]]}
    predictions = {"v": [2.0]}
    assert score(BoundaryF1("max"), predictions, annotators).value == 1
    assert score(BoundaryF1("confident"), predictions, annotators).value == 0
    assert score(BoundaryF1("majority"), {"v": [5.05, 8.05]}, annotators).value == 1
    mean = score(BoundaryF1("mean"), predictions, annotators)
    assert mean.parts["precision"] == pytest.approx(1 / 3)
    assert mean.parts["recall"] == pytest.approx(1 / 5)


def test_stored_consistency_wins_over_recomputed() -> None:
    from kataribe import evaluate

    truth = {"v": {"duration": 10, "annotators": [[2.0], [5.0], [5.0]], "f1_consis": [0.9, 0.5, 0.5]}}
    result = evaluate("boundaries", {"v": [2.0]}, truth, ["boundary_f1(confident)"])
    assert result["boundary_f1(confident)"].value == 1
    assert "|consistency:stored|" in result["boundary_f1(confident)"].signature


def test_several_tolerances_are_averaged_and_listed() -> None:
    found = score(BoundaryF1(tolerance=Tolerance("0.1s+1s")), {"v": [2.5]}, {"v": [[2.0]]})
    assert (found.value, found.parts["@0.1s"], found.parts["@1s"]) == (0.5, 0, 1)


def test_micro_sums_counts_and_macro_averages_videos() -> None:
    predictions, annotators = {"a": [1.0], "b": [1.0, 3.0, 5.0, 7.0]}, {"a": [[1.0]], "b": [[9.0]]}
    assert score(BoundaryF1(), predictions, annotators).value == 2 / 7
    assert score(BoundaryF1(average="macro"), predictions, annotators).value == 1 / 2


def test_nothing_to_find_and_nothing_found_is_perfect_and_else_zero() -> None:
    assert score(BoundaryF1(), {"v": []}, {"v": [[]]}).value == 1
    assert score(BoundaryF1(), {"v": [1.0]}, {"v": [[]]}).value == 0
    assert score(BoundaryF1(), {"v": []}, {"v": [[1.0]]}).value == 0


@pytest.mark.parametrize("annotator", ["max", "confident", "mean", "majority"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.5, 2.0, 4.0]))
def test_invariances(annotator, seed: int, scale: float) -> None:
    """Powers of two scale floating point exactly, so that equality can be asked for."""
    predictions, annotators = random_corpus(np.random.default_rng(seed))
    metric = BoundaryF1(annotator, trials=1)
    first = score(metric, predictions, annotators)
    scaled = score(
        metric,
        {id: [scale * time for time in times] for id, times in predictions.items()},
        {id: [[scale * time for time in times] for times in lists] for id, lists in annotators.items()},
        duration=10.0 * scale,
    )
    backwards = score(metric, dict(reversed(predictions.items())), dict(reversed(annotators.items())))
    assert scaled.value == pytest.approx(first.value, abs=1e-12)
    assert backwards.value == pytest.approx(first.value, abs=1e-12)
    if annotator == "max":
        twice = {id: [*lists, *lists] for id, lists in annotators.items()}
        assert score(metric, predictions, twice).value == pytest.approx(first.value, abs=1e-12)


@given(times, times)
def test_shifting_both_sides_inside_the_video_changes_nothing_under_an_absolute_tolerance(predicted, true) -> None:
    metric = BoundaryF1(tolerance=Tolerance("0.5s"), trials=1)
    shifted = [[time + 16 for time in times] for times in (predicted, true)]
    here = score(metric, {"v": predicted}, {"v": [true]}, duration=32.0)
    there = score(metric, {"v": shifted[0]}, {"v": [shifted[1]]}, duration=32.0)
    assert there.value == pytest.approx(here.value, abs=1e-12)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=9))
def test_a_prediction_equal_to_an_annotator_is_perfect(times) -> None:
    assert score(BoundaryF1(), {"v": times}, {"v": [times, [0.0]]}).value == 1


@pytest.mark.parametrize(
    "text",
    [
        "boundary_f1",
        "boundary_f1(confident)",
        "boundary_f1(tolerance=mean)",
        "boundary_f1(mean, 0.5s+1s, average=macro)",
    ],
)
def test_metrics_print_as_they_parse(text: str) -> None:
    assert str(registry.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["boundary_f1(max, -0.1)", "boundary_f1(max, wide)", "boundary_f1(most)", "pk(trials=0)"]
)
def test_bad_options_are_usage_errors(text: str) -> None:
    with pytest.raises(UsageError):
        registry.parse(text)
