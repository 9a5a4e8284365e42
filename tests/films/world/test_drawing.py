"""Pictures: the same people look the same, different ones do not, and cuts can be seen."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from kataribe.films.world.actions import ACTIONS
from kataribe.films.world.bodies import Look, Outfit, draw_figure
from kataribe.films.world.heads import CALM, Expression, draw_head
from kataribe.films.world.people import distance, random_people
from kataribe.films.world.places import CAMERAS, HEIGHT, PLACES, WIDTH, draw_place
from kataribe.films.world.things import THINGS

pytest.importorskip("PIL.Image", reason="needs kataribe[films]")


def test_people_can_be_told_apart_by_the_measures_of_their_faces() -> None:
    people = random_people(60, np.random.default_rng(0))
    assert len({person.face for person in people}) == 60
    assert min(distance(one, other) for one, other in combinations(people, 2)) > 0.4


def test_the_same_head_is_drawn_the_same_and_another_expression_changes_it() -> None:
    person = random_people(1, np.random.default_rng(0))[0]
    calm = np.asarray(draw_head(person, CALM))
    draw_head.cache_clear()
    assert (np.asarray(draw_head(person, CALM)) == calm).all()
    assert (np.asarray(draw_head(person, Expression(mouth=1.0))) != calm).any()


def test_things_that_are_held_are_known_and_each_is_used() -> None:
    held = {each.thing for action in ACTIONS.values() for each in action.held}
    assert held == set(THINGS)


def test_no_two_actions_look_alike() -> None:
    look = Look(random_people(1, np.random.default_rng(0))[0], Outfit((200, 40, 40), (40, 40, 60)))
    pictures = {}
    for name, action in ACTIONS.items():
        figure = draw_figure(look, action, 0, 60, CALM)
        canvas = np.zeros((400, 400, 4), np.uint8)
        top, left = 200 + figure.top, 200 + figure.left
        pixels = np.asarray(figure.picture)
        canvas[top : top + pixels.shape[0], left : left + pixels.shape[1]] = pixels
        pictures[name] = canvas.astype(int)
    for (one, a), (other, b) in combinations(pictures.items(), 2):
        assert (np.abs(a - b).max(axis=2) > 40).sum() > 60, (one, other)


def test_any_two_views_differ_enough_for_a_cut_to_be_found() -> None:
    from kataribe.media.shots import THRESHOLD, ColourChange

    class Still:
        def __init__(self, picture) -> None:  # type: ignore[no-untyped-def]
            self.picture = picture

        def rgb(self, size):  # type: ignore[no-untyped-def]
            return np.asarray(self.picture.resize(size))

    views = [draw_place(place, camera) for place in PLACES for camera in range(CAMERAS)]
    assert views[0].size == (WIDTH, HEIGHT)
    for one, other in combinations(views, 2):
        change = ColourChange()
        change.see(Still(one))  # type: ignore[arg-type]
        change.see(Still(other))  # type: ignore[arg-type]
        assert change.curve[1] > THRESHOLD
