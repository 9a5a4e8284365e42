"""DIV: the share of different n-grams, counted naively, of each candidate or of all together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.core.result import MetricResult

CAPTION = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)


def ngrams(text: str, n: int) -> list[tuple[str, ...]]:
    words = text.split()
    return [tuple(words[start : start + n]) for start in range(len(words) - n + 1)]


def div(captions: list[str], metric: str, **options) -> MetricResult:
    told = {str(place): text for place, text in enumerate(captions)}
    return kataribe.evaluate("captions", told, metrics=[metric], **options)[metric]


def distinct(text: str, n: int) -> float:
    """Different n-grams for each word; nothing is not varied."""
    return len(set(ngrams(text, n))) / max(len(text.split()), 1)


@pytest.mark.parametrize("protocol", ["official", "paper"])
@given(captions=st.lists(CAPTION, min_size=1, max_size=6))
def test_it_is_the_mean_of_each_candidate_in_both_protocols(protocol: str, captions: list[str]) -> None:
    result = div(captions, "div(tok=none)", protocol=protocol)
    ratios = [(distinct(text, 1) + distinct(text, 2)) / 2 for text in captions]
    np.testing.assert_allclose(result.item_values, ratios)
    assert result.value == pytest.approx(np.mean(ratios))
    assert "div|over:items|per:words|tok:none|" in result.signature


def test_a_candidate_is_judged_by_itself() -> None:
    """Judging one narration against another needs a value that does not depend on who else was scored."""
    alone, among = div(["a dog a dog runs"], "div"), div(["a dog a dog runs", "a dog runs", "a dog a dog"], "div")
    assert alone.items["0"] == among.items["0"]
    # Officially the tokenizer cuts the dot after a single letter if the next caption begins with "The".
    one, other = (div(["A plan, and a plan A.", following], "div") for following in ("The end.", "dogs end."))
    assert one.items["0"] == other.items["0"]


def test_saying_nothing_scores_0_and_one_word_has_no_pair() -> None:
    assert div(["", "dog"], "div").item_values.tolist() == [0.0, 0.5]


@pytest.mark.parametrize("per", ["words", "ngrams"])
@given(captions=st.lists(CAPTION, min_size=1, max_size=6))
def test_over_the_corpus_it_counts_different_ngrams_of_all_candidates(per: str, captions: list[str]) -> None:
    result = div(captions, f"div(corpus, per={per}, tok=none)")
    words = sum(len(text.split()) for text in captions)
    for n in (1, 2):
        every = [ngram for text in captions for ngram in ngrams(text, n)]
        total = words if per == "words" else len(every)
        expected = len(set(every)) / total if total else float("nan")
        assert result.parts[f"distinct-{n}"] == pytest.approx(expected, nan_ok=True)
    assert f"div|over:corpus|per:{per}|tok:none|" in result.signature


def test_repeating_others_is_less_diverse_over_the_corpus() -> None:
    metric = "div(corpus, per=ngrams)"
    same = div(["a dog runs", "a dog runs"], metric)
    apart = div(["a dog runs", "one cat sits"], metric)
    assert (same.value, apart.value) == (0.5, 1.0)
    assert same.item_values.tolist() == [0.5, 0.5], "each caption has half a share in what both say"
