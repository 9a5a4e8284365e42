"""The bookkeeping of the bench of retrieval and of its experiments; their figures are nobody's to assert."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.retrieval import make_library
from bench.retrieval_text import LETTERS, Search, _chance, _ranks, searched
from bench.retrieval_world import _shares
from kataribe.core.types import Narration, Segment
from kataribe.films.movie101 import Movie101
from kataribe.films.shots import Shot
from kataribe.grounding.retrieval.library import open_library


def test_a_made_library_is_one_that_opens(tmp_path: Path) -> None:
    make_library(tmp_path / "library", 1000, "float16")
    library = open_library(tmp_path / "library")
    assert (len(library), len(library.films)) == (1000, 3)
    asked = np.array(library.vectors[[777]], dtype=np.float32)
    assert library.nearest(asked, 1).rows.tolist() == [[777]]
    assert library.span(777).start == 20 * (777 - 720)


def corpus() -> Movie101:
    clips = [("Anna runs.", 2, 9), ("Boris sings.", 10, 18), ("It rains.", 42, 50)]
    shots = [Shot(0, Segment(0, 20), "Anna runs.Boris sings."), Shot(2, Segment(40, 60), "It rains.")]
    told = tuple(Narration(str(n), "f", Segment(*times), text) for n, (text, *times) in enumerate(clips))
    return Movie101({"val": told}, {}, {"val": {"f": tuple(shots)}}, {}, {})


def test_own_words_are_taken_out_and_shots_that_tell_nothing_else_are_left_out() -> None:
    whole, others = (searched(corpus(), "f", without_own=without) for without in (False, True))
    assert whole.right == [frozenset({0}), frozenset({0}), frozenset({1})]
    assert others.queries == ["Anna runs.", "Boris sings."]
    assert others.documents == [["Boris sings.", "It rains."], ["Anna runs.", "It rains."]]


def test_letters_find_a_text_that_holds_them_and_ties_count_against_the_query() -> None:
    assert _ranks(searched(corpus(), "f", without_own=False), LETTERS).tolist() == [1, 1, 1]
    same = Search(["abc"], [["xyz", "xyz", "xyz"]], [frozenset({1})])
    assert _ranks(same, LETTERS).tolist() == [3]


def test_chance_counts_every_right_document() -> None:
    search = Search(["q"], [["a", "b", "c", "d"]], [frozenset({0, 1})])
    assert [_chance(search, k) for k in (1, 2, 10)] == pytest.approx([1 / 2, 1 - 1 / 6, 1])


def test_shares_compare_the_true_text_with_the_others_of_the_same_clip() -> None:
    scores = np.array([[3.0, 1.0, 5.0], [2.0, 4.0, 1.0], [0.0, 0.0, 1.0]])
    shares = _shares(scores, np.array(["f", "f", "g"]))
    assert shares.same_film == 1.0
    assert shares.other_film == pytest.approx(3 / 4)
