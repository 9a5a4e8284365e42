"""Single texts behind an agreement, in the order in which people and a metric agree on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.people.agreement import agree
from kataribe.people.examples import Shown, examples_of, explain, shown_of_rated
from kataribe.people.options import AgreementOptions
from kataribe.people.rated import RatedCaptions
from kataribe.people.ratings import Rating, Ratings
from kataribe.people.result import Text
from kataribe.people.scores import Scores
from kataribe.report.agreement import render_agreement


def rated(ratings: list[float], predictions: list[float]) -> tuple[RatedCaptions, Scores]:
    texts = [Text(f"{n:03}", f"{n:03}#1") for n in range(len(ratings))]
    rows = tuple(Rating("ann", *text, "overall", value) for text, value in zip(texts, ratings, strict=True))
    captions = {text: f"caption {text.item}" for text in texts}
    references = {text: ["one", "two"] for text in texts}
    pictures = {text: f"{text.item}.jpg" for text in texts}
    found = RatedCaptions(captions, references, Ratings("ratings", rows), pictures=pictures)
    return found, Scores(texts, {"m": np.array(predictions)})


def test_the_smallest_distance_of_percentiles_comes_first_and_ties_go_by_name() -> None:
    found = examples_of(*rated([1, 2, 3, 4], [0.1, 0.3, 0.2, 0.9]), "m")
    assert [(example.text.item, example.gap) for example in found] == [
        ("000", 0), ("003", 0), ("001", 0.25), ("002", 0.25),
    ]  # fmt: skip
    first = found[0]
    assert (first.candidate, first.references, first.picture) == ("caption 000", ("one", "two"), "000.jpg")
    assert (first.rating, first.prediction, first.standing, found[1].standing) == (1, 0.1, "bottom 25%", "top 25%")


def test_lower_values_of_some_metrics_stand_higher() -> None:
    data, scores = rated([1, 2, 3], [9.0, 5.0, 1.0])
    found = examples_of(data, scores.lowered(["m"]), "m")
    assert [example.gap for example in found] == [0, 0, 0]
    assert {example.text.item: example.standing for example in found}["002"] == "top 34%"


def test_texts_without_rating_or_score_are_left_out() -> None:
    data, scores = rated([1, 2, 3], [0.1, float("nan"), 0.3])
    assert [example.text.item for example in examples_of(data, scores, "m")] == ["000", "002"]
    with pytest.raises(UsageError, match="no score is called 'n'"):
        examples_of(data, scores, "n")


numbers = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9)), min_size=1, max_size=30)


@given(numbers)
def test_percentiles_do_not_change_with_a_scale_that_keeps_the_order(pairs: list[tuple[int, int]]) -> None:
    ratings, predictions = [float(r) for r, _ in pairs], [p / 10 for _, p in pairs]
    found = examples_of(*rated(ratings, predictions), "m")
    bent = examples_of(*rated([r**3 for r in ratings], [np.exp(p) for p in predictions]), "m")
    assert [(e.text, e.gap, e.standing) for e in found] == [(e.text, e.gap, e.standing) for e in bent]
    assert [e.gap for e in found] == sorted(e.gap for e in found)
    assert np.mean([e.percentile for e in found]) == pytest.approx(0.5)
    assert all(0 <= e.gap < 1 for e in found)


def test_an_agreement_carries_its_best_and_worst_texts() -> None:
    data, scores = rated([1, 2, 3, 4, 5], [0.1, 0.2, 0.9, 0.4, 0.3])
    agreement = agree(scores, data.ratings, options=AgreementOptions(bootstrap=0))
    found = explain(agreement, shown_of_rated(data), 2)
    examples = found.dimensions["overall"].examples["m"]
    assert [example.text.item for example in examples.best] == ["000", "001"]
    assert [example.text.item for example in examples.worst] == ["002", "004"]
    entry = found.to_dict()["dimensions"]["overall"]["examples"]["m"]["worst"][0]
    assert (entry["candidate"], entry["standing"], entry["references"]) == ("caption 002", "top 20%", ["one", "two"])
    many = explain(agreement, shown_of_rated(data), 100).dimensions["overall"].examples["m"]
    assert (len(many.best), len(many.worst)) == (3, 2)
    assert explain(agreement, {}, 0) is agreement
    assert "examples" not in agreement.to_dict()["dimensions"]["overall"]
    with pytest.raises(UsageError, match="explain=-1: cannot be negative"):
        explain(agreement, {}, -1)


def test_examples_are_printed_and_nothing_in_them_is_a_command() -> None:
    data, scores = rated([1, 2], [0.1, 0.2])
    agreement = agree(scores, data.ratings, options=AgreementOptions(bootstrap=0))
    shown = {Text("000", "000#1"): Shown("\x1b[2Ja | dog\n\u202e", ("a dog",), "x.jpg")}
    printed = explain(agreement, shown, 1)
    table, markdown = (render_agreement(printed, format) for format in ("table", "markdown"))
    assert "best agreement: m" in table
    assert "rating 1.00 (percentile 25), prediction 10.00 (bottom 50%)" in table
    assert "candidate    [2Ja | dog" in table
    assert not {"\x1b", "\u202e"} & set(table)
    assert "a \\| dog" in markdown
