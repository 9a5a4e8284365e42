"""Narrators that never look."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.core.errors import UsageError
from kataribe.core.types import Cast, Segment
from kataribe.narration.narrators.protocol import open_narrator
from tests.narration.narrators.made import made_corpus

FILM = made_corpus((1, 0, 0)).films["train0"]
SPANS = [Segment(start, start + 4) for start in range(0, 24, 2)]


def test_each_says_names_of_the_cast_alone() -> None:
    names = FILM.cast.names
    assert {told.roles for told in open_narrator("first-billed").tell(FILM, SPANS)} == {names[:1]}
    assert {told.text for told in open_narrator("whole-cast").tell(FILM, SPANS)} == {"、".join(names) + "。"}
    drawn = {told.roles[0] for told in open_narrator("random").tell(FILM, SPANS)}
    assert drawn == set(names)


def test_a_draw_depends_on_the_seed_and_the_span_alone() -> None:
    first = open_narrator("random", seed=1).tell(FILM, SPANS)
    assert open_narrator("random", seed=1).tell(FILM, SPANS[3:]) == first[3:]
    assert open_narrator("random", seed=2).tell(FILM, SPANS) != first


def test_without_a_cast_they_are_silent() -> None:
    nobody = replace(FILM, cast=Cast("train0", ()))
    for name in ("first-billed", "whole-cast", "random"):
        assert [told.text for told in open_narrator(name).tell(nobody, SPANS[:1])] == [""]


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(UsageError, match="has no option 'beems'"):
        open_narrator("random", beems=2)
