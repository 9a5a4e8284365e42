"""The readings of published studies, against counts by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.cli.main import _run
from kataribe.core.errors import UsageError
from kataribe.people.agreement import agree
from kataribe.people.presets import preset_options
from kataribe.people.ratings import Rank, Ratings, Vote
from kataribe.people.result import Dimension, Text
from kataribe.people.scores import Scores
from kataribe.report.agreement import render_agreement

DIMENSIONS = ("accuracy", "informativeness", "quality")


def rankings(places: dict[tuple[str, str, str], dict[str, float]]) -> Ratings:
    """Ranks of systems by (rater, item, dimension)."""
    rows = [
        Rank(*key[:2], system, key[2], float(rank)) for key, ranks in places.items() for system, rank in ranks.items()
    ]
    return Ratings("rankings", tuple(rows))


def scored(items: str, systems: str, **metrics: list[float]) -> Scores:
    texts = [Text(item, system) for item in items for system in systems]
    return Scores(texts, {name: np.array(values, dtype=float) for name, values in metrics.items()})


def test_movie101_counts_pairs_of_mean_ranks_as_by_hand() -> None:
    """One clip, texts x, y, z, two raters. The pairs are xy, xz, yz.

    accuracy          ann x1 y2 z3, bob x1 y3 z2: means 1, 2.5, 2.5: x>y, x>z, y=z
    informativeness   ann x2 y1 z3, bob x1 y2 z3: means 1.5, 1.5, 3: x=y, x>z, y>z
    quality           ann x3 y1 z2, bob x3 y1 z2: means 3, 1, 2:     y>x, z>x, y>z
    overall           means 11/6, 10/6, 15/6:                        y>x, x>z, y>z
    """
    said = {
        "accuracy": ([1, 2, 3], [1, 3, 2]),
        "informativeness": ([2, 1, 3], [1, 2, 3]),
        "quality": ([3, 1, 2], [3, 1, 2]),
    }
    ratings = rankings(
        {
            (rater, "clip", name): dict(zip("xyz", ranks, strict=True))
            for name, both in said.items()
            for rater, ranks in zip(("ann", "bob"), both, strict=True)
        }
    )
    scores = scored("clip", "xyz", falling=[3, 2, 1], tied=[1, 1, 1], last=[2, 3, 3])
    scores = Scores([Text("clip", system) for system in "xyz"], scores.values)
    found = agree(scores, ratings, options=preset_options("movie101", {"bootstrap": 0})).dimensions
    expected = {
        "accuracy": {"falling": 2 / 3, "tied": 1 / 3, "last": 1 / 3},
        "informativeness": {"falling": 2 / 3, "tied": 1 / 3, "last": 0},
        "quality": {"falling": 1 / 3, "tied": 0, "last": 2 / 3},
        "overall": {"falling": 2 / 3, "tied": 0, "last": 1 / 3},
    }
    assert list(found) == [*DIMENSIONS, "overall"]
    for name, values in expected.items():
        for metric, value in values.items():
            assert found[name].metrics[metric].values["accuracy"] == pytest.approx(value), (name, metric)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), raters=st.integers(1, 4), items=st.integers(1, 4))
def test_movie101_equals_a_plain_count_of_pairs(seed: int, raters: int, items: int) -> None:
    rng = np.random.default_rng(seed)
    systems, names = "abcd", [str(number) for number in range(items)]
    ranks = rng.integers(1, 5, size=(3, raters, items, 4))
    fractional = (
        1
        + (ranks[..., None] > ranks[..., None, :]).sum(-1)
        + ((ranks[..., None] == ranks[..., None, :]).sum(-1) - 1) / 2
    )
    score = rng.integers(0, 3, size=(items, 4)).astype(float)
    ratings = rankings(
        {
            (f"r{rater}", names[item], name): dict(zip(systems, ranks[d, rater, item].tolist(), strict=True))
            for d, name in enumerate(DIMENSIONS)
            for rater in range(raters)
            for item in range(items)
        }
    )
    scores = Scores([Text(item, system) for item in names for system in systems], {"m": score.ravel()})
    found = agree(scores, ratings, options=preset_options("movie101", {"bootstrap": 0})).dimensions
    means = {**{name: fractional[d].mean(0) for d, name in enumerate(DIMENSIONS)}, "overall": fractional.mean((0, 1))}
    for name, mean in means.items():
        right = [
            np.sign(round(mean[item, j] - mean[item, i], 9)) == np.sign(score[item, i] - score[item, j])
            for item in range(items)
            for i in range(4)
            for j in range(i)
        ]
        assert found[name].metrics["m"].values["accuracy"] == pytest.approx(np.mean(right)), name


def test_overall_that_raters_were_asked_for_is_theirs() -> None:
    ratings = rankings(
        {
            ("ann", "1", "accuracy"): {"x": 1, "y": 2},
            ("ann", "1", "quality"): {"x": 1, "y": 2},
            ("ann", "1", "overall"): {"x": 2, "y": 1},
        }
    )
    agreement = agree(
        Scores([Text("1", "x"), Text("1", "y")], {"m": np.array([1.0, 0.0])}),
        ratings,
        options=preset_options("movie101", {"bootstrap": 0}),
    )
    assert list(agreement.dimensions) == ["accuracy", "quality", "overall"]
    assert agreement.dimensions["overall"].metrics["m"].values["accuracy"] == 0
    assert "overall:" not in agreement.signature


def test_what_a_rater_left_open_on_one_dimension_is_not_in_the_mean() -> None:
    ratings = rankings(
        {
            ("ann", "1", "accuracy"): {"x": 1, "y": 2},
            ("ann", "1", "quality"): {"x": 2, "y": 1},
            ("bob", "1", "accuracy"): {"x": 1, "y": 2},
        }
    )
    scores = Scores([Text("1", "x"), Text("1", "y")], {"m": np.array([1.0, 0.0])})
    found = agree(scores, ratings, options=preset_options("movie101", {"bootstrap": 0})).dimensions["overall"]
    assert (found.raters, found.answers) == (1, 2)
    assert found.metrics["m"].values["accuracy"] == 0, "ann's mean is a tie, which the metric does not tie"


def votes(by_item: dict[str, str]) -> Ratings:
    """The choices of each item's voters, one letter each: a for correct, b for shuffled, e for equal."""
    full = {"a": "a", "b": "b", "e": "equal"}
    rows = [
        Vote(f"r{place}", item, "overall", "correct", "shuffled", full[letter])
        for item, letters in by_item.items()
        for place, letter in enumerate(letters)
    ]
    return Ratings("votes", tuple(rows))


