"""Every measure equals its naive version on random cases, and the truth scores 1."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.core import registry
from kataribe.grounding.items import Queries
from kataribe.grounding.join import join
from kataribe.grounding.predictions import read_predictions
from kataribe.grounding.several_people import read_references
from tests.grounding import naive

LENGTH = 60.0
IOUS = (0.1, 0.3, 0.5, 0.7)

# Whole seconds make IoUs of exactly a half common.
spans = st.tuples(st.integers(0, 59), st.integers(0, 59)).map(lambda s: (float(min(s)), float(max(s) + 1)))
moments = st.lists(st.tuples(spans, st.integers(0, 4).map(float)), max_size=12)
people = st.lists(st.lists(spans, min_size=1, max_size=4), min_size=1, max_size=3)
corpora = st.lists(st.tuples(people, moments), min_size=1, max_size=6)


def made(corpus: Any) -> Queries:
    references = [
        {"id": str(n), "video": f"v{n % 2}", "query": f"q{n}", "duration": LENGTH, "people": marked}
        for n, (marked, _) in enumerate(corpus)
    ]
    predictions = {str(n): [[*span, score] for span, score in offered] for n, (_, offered) in enumerate(corpus)}
    return join(read_predictions(predictions), read_references(references, {}), "zero")[0]


def system(spec: str, corpus: Any) -> np.ndarray:
    """The rows of the system alone: its qualities, without the leading 1."""
    metric = registry.parse(spec)
    rows = metric.rows(made(corpus))
    return rows[:, 1 : 1 + len(metric.thresholds)]  # type: ignore[attr-defined]


def lists(offered: Any, order: str) -> list[naive.Span]:
    return naive.ranked([span for span, _ in offered], [score for _, score in offered], order)


@settings(max_examples=60)
@given(
    corpora,
    st.sampled_from([1, 2, 5, 10]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["none", "0.5", "0.4", "m-0.05"]),
    st.sampled_from(["score", "later", "file"]),
)
def test_recall_is_that_of_a_plain_loop(corpus, n, is_strict, is_inclusive, suppress, order) -> None:
    edge, overlap = "more" if is_strict else "least", "inclusive" if is_inclusive else "seconds"
    found = system(f"moment_recall({n}, edge={edge}, overlap={overlap}, suppress={suppress}, order={order})", corpus)
    for row, (marked, offered) in zip(found, corpus, strict=True):
        for value, at in zip(row, IOUS, strict=True):
            threshold = None if suppress == "none" else at - 0.05 if suppress == "m-0.05" else float(suppress)
            options = {"is_strict": is_strict, "is_inclusive": is_inclusive, "suppress": threshold}
            hits = [naive.hit(lists(offered, order), truth, n, at, **options) for truth in marked]
            assert value == pytest.approx(np.mean(hits))


@settings(max_examples=60)
@given(corpora, st.booleans())
def test_mean_iou_is_that_of_a_plain_loop(corpus, is_inclusive) -> None:
    found = system(f"moment_iou(overlap={'inclusive' if is_inclusive else 'seconds'})", corpus)
    for row, (marked, offered) in zip(found, corpus, strict=True):
        first = lists(offered, "score")[:1]
        best = [
            max((naive.iou(span, true, is_inclusive=is_inclusive) for span in first for true in truth), default=0.0)
            for truth in marked
        ]
        assert row[0] == pytest.approx(np.mean(best))


@settings(max_examples=80)
@given(corpora, st.sampled_from([0, 3, 10]))
def test_average_precision_is_that_of_a_plain_loop(corpus, keep) -> None:
    found = system(f"moment_map(keep={keep})", corpus)
    for row, (marked, offered) in zip(found, corpus, strict=True):
        ordered = lists(offered[:keep] if keep else offered, "score")
        for value, at in zip(row, np.arange(0.5, 0.951, 0.05).round(2), strict=True):
            assert value == pytest.approx(np.mean([naive.average_precision(ordered, t, at) for t in marked]))


@settings(max_examples=40)
@given(corpora, st.sampled_from(["short", "middle", "long"]))
def test_by_length_true_spans_outside_the_range_are_not_there(corpus, length) -> None:
    low, high = {"short": (0, 10), "middle": (10, 30), "long": (30, 150)}[length]
    metric = registry.parse(f"moment_map(length={length})")
    rows = metric.rows(made(corpus))
    for row, (marked, offered) in zip(rows, corpus, strict=True):
        kept = [[span for span in truth if low < span[1] - span[0] <= high] for truth in marked]
        kept = [truth for truth in kept if truth]
        assert row[0] == bool(kept)
        if kept:
            values = [naive.average_precision(lists(offered, "score"), truth, 0.5) for truth in kept]
            assert row[1] == pytest.approx(np.mean(values))


@settings(max_examples=40)
@given(corpora)
def test_people_are_scored_against_each_other(corpus) -> None:
    metric = registry.parse("moment_recall(1)")
    columns = list(metric.columns)
    rows = metric.rows(made(corpus))
    at = columns.index("human.quality@0.5")
    for row, (marked, _) in zip(rows, corpus, strict=True):
        pairs = [naive.hit(one, other, 1, 0.5) for one, other in permutations(marked, 2)]
        assert row[columns.index("human.queries")] == bool(pairs)
        assert row[at] == pytest.approx(np.mean(pairs) if pairs else 0.0)


points = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=5, max_size=5)
rated = st.lists(st.tuples(points, st.lists(st.integers(-3, 3), min_size=1, max_size=7)), min_size=1, max_size=4)


def rated_queries(corpus: Any) -> Queries:
    """Five clips of ten seconds each query has been rated in, and scores for some, all or too many of them."""
    references = [
        {"id": str(n), "video": "v", "query": f"q{n}", "duration": 10, "windows": [[0, 4]]}
        | {"relevant_clip_ids": [0, 1, 2, 3, 4], "saliency_scores": [list(row) for row in ratings]}
        for n, (ratings, _) in enumerate(corpus)
    ]
    predictions = {str(n): {"saliency": list(map(float, scores))} for n, (_, scores) in enumerate(corpus)}
    return join(read_predictions(predictions), read_references(references, {}), "zero")[0]


@settings(max_examples=60)
@given(rated, st.sampled_from([("fair", 2), ("good", 3), ("very_good", 4)]))
def test_highlights_are_those_of_a_plain_loop(corpus, level) -> None:
    name, lowest = level
    items = rated_queries(corpus)
    found = {measure: registry.parse(f"highlight_{measure}({name})").rows(items)[:, 1] for measure in ("map", "hit")}
    for row, (ratings, scores) in enumerate(corpus):
        padded = (scores + [0] * 5)[:5]
        each = [
            naive.highlight_average_precision(padded, [points[rater] >= lowest for points in ratings])
            for rater in range(3)
        ]
        assert found["map"][row] == pytest.approx(np.mean(each))
        best = int(np.argmax(scores))
        assert found["hit"][row] == (best < 5 and max(ratings[best]) >= lowest)


def test_truth_as_prediction_scores_one_everywhere() -> None:
    references = [
        {"id": str(n), "video": f"v{n % 3}", "query": f"q{n}", "duration": 100}
        # Both of one length: a span of another would be a wrong prediction by length.
        | {"windows": [[n, n + 5 + 3 * n], [60, 65 + 3 * n]]}
        | {"relevant_clip_ids": [n], "saliency_scores": [[4, 4, 4]], "shots": [f"v{n % 3}_{n}"]}
        for n in range(12)
    ]
    predictions = {
        entry["id"]: {
            "windows": [[*span, 1.0] for span in entry["windows"]],
            "saliency": [float(clip == n) for clip in range(50)],
            "shots": entry["shots"],
        }
        for n, entry in enumerate(references)
    }
    for protocol in ("clean", "2dtan", "ianet", "movie101", "qvhighlights"):
        result = kataribe.evaluate("grounding", predictions, references, protocol=protocol)
        assert {metric.metric: metric.value for metric in result} == dict.fromkeys(result.metrics, pytest.approx(1.0))


def test_shots_count_film_by_film_and_chance_is_exact() -> None:
    references = [
        {"id": f"{film}{n}", "video": film, "query": f"q{n}", "shots": [f"{film}_{n}"]}
        for film, count in (("a", 4), ("b", 1))
        for n in range(count)
    ]
    predictions = {"a0": {"shots": ["a_0"]}, "a1": {"shots": ["a_0", "a_1"]}, "b0": {"shots": ["b_0"]}}
    result = kataribe.evaluate("grounding", predictions, references, ["shot_recall(1)", "shot_recall(2)"])
    assert result["shot_recall(1)"].value == pytest.approx((1 / 4 + 1) / 2)
    assert result["shot_recall(2)"].value == pytest.approx((2 / 4 + 1) / 2)
    # One of four shots, tried twice: a half. The other film has one shot, which is always found.
    assert result["shot_recall(2)"].parts["random"] == pytest.approx((1 / 2 + 1) / 2)


def test_the_floor_of_random_spans_is_what_drawing_gives() -> None:
    """Two even draws from a video: the chance to overlap its middle half by half can be integrated."""
    references = [
        {"id": str(n), "video": str(n), "query": "q", "duration": 8, "windows": [[2, 6]]} for n in range(2000)
    ]
    result = kataribe.evaluate("grounding", {"0": [[0, 1]]}, references, ["moment_recall(1, iou=0.5)"])
    grid = (np.arange(800) + 0.5) / 100
    start, end = np.meshgrid(grid, grid, indexing="ij")
    lower, upper = np.minimum(start, end), np.maximum(start, end)
    shared = np.clip(np.minimum(upper, 6) - np.maximum(lower, 2), 0, None)
    chance = np.mean(shared / (np.maximum(upper, 6) - np.minimum(lower, 2)) >= 0.5)
    assert result["moment_recall(1, iou=0.5)"].parts["random"] == pytest.approx(chance, abs=0.01)
