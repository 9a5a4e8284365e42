from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.types import Caption, Segment, Story
from kataribe.formats.storytable import StoryTable
from kataribe.stories.alignment import align, shares
from kataribe.stories.items import Stories
from kataribe.stories.join import join
from kataribe.stories.overlaps import overlap_pairs

# The table that the SODA slides fill step by step.
SLIDES = np.array([[0.7, 0.6, 0.0, 0.0], [0.0, 0.5, 0.6, 0.0], [0.0, 0.0, 0.05, 0.9]])


def stories_of(rows: int, columns: int) -> Stories:
    """One video whose captions are in time order on both sides."""

    def told(count: int, word: str) -> Story:
        return Story("v", None, tuple(Caption(Segment(k, k + 1), f"{word}{k}") for k in range(count)))

    items, _, _ = join(StoryTable.of([told(columns, "p")]), [StoryTable.of([told(rows, "g")])], None, seed=0)
    return items


def aligned(costs: np.ndarray, **options: bool):
    items = stories_of(*costs.shape)
    return align(items, items.reference_stories(pooled=True, order="sorted"), costs.ravel(), **options)


def pairs_of(costs: np.ndarray, **options: bool) -> list[tuple[int, int]]:
    found = aligned(costs, **options)
    return list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))


def test_the_slides_worked_example():
    found = aligned(SLIDES)
    assert found.best[0] == pytest.approx(2.2)
    assert list(zip(found.rows, found.columns, strict=True)) == [(0, 0), (1, 2), (2, 3)]
    result = shares(found.best, np.array([4]), np.array([3]))
    assert result.precision[0] == pytest.approx(0.55)
    assert result.recall[0] == pytest.approx(0.7333, abs=5e-5)
    assert result.f1[0] == pytest.approx(0.6286, abs=5e-5)


def test_the_first_papers_optimum():
    """Its figure is not in the text; its optimum, 2.1, and its pairs (g2, p1), (g3, p2), (g4, p4) are."""
    costs = np.array([[0.2, 0.0, 0.0, 0.0], [0.6, 0.3, 0.0, 0.0], [0.1, 0.7, 0.5, 0.0], [0.0, 0.0, 0.4, 0.8]])
    found = aligned(costs)
    assert found.best[0] == pytest.approx(2.1)
    assert list(zip(found.rows, found.columns, strict=True)) == [(1, 0), (2, 1), (3, 3)]


def test_the_slides_pairs_of_the_activitynet_scorer():
    items = stories_of(3, 4)
    pairs = overlap_pairs(items, SLIDES.ravel(), (0.5,), None, plain=False)
    texts = items.pool.texts
    said = [(texts[g], texts[p]) for p, g in zip(pairs.candidates, pairs.references, strict=True)]
    assert sorted(said) == [("g0", "p0"), ("g0", "p1"), ("g1", "p1"), ("g1", "p2"), ("g2", "p3")]


def brute_force(costs: np.ndarray) -> float:
    rows, columns = costs.shape
    return max(
        sum(costs[i, j] for i, j in zip(chosen_rows, chosen_columns, strict=True))
        for size in range(min(rows, columns) + 1)
        for chosen_rows in combinations(range(rows), size)
        for chosen_columns in combinations(range(columns), size)
    )


@cache
def costs_strategy():
    sizes = st.tuples(st.integers(1, 4), st.integers(1, 5))
    cell = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0, -0.3])
    return sizes.flatmap(
        lambda size: st.lists(cell, min_size=size[0] * size[1], max_size=size[0] * size[1]).map(
            lambda cells: np.array(cells).reshape(size)
        )
    )


@given(costs_strategy())
def test_the_table_equals_brute_force(costs):
    found = aligned(costs)
    assert found.best[0] == pytest.approx(brute_force(costs))
    assert costs.ravel()[found.cells.values].sum() == pytest.approx(found.best[0])


@given(costs_strategy())
def test_alignments_are_ordered_and_one_to_one(costs):
    for tool_pairs in (False, True):
        found = aligned(np.maximum(costs, 0), tool_pairs=tool_pairs)
        assert (np.diff(found.rows) > 0).all()
        assert (np.diff(found.columns) > 0).all()


def test_only_pairs_that_raise_the_sum_are_made():
    assert len(aligned(np.zeros((2, 3))).rows) == 0


def test_of_equal_predictions_the_first_is_paired():
    assert aligned(np.array([[0.5, 0.5]])).columns.tolist() == [0]


def test_the_tool_pairs_the_first_captions_when_both_are_still_free():
    assert pairs_of(np.zeros((2, 3)), tool_pairs=True) == [(0, 0)]
    assert pairs_of(np.array([[0.0, 0.4], [0.0, 0.0]]), tool_pairs=True) == [(0, 1)]
    # The second reference takes the first prediction: none is left for the first reference.
    assert pairs_of(np.array([[0.0], [0.4]]), tool_pairs=True) == [(1, 0)]


def test_the_tool_lets_a_reference_take_what_the_best_alignment_gives_to_another():
    """The second reference is not on the best path, but at its cell pairing would be the best way to get there."""
    costs = np.array([[0.0, 0.6], [0.3, 0.0]])
    assert pairs_of(costs) == [(0, 1)]
    assert pairs_of(costs, tool_pairs=True) == [(1, 0)]
    # A cell that only draws level with leaving a caption out is not strictly the best.
    assert pairs_of(np.array([[0.5, 0.75], [0.0, 0.25]]), tool_pairs=True) == [(0, 1)]


def naive_tool_pairs(costs: np.ndarray) -> list[tuple[int, int]]:
    """The rule of the module soda, word for word."""
    rows, columns = costs.shape
    sums = np.zeros((rows + 1, columns + 1))
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            sums[i, j] = max(sums[i - 1, j], sums[i - 1, j - 1] + costs[i - 1, j - 1], sums[i, j - 1])
    pairs: list[tuple[int, int]] = []
    free = columns
    for i in range(rows, 0, -1):
        for j in range(free, 0, -1):
            paired = sums[i - 1, j - 1] + costs[i - 1, j - 1]
            if (i, j) == (1, 1) or (paired > sums[i - 1, j] and paired > sums[i, j - 1]):
                pairs.append((i - 1, j - 1))
                free = j - 1
                break
    return pairs[::-1]


@given(costs_strategy())
def test_the_tools_pairs_follow_its_rule(costs):
    costs = np.maximum(costs, 0)
    assert pairs_of(costs, tool_pairs=True) == naive_tool_pairs(costs)


def test_many_videos_of_many_sizes_are_aligned_in_one_call():
    rng = np.random.default_rng(0)
    sizes = [(int(g), int(p)) for g, p in zip(rng.integers(1, 9, 50), rng.integers(0, 9, 50), strict=True)]
    tables = [rng.random(size) for size in sizes]

    def told(counts: list[int]) -> StoryTable:
        return StoryTable.of(
            Story(f"v{v}", None, tuple(Caption(Segment(k, k + 1), "x") for k in range(count)))
            for v, count in enumerate(counts)
        )

    items, _, _ = join(told([p for _, p in sizes]), [told([g for g, _ in sizes])], None, seed=0)
    stories = items.reference_stories(pooled=True, order="sorted")
    found = align(items, stories, np.concatenate([table.ravel() for table in tables]))
    expected = [aligned(table).best[0] if table.size else 0.0 for table in tables]
    assert found.best == pytest.approx(expected)
