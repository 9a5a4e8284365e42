"""Voices fill the time that was planned for them, whatever the words."""

from __future__ import annotations

import numpy as np
import pytest

from kataribe.core.errors import ResourceError
from kataribe.films.world import speech
from kataribe.films.world.options import WorldOptions, random_stream
from kataribe.films.world.plot import plan_film
from tests.films.world.conftest import skip_unless_it_can_be_made


@pytest.mark.parametrize("language", ["zh", "en"])
def test_everybody_is_heard_when_the_plan_says_so_and_it_is_quiet_between(language) -> None:  # type: ignore[no-untyped-def]
    skip_unless_it_can_be_made(language)
    film = plan_film(WorldOptions("smoke", language=language), 1)
    sound = speech.soundtrack(film, language, "narrated", random_stream(0, "sound"))
    assert len(sound) == round(film.duration * speech.RATE)
    planned = [(line.start, line.end) for line in film.lines]
    planned += [(part.start, part.end) for clip in film.clips for part in clip.fragments]
    times = np.arange(len(sound)) / speech.RATE * 8
    voiced = np.zeros(len(sound), bool)
    for start, end in planned:
        during = (times >= start) & (times < end)
        voiced |= during
        loud = np.flatnonzero(during & (np.abs(sound) > 0.03))
        assert times[loud[0]] - start < 4
        assert end - times[loud[-1]] < 4
    assert np.abs(sound[~voiced]).max() < 0.01


def test_only_actors_are_heard_in_a_film_without_narration() -> None:
    skip_unless_it_can_be_made("en")
    film = plan_film(WorldOptions("smoke", language="en"), 1)
    sound = speech.soundtrack(film, "en", "dialogue", random_stream(0, "sound"))
    clip = film.clips[0]
    assert np.abs(sound[round(clip.start / 8 * speech.RATE) : round(clip.end / 8 * speech.RATE)]).max() < 0.01
    assert np.abs(sound).max() > 0.2


def test_a_silent_film_needs_no_synthesiser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    film = plan_film(WorldOptions("smoke"), 0)
    assert np.abs(speech.soundtrack(film, "zh", "silent", random_stream(0, "sound"))).max() < 0.01
    with pytest.raises(ResourceError, match="install the package espeak-ng"):
        speech.check_voices()
