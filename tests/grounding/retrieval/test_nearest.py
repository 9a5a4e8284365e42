"""Exact search gives what sorting all scores gives, whatever the blocks; approximate search finds nearly all of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.grounding.retrieval.nearest import merged, nearest


@given(st.integers(0, 40), st.integers(1, 3), st.integers(1, 12), st.integers(1, 50), st.sampled_from(["f4", "f2"]))
def test_blocks_do_not_matter_and_ties_go_to_the_first(
    count: int, queries: int, top: int, block: int, dtype: str
) -> None:
    """Few different numbers, so that many scores are equal."""
    rng = np.random.default_rng(count)
    vectors = rng.integers(-2, 3, size=(count, 3)).astype(dtype)
    asked = rng.integers(-2, 3, size=(queries, 3)).astype(np.float32)
    found = nearest(vectors, asked, top, block)
    scores = asked @ vectors.astype(np.float32).T
    for query in range(queries):
        order = sorted(range(count), key=lambda row: (-scores[query, row], row))[:top]
        assert found.rows[query].tolist() == order
        assert found.scores[query].tolist() == [scores[query, row] for row in order]


@given(st.integers(1, 30), st.integers(0, 30), st.integers(1, 8))
def test_parts_that_were_searched_apart_merge_to_the_whole(count: int, cut: int, top: int) -> None:
    rng = np.random.default_rng(count)
    vectors, asked = rng.integers(-2, 3, size=(count, 2)), np.array([[1.0, 0.5]], np.float32)
    cut = min(cut, count)
    both = merged(nearest(vectors[:cut], asked, top), nearest(vectors[cut:], asked, top, first=cut), top)
    assert both.rows.tolist() == nearest(vectors, asked, top).rows.tolist()


def test_lists_of_faiss_find_nearly_all_and_score_exactly(tmp_path) -> None:
    pytest.importorskip("faiss", reason="needs kataribe[faiss]")
    from kataribe.grounding.retrieval.approximate import build_index, nearly_nearest, read_index, write_index

    rng = np.random.default_rng(0)
    centres = rng.normal(size=(50, 16))
    vectors = centres[rng.integers(0, 50, 4000)] + 0.3 * rng.normal(size=(4000, 16))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    asked = vectors[:20]
    write_index(build_index(vectors), tmp_path / "lists")
    exact = nearest(vectors, asked, 5)
    found = nearly_nearest(read_index(tmp_path / "lists"), vectors, asked, 5)
    recall = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(found.rows.tolist(), exact.rows.tolist(), strict=True)])
    assert recall > 0.9
    assert found.scores[:, 0] == pytest.approx(exact.scores[:, 0], abs=1e-6)
