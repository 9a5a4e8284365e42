"""The same person keeps the same name."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.audit.narration_attacks import swapped_roles
from kataribe.core.types import Cast, Role
from kataribe.narration.identity import Identity, match_names
from kataribe.narration.role_f1 import RoleF1

from .corpora import CAST, corpora, in_two_films, narrations, rows_by_film, score

ANNA = (Cast("f", (Role("Anna", ("Annie",)), Role("Tom"), Role("Eve"))),)
names = st.frozensets(st.sampled_from("abc"), max_size=3)
roles = st.frozensets(st.sampled_from("xyz"), max_size=3)


def test_a_narrator_who_mixes_two_people_up_throughout_keeps_who_is_who() -> None:
    items = narrations([("Tom waits.", "Anna waits."), ("Anna runs.", "Tom runs."), ("Tom.", "Anna.")], ANNA)
    found = score(Identity(), items)
    assert (found.value, found.parts["right"]) == (1.0, 0.0)
    assert score(RoleF1(match="longest", cast="own"), items).value == 0.0


def test_one_who_names_somebody_else_each_time_does_not() -> None:
    items = narrations([("Tom.", "Anna."), ("Eve.", "Anna."), ("Anna.", "Anna.")], ANNA)
    assert score(Identity(), items).value == pytest.approx(1 / 3)


def test_an_alias_is_another_name_unless_it_is_asked_for() -> None:
    items = narrations([("Anna.", "Anna."), ("Annie.", "Anna."), ("Anna.", "Anna.")], ANNA)
    assert score(Identity(), items).value == pytest.approx(2 / 3)
    assert score(Identity(aliases=True), items).value == 1.0


def test_names_of_people_who_are_not_there_cost_precision() -> None:
    found = score(Identity(), narrations([("Anna, Tom and Eve.", "Anna.")], ANNA))
    assert (found.parts["precision"], found.parts["recall"]) == (pytest.approx(1 / 3), 1.0)


def test_a_clip_that_names_nobody_agrees_and_a_film_without_a_cast_is_not_read() -> None:
    items = narrations([("Snow.", "Snow."), ("Anna.", "Anna.")], ANNA, ["f", "unknown"])
    values = Identity().per_item(Identity().rows(items)).value
    assert values[0] == 1.0
    assert np.isnan(values[1])
    assert [warning.id for warning in Identity().warnings(Identity().facts(items))] == ["no-cast"]


@given(st.lists(st.tuples(names, roles), max_size=6))
def test_no_other_match_agrees_with_more_clips(clips) -> None:
    said, there = [clip[0] for clip in clips], [clip[1] for clip in clips]
    hits = lambda role_of: sum(role_of.get(name) in roles for names, roles in clips for name in names)  # noqa: E731
    best = max(hits(dict(zip("abc", order, strict=True))) for order in permutations("xyz"))
    assert hits(match_names(said, there)) == best


@given(corpora)
def test_right_names_are_never_worth_more_than_the_identity(lines) -> None:
    found = score(Identity(aliases=True), in_two_films(lines))
    assert np.isnan(found.value) or found.parts["right"] <= found.value + 1e-12


@given(st.lists(st.sampled_from(["Maria waits.", "Odysseus and Mar.", "李白", "Snow."]), min_size=1, max_size=8))
def test_exchanging_names_throughout_changes_no_identity(lines) -> None:
    items = narrations(list(zip(swapped_roles(lines, CAST), lines, strict=True)))
    found = score(Identity(aliases=True), items)
    assert found.value == 1.0 or np.isnan(found.value)


@given(corpora)
def test_rows_of_a_shard_are_rows_of_the_whole(lines) -> None:
    items = in_two_films(lines)
    assert np.array_equal(rows_by_film(Identity(), items), Identity().rows(items))