def soda(by_item: dict[str, str], **metrics: dict[str, tuple[float, float]]) -> Dimension:
    texts = [Text(item, system) for item in by_item for system in ("correct", "shuffled")]
    values = {name: np.array([value for item in by_item for value in of[item]]) for name, of in metrics.items()}
    options = preset_options("soda", {"bootstrap": 0})
    return agree(Scores(texts, values), votes(by_item), options=options).dimensions["overall"]


def test_soda_compares_with_the_majority_of_each_video() -> None:
    by_item = {"1": "aaab", "2": "abbb", "3": "aabb", "4": "aaaa"}
    higher, lower, same = (2.0, 1.0), (1.0, 2.0), (1.0, 1.0)
    found = soda(
        by_item,
        right={"1": higher, "2": lower, "3": same, "4": higher},
        always={"1": higher, "2": higher, "3": higher, "4": higher},
        silent={"1": same, "2": same, "3": same, "4": same},
    )
    accuracy = {name: standing.values["accuracy"] for name, standing in found.metrics.items()}
    assert accuracy == {"right": 1.0, "always": 0.5, "silent": 0.25}
    (preference,) = found.preferences
    assert (preference.items, preference.votes) == ((2, 1, 1), (10, 6, 0))


def test_preferences_are_told_in_every_form() -> None:
    by_item = {"1": "aaab", "2": "abbb"}
    texts = [Text(item, system) for item in by_item for system in ("correct", "shuffled")]
    scores = Scores(texts, {"m": np.arange(4.0)})
    agreement = agree(scores, votes(by_item), options=preset_options("soda", {"bootstrap": 0}))
    assert "correct, shuffled: votes                50.0% (4)  50.0% (4)  0.0% (0)" in render_agreement(agreement)
    assert "| correct, shuffled: votes | 50.0% (4) |" in render_agreement(agreement, "markdown")
    told = agreement.to_dict()["dimensions"]["overall"]["preferences"]
    assert told == [
        {
            "one": "correct",
            "other": "shuffled",
            "items": {"one": 1, "other": 1, "neither": 0},
            "votes": {"one": 4, "other": 4, "neither": 0},
        }
    ]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "ranks.csv").write_text(
        "rater,item,system,dimension,rank\n"
        + "".join(
            f"{r},{i},{s},{d},{n}\n" for r in "ab" for i in "12" for d in ("x", "y") for n, s in enumerate("uvw", 1)
        )
    )
    (tmp_path / "scores.csv").write_text(
        "item,system,m\n" + "".join(f"{i},{s},{n}\n" for i in "12" for n, s in enumerate("wvu"))
    )
    return tmp_path


def test_a_flag_goes_before_the_preset(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["agree", str(files / "scores.csv"), "--human", str(files / "ranks.csv"), "--preset", "movie101", "-q"]
    assert _run([*call, "--bootstrap", "0"]) == 0
    assert "against:mean|over:items|ties:exact|overall:mean" in capsys.readouterr().out
    assert _run([*call, "--bootstrap", "0", "--ties", "half", "--against", "each"]) == 0
    assert "against:each|over:items|ties:half|overall:mean" in capsys.readouterr().out


def test_the_table_ends_with_metrics_by_dimension(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["agree", str(files / "scores.csv"), "--human", str(files / "ranks.csv"), "--preset", "movie101", "-q"]
    assert _run([*call, "--bootstrap", "0"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["accuracy", "on", "all", "dimensions"] in lines
    assert ["metric", "x", "y", "overall"] in lines
    assert ["m", "100.00", "100.00", "100.00"] in lines


def test_a_preset_of_another_kind_is_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["agree", str(files / "scores.csv"), "--human", str(files / "ranks.csv"), "-q"]
    assert _run([*call, "--preset", "soda"]) == 2
    assert "--preset soda reads votes, and these are rankings" in capsys.readouterr().err
    assert _run([*call, "--preset", "movi101"]) == 2
    assert "did you mean 'movie101'?" in capsys.readouterr().err


def test_an_unknown_preset_is_refused_in_python() -> None:
    with pytest.raises(UsageError, match="no study is called 'sodda'"):
        preset_options("sodda")
