"""Splits by film: whole, seeded, of the sizes asked for, and better mixed than a draw."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import InputError, UsageError
from kataribe.films.splits import only, read_split, split_films, usual_size

GENRES = ("drama", "comedy", "war", "love")


@given(
    st.dictionaries(
        st.text("abcdef", min_size=1), st.lists(st.sampled_from(GENRES), unique=True), min_size=1, max_size=9
    )
)
def test_every_film_is_in_one_part(genres: dict[str, list[str]]) -> None:
    parts = split_films(genres)
    assert sorted(film for part in parts.values() for film in part) == sorted(genres)
    assert len(parts["val"]) == len(parts["test"]) == usual_size(len(genres))


def test_a_split_depends_on_the_seed_alone_not_on_the_order() -> None:
    genres = {f"f{number}": [GENRES[number % 4]] for number in range(20)}
    backwards = dict(reversed(genres.items()))
    assert split_films(genres, seed=3) == split_films(backwards, seed=3)
    assert split_films(genres, seed=3) != split_films(genres, seed=4)


def test_genres_are_mixed_as_in_the_whole() -> None:
    genres = {f"f{number:02}": [GENRES[number % 4]] for number in range(40)}
    parts = split_films(genres, val=4, test=4)
    for part in ("val", "test"):
        assert sorted(genres[film][0] for film in parts[part]) == sorted(GENRES)


def test_a_draw_alone_would_mix_them_worse() -> None:
    rng = np.random.default_rng(0)
    genres = {f"f{number:02}": [g for g in GENRES if rng.random() < 0.4] for number in range(30)}

    def distance(films: list[str]) -> float:
        share = lambda some: np.array([np.mean([g in genres[film] for film in some]) for g in GENRES])  # noqa: E731
        return float(np.abs(share(films) - share(list(genres))).sum())

    ours = distance(split_films(genres, val=6, test=6)["test"])
    drawn = [distance(list(rng.permutation(list(genres))[:6])) for _ in range(100)]
    assert ours < np.quantile(drawn, 0.1)


def test_holding_out_everything_is_refused() -> None:
    with pytest.raises(UsageError, match="val and test hold out 3 films of 3 - leave one to train on"):
        split_films({"a": [], "b": [], "c": []}, val=2, test=1)


def test_a_given_split_is_kept_for_the_films_there_are(tmp_path: Path) -> None:
    path = tmp_path / "split.json"
    path.write_text(json.dumps({"train": ["a", "x"], "val": ["b"], "test": []}))
    assert only(read_split(path), ["b", "a"], path) == {"train": ["a"], "val": ["b"], "test": []}
    with pytest.raises(InputError, match="has no part for 1 film: 'c' - add them"):
        only(read_split(path), ["a", "c"], path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[]", "is no split"),
        ('{"train": "a"}', "is no split"),
        ('{"train": ["a"], "val": ["a"]}', "id 'a': is in train and in val"),
        ('{"../train": ["a"]}', "a part is called '../train'"),
    ],
)
def test_what_is_no_split_is_refused(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "split.json").write_text(content)
    with pytest.raises(InputError, match=problem):
        read_split(tmp_path / "split.json")
