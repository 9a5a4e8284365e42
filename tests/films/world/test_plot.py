"""Laws of every film that is planned, whatever the seed, the language and its place in the world."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.films.clips import narration_clips
from kataribe.films.dialogues import find_dialogues
from kataribe.films.long_clips import long_clips
from kataribe.films.names import Names
from kataribe.films.world import gold, movie101
from kataribe.films.world.actions import ACTIONS
from kataribe.films.world.casting import people_of
from kataribe.films.world.film import FPS, Film, caption
from kataribe.films.world.languages import WORDS
from kataribe.films.world.options import SPLITS, Language, WorldOptions
from kataribe.films.world.places import PLACES
from kataribe.films.world.plot import plan_film
from kataribe.films.world.summary import summarise

LANGUAGES: tuple[Language, ...] = ("zh", "en")


class Made(NamedTuple):
    """Which film; it prints in one line when a law is broken."""

    language: Language
    seed: int
    number: int

    @property
    def film(self) -> Film:
        return plan_film(WorldOptions("small", language=self.language, seed=self.seed), self.number)


some_film = st.builds(Made, st.sampled_from(LANGUAGES), st.integers(0, 500), st.integers(0, 7))


@settings(max_examples=30)
@given(some_film)
def test_shots_follow_each_other_without_a_hole_and_each_is_seen_by_another_camera(made: Made) -> None:
    film = made.film
    assert film.shots[0].start == 0
    assert film.shots[-1].end == film.length
    assert all(shot.end > shot.start for shot in film.shots)
    for one, other in pairwise(film.shots):
        assert one.end == other.start
        assert (one.place, one.camera) != (other.place, other.camera)


@settings(max_examples=30)
@given(some_film)
def test_nobody_does_two_things_at_once(made: Made) -> None:
    film = made.film
    doings = defaultdict(list)
    for event in film.events:
        doings[id(event.actor)].append((event.start, event.end))
        assert event.start < event.end
        assert event.actor not in (event.target, *event.bystanders)
        assert (event.target is not None) == ACTIONS[event.action].has_target
    for times in doings.values():
        assert all(one[1] <= other[0] for one, other in pairwise(sorted(times)))


@settings(max_examples=30)
@given(some_film)
def test_dialogues_leave_gaps_of_five_seconds_and_nobody_speaks_while_the_narrator_does(
    made: Made,
) -> None:
    film = made.film
    for one, other in pairwise(film.dialogues):
        assert other[0] - one[1] >= 5 * FPS
    spoken = [(line.start, line.end) for line in film.lines]
    spoken += [(part.start, part.end) for clip in film.clips for part in clip.fragments]
    for one, other in pairwise(sorted(spoken)):
        assert one[1] <= other[0]


@settings(max_examples=30)
@given(some_film)
def test_rules_of_movie101_give_back_dialogues_clips_and_long_clips(made: Made) -> None:
    film, language = made.film, made.language
    lines = [caption(line.start, line.end, line.text) for line in film.lines]
    dialogues = find_dialogues(lines)
    assert [(d.segment.start, d.segment.end) for d in dialogues] == [(a / FPS, b / FPS) for a, b in film.dialogues]
    parts = [caption(part.start, part.end, part.text) for clip in film.clips for part in clip.fragments]
    clips = narration_clips(parts, most=WORDS[language].most)
    assert [_flat(clip) for clip in clips] == [_entry(each) for each in gold.short_clips(film, language)]
    joined = long_clips(clips, dialogues)
    assert [_flat(clip) for clip in joined] == [_entry(each) for each in gold.long_clips(film, language)]


def _flat(clip) -> tuple[float, float, str]:  # type: ignore[no-untyped-def]
    return clip.segment.start, clip.segment.end, clip.text


def _entry(each: dict) -> tuple[float, float, str]:  # type: ignore[type-arg]
    return each["start_time"], each["end_time"], each["content"]


@settings(max_examples=30)
@given(some_film)
def test_every_clip_is_told_of_events_that_are_seen_while_it_is_told(made: Made) -> None:
    film = made.film
    for number, clip in enumerate(film.clips):
        events = [event for event in film.events if event.clip == number]
        assert events
        assert events[0].start <= clip.start
        assert events[-1].end >= clip.end
        assert all(one.end == other.start for one, other in pairwise(events))


@settings(max_examples=30)
@given(some_film)
def test_roles_that_a_clip_names_are_found_in_its_text_and_no_others(made: Made) -> None:
    film, language = made.film, made.language
    names = Names.of_cast(film.company.cast)
    for clip in film.clips:
        assert names.in_text(gold.text_of([clip], language)) == frozenset(clip.named)


@settings(max_examples=30)
@given(some_film)
def test_an_echo_is_the_same_action_by_somebody_else(made: Made) -> None:
    film = made.film
    for number, event in enumerate(film.events):
        if event.echoes is not None:
            assert event.echoes < number
            assert film.events[event.echoes].action == event.action
            assert film.events[event.echoes].actor is not event.actor


@pytest.mark.parametrize("seed", [0, 7])
def test_nobody_plays_in_two_splits(seed: int) -> None:
    options = WorldOptions("small", seed=seed)
    people = [set(people_of(options, split)) for split in SPLITS]
    assert all(not one & other for one in people for other in people if one is not other)
    films = [plan_film(options, number) for number in range(options.film_count)]
    for film in films:
        seen = {player.person for player in (*film.company.players, *film.company.extras)}
        assert seen <= people[SPLITS.index(film.split)]


def test_another_seed_is_another_film_and_the_same_seed_the_same() -> None:
    def told(seed: int) -> bytes:
        return gold.as_json(gold.document_of(plan_film(WorldOptions("small", seed=seed), 2), "zh"))

    assert told(3) == told(3) != told(4)


@pytest.fixture(scope="module")
def trained() -> list[Film]:
    options = WorldOptions("train")
    return [plan_film(options, number) for number in range(options.film_count)]


def test_a_world_to_train_on_has_the_wealth_it_promises(trained: list[Film]) -> None:
    assert len(trained) >= 40
    assert Counter(film.split for film in trained) == {"train": 40, "val": 4, "test": 4}
    actions, places = (Counter(getattr(e, what) for f in trained for e in f.events) for what in ("action", "place"))
    assert len(actions) == len(ACTIONS) >= 30
    assert len(places) == len(PLACES) >= 12
    assert all(2 <= film.duration / 60 <= 15 for film in trained)


def test_lengths_are_those_of_movie101(trained: list[Film]) -> None:
    """The medians and the ninth deciles lie within a fifth or one unit of those that were counted there."""
    for each in summarise(trained).compared:
        here, there = np.array(each.deciles)[[5, 9]], np.array(each.movie101_deciles)[[5, 9]]
        assert (np.abs(here - there) <= np.maximum(0.2 * there, 1.0)).all(), each.what


def test_gaps_are_filled_as_in_movie101(trained: list[Film]) -> None:
    told = summarise(trained)
    assert told.gaps_filled == pytest.approx(movie101.GAPS_FILLED, abs=0.03)
    assert told.time_filled == pytest.approx(movie101.TIME_FILLED, abs=0.05)
