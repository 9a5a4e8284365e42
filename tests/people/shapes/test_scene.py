"""Scenes: everything is inside, nothing touches, and what is left of what is beyond doubt."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kataribe.people.shapes.scene import (
    CONVERSE,
    MOST_THINGS,
    RELATIONS,
    SIDE,
    Look,
    Scene,
    Thing,
    is_related,
    random_scene,
)

SEEDS = st.integers(0, 2**32)


@given(SEEDS)
def test_things_are_inside_and_apart(seed: int) -> None:
    scene = random_scene(np.random.default_rng(seed))
    assert 1 <= len(scene.things) <= MOST_THINGS
    for thing in scene.things:
        assert thing.radius <= min(thing.x, thing.y, SIDE - thing.x, SIDE - thing.y)
    for one, other in combinations(scene.things, 2):
        assert math.hypot(one.x - other.x, one.y - other.y) > one.radius + other.radius


@given(SEEDS)
def test_groups_are_told_apart_by_colour_and_shape(seed: int) -> None:
    groups = random_scene(np.random.default_rng(seed)).groups
    assert len({(group.look.colour, group.look.shape) for group in groups}) == len(groups)


@given(SEEDS)
def test_relations_have_converses_and_never_both_directions(seed: int) -> None:
    groups = random_scene(np.random.default_rng(seed)).groups
    for one, other in permutations(groups, 2):
        true = {relation for relation in RELATIONS if is_related(one.things, relation, other.things)}
        back = {relation for relation in RELATIONS if is_related(other.things, relation, one.things)}
        assert {CONVERSE[relation] for relation in true} == back
        assert not true & back
        if len(groups) == 2:
            assert true, "two groups lie clearly to each other"


def test_things_that_are_hardly_apart_are_not_related() -> None:
    look = Look("star", "pink", "small")
    one, other = Thing(look, 100, 50, 24, 0), Thing(look, 110, 150, 24, 0)
    assert [relation for relation in RELATIONS if is_related([one], relation, [other])] == ["above"]


def test_groups_collect_what_looks_alike() -> None:
    red, blue = Look("star", "red", "small"), Look("star", "blue", "small")
    things = tuple(Thing(look, 30 + 60 * place, 50, 24, 0) for place, look in enumerate((red, blue, red)))
    groups = Scene("white", things).groups
    assert [(group.look, len(group.things)) for group in groups] == [(red, 2), (blue, 1)]
