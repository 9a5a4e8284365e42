"""Vectors on one scale, windows in rows, candidates without repetitions, recall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.types import Segment
from kataribe.grounding.locators.batches import SUPPRESS, best_spans
from kataribe.grounding.locators.queries import named_portraits
from kataribe.grounding.locators.recall import Hits, over_seeds
from kataribe.grounding.locators.senses import Rows, Senses, stretched
from tests.grounding.locators.toys import toy_film


def rows(count: int) -> Rows:
    frames = np.arange(count, dtype=np.float32)[:, None]
    return Rows(np.arange(count, dtype=float), frames, np.zeros((count, 3, 2), np.float32), np.zeros((count, 3), bool))


def test_frames_have_mean_0_and_variance_1_on_each_axis() -> None:
    rng = np.random.default_rng(0)
    frames = rng.normal(size=(500, 6)).astype(np.float32) @ rng.normal(size=(6, 6)).astype(np.float32) + 3
    senses = Senses.of(
        frames, rng.normal(size=(9, 4)).astype(np.float32), rng.normal(size=(9, 3)).astype(np.float32), 4
    )
    seen = senses.frames(frames)
    assert seen.shape == (500, 4)
    np.testing.assert_allclose(seen.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(np.cov(seen.T, ddof=0), np.eye(4), atol=1e-3)
    again = Senses.of_tensors(senses.tensors)
    np.testing.assert_array_equal(again.frames(frames), seen)


def test_films_in_which_nobody_is_seen_have_senses() -> None:
    senses = Senses.of(np.eye(3, dtype=np.float32), np.zeros((0, 4), np.float32), np.eye(2, dtype=np.float32), 0)
    assert np.isfinite(senses.faces(np.zeros((1, 4), np.float32), np.ones(1, bool))).all()


@given(st.floats(0, 15), st.floats(0.5, 5))
def test_a_span_is_found_again_from_its_place_in_rows(start: float, length: float) -> None:
    film, span = rows(20), Segment(start, min(start + length, 20))
    found = film.span(*film.place(span))
    assert (found.start, found.end) == pytest.approx((span.start, span.end))


def test_every_second_row_has_steps_of_two_seconds() -> None:
    half = rows(20)[::2]
    assert half.step == 2
    assert half.place(Segment(4, 8)) == (2, 4)


@given(st.lists(st.floats(0.5, 2), min_size=3, max_size=3))
def test_a_warp_keeps_the_frames_of_the_moment_in_the_moment(factors: list[float]) -> None:
    warped, (start, end) = stretched(rows(60), (20.0, 40.0), factors)
    inside = warped.frames[round(start) + 1 : round(end) - 1, 0]
    assert len(inside) > 0
    assert (inside >= 19).all()
    assert (inside <= 40).all()
    assert abs(len(warped) - (20 * sum(factors))) <= 1


def test_only_roles_that_are_named_and_have_a_portrait_are_portrayed() -> None:
    film, _ = toy_film(0)
    assert named_portraits(film, "Chloe bows to Anna. Chloe leaves.") == [2, 0]
    assert named_portraits(film, "Somebody bows.") == []
    film.has_portrait[2] = False
    assert named_portraits(film, "Chloe bows to Anna.") == [0]


@given(st.lists(st.tuples(st.floats(0, 90), st.floats(0.1, 40), st.floats(0, 1)), min_size=1, max_size=30))
def test_kept_spans_do_not_repeat_each_other_and_the_surest_is_among_them(
    made: list[tuple[float, float, float]],
) -> None:
    spans = np.array([(start, start + length) for start, length, _ in made], dtype=np.float32)
    scores = np.array([score for *_, score in made], dtype=np.float32)
    found = best_spans(spans, scores, length=100)
    assert found[0][2] == pytest.approx(float(scores.max()))
    kept = [Segment(start, end) for start, end, _ in found]
    assert all(a.iou(b) <= SUPPRESS + 1e-6 for a in kept for b in kept if a is not b)


def test_truth_as_prediction_is_always_found_and_nothing_never() -> None:
    truth = [Segment(0, 5), Segment(7, 9)]
    assert set(Hits.of([[span] for span in truth], truth).means.values()) == {1.0}
    assert set(Hits.of([[], []], truth).means.values()) == {0.0}


def test_intervals_over_seeds_and_queries_hold_the_mean() -> None:
    rng = np.random.default_rng(0)
    found = over_seeds([(rng.random(80) < 0.4).astype(float) for _ in range(3)])
    assert found.interval[0] < found.value < found.interval[1]
    assert found.interval[1] - found.interval[0] < 0.35
