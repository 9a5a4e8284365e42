"""Ratings that look like a mistake are said; honest raters, however strict, noisy or few, are not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.caution import Caution
from kataribe.people.oddities import odd_ratings
from kataribe.people.rated import read_rated
from kataribe.people.ratings import Rank, Rating, Ratings


def honest(raters: int, texts: int = 60, seed: int = 0, noise: float = 0.8) -> np.ndarray:
    """Raters x texts on a scale of 1 to 5."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 1, texts)
    strictness = rng.normal(0, 0.4, (raters, 1))
    return np.clip(np.round(quality + strictness + rng.normal(0, noise, (raters, texts))), 1, 5)


def as_ratings(table: np.ndarray, dimension: str = "overall") -> Ratings:
    return Ratings(
        "ratings",
        tuple(
            Rating(f"rater {row}", str(text), "x", dimension, float(value))
            for (row, text), value in np.ndenumerate(table)
            if np.isfinite(value)
        ),
    )


def said(table: np.ndarray) -> list[Caution]:
    return odd_ratings(as_ratings(table))


def test_rater_who_reads_the_scale_upside_down_is_named() -> None:
    table = honest(4)
    table[2] = 6 - table[2]
    (caution,) = said(table)
    assert caution.id == "reversed-rater"
    assert "overall: rater 2 answers against the others (rank correlation -0." in caution


def test_of_two_raters_nobody_knows_which_one_is_reversed() -> None:
    table = honest(2)
    table[0] = 6 - table[0]
    (caution,) = said(table)
    assert "rater 0 and rater 1 answer against each other" in caution


def test_two_reversed_raters_of_five_are_both_named() -> None:
    table = honest(5, noise=0.4)
    table[:2] = 6 - table[:2]
    assert ["rater 0" in line or "rater 1" in line for line in said(table)] == [True, True]


def test_reversed_ranks_are_found_too() -> None:
    rows = [
        Rank(rater, str(item), system, "overall", float(rank))
        for rater, ranks in (("ann", (1, 2, 3)), ("bob", (1, 2, 3)), ("cy", (3, 2, 1)))
        for item in range(10)
        for system, rank in zip("xyz", ranks, strict=True)
    ]
    (caution,) = odd_ratings(Ratings("rankings", tuple(rows)))
    assert (caution.id, "cy" in caution) == ("reversed-rater", True)


@pytest.mark.parametrize(
    ("change", "range"),
    [(lambda own: own * 20, "20 to 100"), (lambda own: own * 2, "2 to 10"), (lambda own: (own - 1) / 4, "0 to 1")],
    ids=["percent", "of ten", "fractions"],
)
def test_rater_on_another_scale_is_named(change, range: str) -> None:
    table = honest(4)
    table[1] = change(table[1])
    (caution,) = said(table)
    assert caution.id == "rater-scale"
    assert f"rater 1 answers from {range}, the others from 1 to 5" in caution


@pytest.mark.parametrize("mark", [99.0, -1.0, -99.0, 9.0])
def test_marks_for_no_answer_are_counted(mark: float) -> None:
    table = honest(3)
    table[0, :5] = mark
    (caution,) = said(table)
    assert caution.id == "sentinel-ratings"
    assert f"overall: 5 ratings are {mark:g} among ratings of 1 to 5" in caution


def test_scales_that_hold_such_numbers_raise_no_alarm() -> None:
    rng = np.random.default_rng(1)
    quality = rng.uniform(0, 100, 80)
    percent = np.clip(np.round(quality + rng.normal(0, 10, (3, 80))), 0, 100)
    percent[:, 0] = 99
    around_zero = np.clip(np.round((quality - 50) / 20 + rng.normal(0, 0.5, (3, 80))), -3, 3)
    of_ten = np.clip(np.round(quality / 10 + rng.normal(0, 1, (3, 80))), 1, 10)
    signs = np.sign(around_zero)
    for table in (percent, around_zero, of_ten, signs, percent / 100):
        assert said(table) == []


@pytest.mark.parametrize("seed", range(30))
def test_honest_raters_raise_no_alarm(seed: int) -> None:
    for raters, texts, noise in ((2, 12, 1.5), (3, 40, 3.0), (6, 200, 1.0), (40, 15, 2.0)):
        table = honest(raters, texts, seed, noise)
        table[np.random.default_rng(seed).random(table.shape) < 0.3] = np.nan
        assert said(table) == []


@pytest.mark.data
@pytest.mark.parametrize("name", ["flickr8k_expert", "nebula_test"])
def test_published_ratings_raise_no_alarm(data_folder: Path, name: str) -> None:
    assert odd_ratings(read_rated(data_folder / "human-judgements" / f"{name}.json").ratings) == []


@pytest.mark.data
def test_composite_raises_no_alarm(data_folder: Path) -> None:
    with gzip.open(data_folder / "composite" / "composite_flickr8k.jsonl.gz", "rt") as lines:
        entries = [json.loads(line) for line in lines]
    rows = [Rating("somebody", entry["image"], entry["id"], "overall", float(entry["human"])) for entry in entries]
    assert odd_ratings(Ratings("ratings", tuple(rows))) == []


@pytest.mark.data
@pytest.mark.parametrize("corpus", ["activitynet", "youcook2"])
def test_factuality_ratings_raise_no_alarm(data_folder: Path, corpus: str) -> None:
    annotated = json.loads(
        gzip.decompress((data_folder / "factvc" / corpus / "factuality_annotation.json.gz").read_bytes())
    )
    rows = [
        Rating("somebody", video, system, "overall", float(said["paragraph_score"]))
        for video, systems in annotated.items()
        for system, said in systems.items()
    ]
    assert len(rows) >= 600
    assert odd_ratings(Ratings("ratings", tuple(rows))) == []
