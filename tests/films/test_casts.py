"""Casts in and out of every form, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kataribe.core.errors import InputError
from kataribe.core.types import Cast, Role
from kataribe.films.casts import read_casts

EXPECTED = {"f": Cast("f", (Role("Maria"), Role("Odysseus", ("Ulysses", "Nobody")))), "g": Cast("g", (Role("Maria"),))}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "cast.json",
            '{"f": ["Maria", {"name": "Odysseus", "aliases": ["Ulysses", "Nobody"]}], "g": [{"role": "Maria"}]}',
        ),
        (
            "cast.jsonl",
            '{"film": "f", "name": "Maria"}\n{"film": "f", "name": "Odysseus", "aliases": ["Ulysses", "Nobody"]}\n'
            '{"movie_id": "g", "rolename": "Maria"}\n',
        ),
        ("cast.csv", "film,name,aliases\nf,Maria,\nf,Odysseus,Ulysses | Nobody\ng,Maria,\n"),
    ],
)
def test_every_form_gives_the_same_casts_in_billing_order(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert read_casts(tmp_path / name) == EXPECTED


def test_movie101s_actors_become_roles_in_their_order() -> None:
    cast = {"7": {"2": {"name": "actor b", "rolename": "B"}, "1": {"name": "actor a", "rolename": "A"}}}
    assert read_casts(cast)["7"].roles == (Role("B", actor="actor b"), Role("A", actor="actor a"))


def test_movie101_v2s_metadata_is_a_cast() -> None:
    meta = {"id": "7", "title": "t", "role": {"1": {"actor": "actor a", "role": "A"}}}
    assert read_casts(meta)["7"].roles == (Role("A", actor="actor a"),)


def test_several_actors_of_one_part_are_one_role() -> None:
    cast = {"7": {"1": {"name": "one", "rolename": "Ghost"}, "2": {"name": "two", "rolename": "Ghost"}}}
    assert read_casts(cast)["7"].roles == (Role("Ghost", actor="one, two"),)


def test_a_part_with_two_names_has_both() -> None:
    cast = {"7": {"1": {"name": "one", "rolename": "Clark / Superman"}}}
    assert read_casts(cast)["7"].roles[0].names == ("Clark / Superman", "Clark", "Superman")


def test_casts_are_read_as_they_are() -> None:
    assert read_casts(list(EXPECTED.values())) == EXPECTED
    assert read_casts(EXPECTED) == EXPECTED


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"f": ["Maria", "Maria"]}, "'Maria' is the name twice"),
        ({"f": ["Maria", {"name": "Odysseus", "aliases": ["Maria"]}]}, "of both 'Maria' and 'Odysseus'"),
        ({"f": ["Maria", "  "]}, "role 2, name: the name is empty"),
        ({"f": [{"name": "Maria", "aliases": [""]}]}, "role 1, aliases: the name is empty"),
        ({"f": [{"name": "Maria", "aliases": "M"}]}, "aliases is not a list"),
        ({"f": {"1": {"name": "one", "rolename": ""}}}, "1.rolename: the name is empty"),
        ({"f": {"1": "one"}}, "not an actor and a role"),
        ({"f": {"1": {"name": "one", "rolename": None}}}, "is null"),
        ({"f": [7]}, "7, not a role"),
        ({"f": "Maria"}, "'Maria', not a cast"),
        ({}, "holds no cast"),
        ([], "not casts by film"),
    ],
)
def test_what_is_no_cast_is_refused_in_one_line(tmp_path: Path, content: object, said: str) -> None:
    path = tmp_path / "cast.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as refused:
        read_casts(path)
    assert said in str(refused.value)
    assert str(refused.value).startswith(str(path))


def test_a_row_without_film_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cast.csv").write_text("name\nMaria\n")
    with pytest.raises(InputError, match="line 2 names no film"):
        read_casts(tmp_path / "cast.csv")


@pytest.mark.data
def test_movie101s_cast(data_folder: Path) -> None:
    casts = read_casts(data_folder / "movie101" / "cast.json")
    assert len(casts) == 92
    # 645 actors; two films have two actors in parts of one name.
    assert sum(len(cast.roles) for cast in casts.values()) == 643
