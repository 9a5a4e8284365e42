"""Ratings, rankings and votes as tables of raters and units."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kataribe.people.raters import rater_agreement, rater_table
from kataribe.people.ratings import Choice, Rank, Rating, Ratings, Vote
from kataribe.stats.raters import alpha


def votes(*rows: tuple[str, str, str, str, Choice]) -> Ratings:
    return Ratings("votes", tuple(Vote(rater, item, "overall", a, b, choice) for rater, item, a, b, choice in rows))


def test_ratings_of_one_text_are_one_unit() -> None:
    rows = (Rating("ann", "1", "x", "d", 3), Rating("bob", "1", "x", "d", 4), Rating("bob", "1", "y", "d", 5))
    table = rater_table(Ratings("ratings", rows))
    assert (table.raters, table.units) == (["ann", "bob"], [("1", "x"), ("1", "y")])
    np.testing.assert_array_equal(table.values, [[3, np.nan], [4, 5]])


def test_a_vote_counts_for_the_same_system_whichever_side_it_stood_on() -> None:
    table = rater_table(
        votes(("ann", "1", "x", "y", "a"), ("bob", "1", "y", "x", "b"), ("cho", "1", "y", "x", "equal"))
    )
    assert table.units == [("1", "x", "y")]
    np.testing.assert_array_equal(table.values, [[1], [1], [0]])


def test_ranks_among_three_and_among_five_can_be_compared() -> None:
    rows = [Rank("ann", "1", system, "d", rank) for system, rank in zip("xyz", (1, 2, 3), strict=True)]
    rows += [Rank("bob", "1", system, "d", rank) for system, rank in zip("xyzvw", (1, 3, 5, 2, 4), strict=True)]
    table = rater_table(Ratings("rankings", tuple(rows)))
    np.testing.assert_allclose(table.values[:, :3], [[1, 0.5, 0], [1, 0.5, 0]])


def test_each_dimension_is_read_by_itself_and_survives_json() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 40)
    rows = [
        Rating(rater, str(item), "", dimension, float(value))
        for rater in ("ann", "bob", "cho")
        for dimension, values in (("content", truth), ("style", rng.integers(1, 6, 40)))
        for item, value in enumerate(values)
    ]
    found = rater_agreement(Ratings("ratings", tuple(rows)), draws=500)
    assert found["content"].alpha["interval"] == 1.0
    assert abs(found["style"].alpha["interval"]) < 0.2
    assert {rater.screening.verdict for rater in found["style"].raters} == {"unclear"}
    assert found["content"].flagged == []
    written = json.loads(json.dumps(found["style"].to_dict(), allow_nan=False))
    assert written["raters"]["ann"]["screening"]["verdict"] == "unclear"
    assert written["kappa"][0][0] is None


def test_a_voter_who_always_takes_the_left_is_seen() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for item in range(40):
        a, b = ("x", "y") if rng.random() < 0.5 else ("y", "x")
        better: Choice = "a" if a == "x" else "b"
        rows += [("ann", str(item), a, b, better), ("bob", str(item), a, b, better), ("lefty", str(item), a, b, "a")]
    found = rater_agreement(votes(*rows), draws=500)["overall"]
    left = {rater.rater: rater.side for rater in found.raters}
    assert left["lefty"] is not None
    assert left["lefty"][0] == 1.0
    assert left["lefty"][1] < 1e-6
    assert left["ann"] is not None
    assert left["ann"][1] > 0.05


def test_alpha_of_votes_is_that_of_their_table() -> None:
    ratings = votes(
        ("ann", "1", "x", "y", "a"),
        ("bob", "1", "x", "y", "b"),
        ("ann", "2", "x", "y", "a"),
        ("bob", "2", "x", "y", "a"),
    )
    found = rater_agreement(ratings, draws=100)["overall"]
    assert found.alpha["nominal"] == pytest.approx(alpha(np.array([[1.0, 1.0], [-1.0, 1.0]]), "nominal"))
