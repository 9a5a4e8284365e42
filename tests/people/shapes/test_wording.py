"""Sentences say what their descriptions say, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.people.shapes import english, japanese, kinds
from kataribe.people.shapes.description import SEVERAL, Description, Phrase
from kataribe.people.shapes.scene import random_scene
from kataribe.people.shapes.wording import Tell

SEEDS = st.integers(0, 2**32)
TELLERS = pytest.mark.parametrize("tell", [english.tell, japanese.tell], ids=["en", "ja"])


def description_of(rng: np.random.Generator) -> Description:
    topic = kinds.random_topic(random_scene(rng), rng)
    tell = (kinds.tell_reference, kinds.tell_like, kinds.tell_unlike, kinds.tell_vague)[rng.integers(4)]
    return kinds.whole(tell, topic, rng)


def named(text: str, words: Mapping[str, Iterable[str]]) -> tuple[list[str], str]:
    """The values whose words stand in a text, the longest words first, and the text without them."""
    pairs = sorted(((word, value) for value, ways in words.items() for word in ways), key=lambda pair: -len(pair[0]))
    found = []
    for word, value in pairs:
        pattern = re.escape(word) if word[0] > "z" else rf"\b{re.escape(word)}\b"
        text, times = re.subn(pattern, "_", text)
        found += [value] * times
    return sorted(found), text


@given(SEEDS)
def test_english_names_the_colours_and_shapes_that_it_is_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    description = description_of(rng)
    text = english.tell(description, rng).lower()
    colours, text = named(text, english._COLOURS)
    shapes, text = named(text, {shape: [n for noun in nouns for n in noun] for shape, nouns in english._SHAPES.items()})
    assert colours == sorted(phrase.colour for phrase in description.phrases if phrase.colour)
    assert shapes == sorted(phrase.shape for phrase in description.phrases if phrase.shape)
    assert named(text, english._GROUNDS)[0] == ([description.background] if description.background else [])


@given(SEEDS)
def test_japanese_names_the_colours_and_shapes_that_it_is_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    description = description_of(rng)
    grounds, text = named(japanese.tell(description, rng), japanese._GROUNDS)
    colours, text = named(text, japanese._COLOURS)
    shapes, text = named(text, japanese._SHAPES)
    assert grounds == ([description.background] if description.background else [])
    assert colours == sorted(phrase.colour for phrase in description.phrases if phrase.colour)
    assert shapes == sorted(phrase.shape for phrase in description.phrases if phrase.shape)


@TELLERS
@given(SEEDS)
def test_the_same_seed_tells_the_same(tell: Tell, seed: int) -> None:
    description = description_of(np.random.default_rng(seed))
    first, second = (tell(description, np.random.default_rng(seed)) for _ in range(2))
    assert first == second


@TELLERS
def test_a_wrong_colour_in_the_same_words_changes_the_colour_alone(tell: Tell) -> None:
    one, other = (
        tell(Description((Phrase(colour=colour, shape="star"),)), np.random.default_rng(3))
        for colour in ("blue", "green")
    )
    differing = [pair for pair in zip(one.split(), other.split(), strict=True) if pair[0] != pair[1]]
    assert one != other
    assert len(differing) == 1


RED, BLUE = Phrase(colour="red", shape="circle"), Phrase(2, colour="blue", shape="square")


@TELLERS
def test_there_are_many_ways_to_say_one_thing(tell: Tell) -> None:
    texts = {tell(Description((RED,)), np.random.default_rng(seed)) for seed in range(300)}
    assert len(texts) > 60


def test_a_relation_is_told_from_both_sides() -> None:
    texts = [japanese.tell(Description((RED, BLUE), "left"), np.random.default_rng(seed)) for seed in range(60)]
    sides = {("左" in text or "ひだり" in text, "右" in text or "みぎ" in text) for text in texts}
    assert sides == {(True, False), (False, True)}


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        (Phrase(colour="orange"), r"\b(an orange|a bright orange)"),
        (Phrase(colour="orange", size="large"), r"\ba (large|big|huge) (bright )?orange"),
        (Phrase(SEVERAL, shape="square"), r"(squares|boxes|blocks)"),
        (Phrase(2, shape="cross"), r"(two|2|a couple of) (crosses|plus signs|pluses)"),
    ],
)
def test_english_articles_and_plurals(phrase: Phrase, expected: str) -> None:
    for seed in range(20):
        assert re.search(expected, english.tell(Description((phrase,)), np.random.default_rng(seed)).lower())
