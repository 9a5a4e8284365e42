"""DIV: the share of different n-grams, counted naively; rows add up to the corpus."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe

CAPTION = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)


def ngrams(text: str, n: int) -> list[tuple[str, ...]]:
    words = text.split()
    return [tuple(words[start : start + n]) for start in range(len(words) - n + 1)]


@given(st.lists(CAPTION, min_size=1, max_size=6))
def test_corpus_value_counts_different_ngrams_of_all_candidates(captions: list[str]) -> None:
    told = {str(place): text for place, text in enumerate(captions)}
    result = kataribe.evaluate("captions", told, metrics=["div(tok=none)"])["div(tok=none)"]
    for n in (1, 2):
        every = [ngram for text in captions for ngram in ngrams(text, n)]
        expected = len(set(every)) / len(every) if every else float("nan")
        assert result.parts[f"distinct-{n}"] == pytest.approx(expected, nan_ok=True)


@given(st.lists(CAPTION.filter(lambda text: len(text) > 2), min_size=1, max_size=6))
def test_over_items_it_is_the_mean_of_each_caption(captions: list[str]) -> None:
    told = {str(place): text for place, text in enumerate(captions)}
    result = kataribe.evaluate("captions", told, metrics=["div(items, tok=none)"])["div(items, tok=none)"]
    ratios = [np.mean([len(set(ngrams(t, n))) / len(ngrams(t, n)) for n in (1, 2)]) for t in captions]
    np.testing.assert_allclose(result.item_values, ratios)
    assert result.value == pytest.approx(np.mean(ratios))


def test_repeating_others_is_less_diverse() -> None:
    same = kataribe.evaluate("captions", {"1": "a dog runs", "2": "a dog runs"}, metrics=["div"])["div"]
    apart = kataribe.evaluate("captions", {"1": "a dog runs", "2": "one cat sits"}, metrics=["div"])["div"]
    assert (same.value, apart.value) == (0.5, 1.0)
    assert same.item_values.tolist() == [0.5, 0.5], "each caption has half a share in what both say"
