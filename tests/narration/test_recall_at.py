"""R@k/N: the right line among its neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core import registry
from kataribe.core.errors import InputError, UsageError
from kataribe.core.spec import Spec
from kataribe.core.types import Cast, Role
from kataribe.narration.recall_at import RecallAt, tool_windows, window

from .corpora import corpora, in_two_films, narrations, rows_by_film, score


def parse(text: str):
    """By ROUGE-L unless another metric is named: words in order, and nothing to load."""
    ranked = text if "text=" in text else text.replace(")", ", text=rouge_l)")
    return registry.parse(ranked, defaults={"tok": "none"})


ENGLISH = ["A ship leaves the harbour", "Two girls dance in the snow", "The letter burns", "He sleeps"]
WORDS = Spec("rouge_l", named=(("tok", "none"),))
DISTINCT = ["a b", "c d", "e f", "g h", "i j", "k l"]


def test_lines_that_say_what_their_references_say_are_found() -> None:
    found = score(parse("recall_at(1, 4)"), narrations([(line, line) for line in DISTINCT]))
    assert found.value == 1.0
    assert found.parts == {"chance": 0.25, "mean reciprocal rank": 1.0}


def test_a_line_that_says_what_its_neighbour_says_is_second_at_best() -> None:
    moved = [*DISTINCT[1:], DISTINCT[0]]
    items = narrations(list(zip(moved, DISTINCT, strict=True)))
    assert score(parse("recall_at(1, 6)"), items).value == 0.0
    # The other five share the second place and those behind it.
    assert score(parse("recall_at(2, 6)"), items).value == pytest.approx(1 / 5)


@pytest.mark.parametrize("said", ["", "always the same"])
def test_saying_nothing_or_always_the_same_is_chance(said: str) -> None:
    found = score(parse("recall_at(2, 5)"), narrations([(said, line) for line in DISTINCT]))
    assert found.value == pytest.approx(found.parts["chance"]) == pytest.approx(2 / 5)


def test_neighbours_are_lines_of_the_same_film() -> None:
    casts = Cast("f", (Role("A"),)), Cast("g", (Role("B"),))
    items = narrations([("a b", "c d"), ("c d", "c d"), ("a b", "a b")], casts, ["f", "g", "g"])
    found = score(parse("recall_at(1, 3)"), items)
    assert found.value == 1.0  # the film of one line leaves no choice
    assert found.parts["chance"] == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)


@pytest.mark.parametrize("text", ["bleu", "rouge_l", "cider", "meteor(other)"])
def test_any_sentence_metric_ranks(text: str) -> None:
    assert score(parse(f"recall_at(1, 4, text={text})"), narrations([(line, line) for line in DISTINCT])).value == 1.0


def test_bertscore_ranks_unless_another_metric_is_named() -> None:
    pytest.importorskip("torch")
    found = score(registry.parse("recall_at(1, 3)"), narrations([(f"{line}.", line) for line in ENGLISH]))
    assert found.value == 1.0


def test_a_metric_of_whole_narrations_cannot_rank() -> None:
    with pytest.raises(UsageError, match="does not score sentences but narration"):
        parse("recall_at(text=role_f1)").facts(narrations([("x", "x")]))


@pytest.mark.parametrize("text", ["recall_at(0)", "recall_at(5, 4)"])
def test_impossible_options_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="k is at least 1 and at most n"):
        registry.parse(text)


@given(corpora, st.integers(1, 5))
def test_more_places_never_recall_less(lines, k: int) -> None:
    items = narrations(lines)
    fewer, more = (score(RecallAt(k=places, n=6, text=WORDS), items).value for places in (k, k + 1))
    assert fewer <= more + 1e-12


@given(st.integers(1, 40), st.integers(1, 20), st.data())
def test_a_window_holds_its_line_and_as_many_as_it_can(lines: int, n: int, data) -> None:
    at = data.draw(st.integers(0, lines - 1))
    rows = range(lines)[window(at, lines, n)]
    assert at in rows
    assert len(rows) == min(n, lines)


@given(corpora)
def test_rows_of_a_shard_are_rows_of_the_whole(lines) -> None:
    items = in_two_films(lines)
    metric = RecallAt(k=1, n=3, text=WORDS)
    assert np.array_equal(rows_by_film(metric, items), metric.rows(items))


def test_what_ranks_lines_may_be_very_small_but_rounding_ranks_none() -> None:
    """CIDEr of lines that differ much in length is a tiny number; equal numbers may differ in their last digit."""
    metric = RecallAt(k=1, n=3, text=WORDS)
    assert metric._row(np.array([3e-40, 1e-40, 0.0]), 1e-40)[1] == 0.0
    assert metric._row(np.array([1e-40, 3e-40, 0.0]), 3e-40)[1] == 1.0
    assert metric._row(np.array([0.3, 0.1 + 0.2, 0.0]), 0.3)[1] == 0.5
    assert metric._row(np.array([0.0, 1e-300, 0.0]), 0.0)[1] == 0.0


def published(similarity: np.ndarray, k: int, n: int) -> float:
    """R@k/N of one film as the published tool computes it from all similarities, where none are equal."""
    shares = []
    for start in range(0, len(similarity) - n + 1, n // 2):
        block = similarity[start : start + n, start : start + n]
        ranks = (block > np.diag(block)[:, None]).sum(axis=1)
        shares.append(np.mean(ranks < k))
    return float(np.mean(shares))


@pytest.mark.parametrize(("k", "n", "lines"), [(1, 4, 9), (3, 4, 9), (2, 5, 13), (1, 2, 7), (5, 16, 40)])
def test_the_tools_windows_give_the_tools_number(k: int, n: int, lines: int) -> None:
    """Lines share words at random, and CIDEr finds every two of them differently similar."""
    rng = np.random.default_rng(3)
    words = [f"w{number}" for number in range(30)]
    draw = lambda: " ".join(rng.choice(words, int(rng.integers(12, 20))))  # noqa: E731
    items = narrations([(draw(), draw()) for _ in range(lines)])
    metric = RecallAt(k=k, n=n, text=Spec("cider", named=(("tok", "none"),)), windows="tool")
    every = [(one, other) for one in items.candidates for other in items.written]
    pairs, cider = narrations(every), metric.sentence
    context = cider.prepare(pairs, cider.facts(items))
    similarity = cider.per_item(cider.stats(pairs, context)).value.reshape(lines, lines)
    assert all(len(np.unique(row)) == lines for row in similarity)
    assert score(metric, items).value == pytest.approx(published(similarity, k, n))


def test_windows_of_all_films_count_alike_in_the_tools_mean() -> None:
    said = [(line, line) for line in DISTINCT[:4]] + [("x", line) for line in DISTINCT]
    casts = Cast("f", (Role("A"),)), Cast("g", (Role("B"),))
    items = narrations(said, casts, ["f"] * 4 + ["g"] * 6)
    found = score(parse("recall_at(1, 4, windows=tool)"), items)
    # One window of f, whose four lines are found, and two of g, whose lines are found by lot.
    assert found.value == pytest.approx((1 + 0.25 + 0.25) / 3)
    assert found.parts["chance"] == pytest.approx(0.25)


@given(st.integers(1, 60), st.integers(2, 20))
def test_every_window_of_the_tool_is_whole_and_holds_its_line(lines: int, n: int) -> None:
    windows = {(each.start, each.stop) for line in range(lines) for each in tool_windows(line, lines, n)}
    assert sorted(windows) == [(start, start + n) for start in range(0, lines - n + 1, n // 2)]
    assert all(each.start <= line < each.stop for line in range(lines) for each in tool_windows(line, lines, n))


def test_lines_in_no_whole_window_are_counted_and_have_no_value() -> None:
    items = narrations([(line, line) for line in DISTINCT[:5]])
    metric = parse("recall_at(1, 4, windows=tool)")
    facts = metric.facts(items)
    assert metric.warnings(facts)[0] == "1 line is in no whole window of 4 lines, and recall_at does not score them"
    assert metric.signature(facts)["windows"] == "tool"
    assert np.isnan(metric.per_item(metric.rows(items)).value).tolist() == [False] * 4 + [True]


def test_films_without_a_whole_window_are_refused() -> None:
    with pytest.raises(InputError, match="no film has 16 lines"):
        parse("recall_at(1, windows=tool)").facts(narrations([(line, line) for line in DISTINCT]))
    with pytest.raises(UsageError, match="n is at least 2"):
        registry.parse("recall_at(1, 1, windows=tool)")
