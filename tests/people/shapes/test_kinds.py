"""Captions of every kind obey their rule, whatever the scene."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kataribe.people.shapes import kinds
from kataribe.people.shapes.description import Description, compare
from kataribe.people.shapes.kinds import Topic
from kataribe.people.shapes.scene import random_scene
from tests.people.shapes.naive import is_entailed

SEEDS = st.integers(0, 2**32)


def topic_of(rng: np.random.Generator) -> Topic:
    return kinds.random_topic(random_scene(rng), rng)


@given(SEEDS)
@pytest.mark.parametrize(
    "tell", [kinds.tell_reference, kinds.tell_like, kinds.tell_unlike, kinds.tell_vague], ids=lambda tell: tell.__name__
)
def test_what_is_right_is_entailed_by_the_scene(tell: kinds.TellTopic, seed: int) -> None:
    rng = np.random.default_rng(seed)
    topic = topic_of(rng)
    description = kinds.whole(tell, topic, rng)
    assert description.said
    assert is_entailed(description, topic.scene)


@given(SEEDS)
@example(697119)  # two red things beside red crosses, which one may count or not
def test_what_is_wrong_is_false_in_exactly_one_detail(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topic = topic_of(rng)
    for tell in (kinds.tell_reference, kinds.tell_like, kinds.tell_unlike):
        description = kinds.whole(tell, topic, rng)
        found = kinds.falsehoods(description, topic.scene)
        assert "wrong-count" in found
        for false in (each for descriptions in found.values() for each in descriptions):
            truth = compare(false, topic.scene)
            assert truth.true == truth.said - 1
            assert not is_entailed(false, topic.scene)


@given(SEEDS)
def test_a_wrong_detail_is_of_the_kind_that_it_is_called(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topic = topic_of(rng)
    right = kinds.whole(kinds.tell_like, topic, rng)
    for kind, descriptions in kinds.falsehoods(right, topic.scene).items():
        for false in descriptions:
            assert details_changed(right, false) == {kind.removeprefix("wrong-")}


def details_changed(one: Description, other: Description) -> set[str]:
    changed = {"position"} if one.relation != other.relation else set()
    for before, after in zip(one.phrases, other.phrases, strict=True):
        changed |= {
            name for name in ("count", "size", "colour", "shape") if getattr(before, name) != getattr(after, name)
        }
    return changed


@given(SEEDS)
def test_an_unlike_caption_tells_only_what_references_cannot_tell(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topic = topic_of(rng)
    told = {(group.look.colour, group.look.shape) for group in topic.told}
    for phrase in kinds.whole(kinds.tell_unlike, topic, rng).phrases:
        assert (phrase.colour, phrase.shape) not in told
        if not topic.hidden:
            assert (phrase.colour, phrase.shape) == (None, None)


@given(SEEDS)
def test_an_invented_thing_has_nothing_of_the_scene(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topic = topic_of(rng)
    right = kinds.whole(kinds.tell_like, topic, rng)
    invented = kinds.tell_invented(right, topic.scene, rng)
    truth = compare(invented, topic.scene)
    assert (truth.said, truth.true) == (right.said + 2, right.said)
    assert not is_entailed(invented, topic.scene)


@given(SEEDS)
def test_another_pictures_caption_is_mostly_false(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topic, *others = (topic_of(rng) for _ in range(12))
    truth = compare(kinds.tell_other(topic, others, rng), topic.scene)
    assert truth.true <= truth.said / 2
    assert truth.rating() < 1.6


@given(SEEDS)
def test_a_vague_caption_says_one_thing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert kinds.whole(kinds.tell_vague, topic_of(rng), rng).said == 1


@given(SEEDS)
def test_references_leave_something_out(seed: int) -> None:
    topic = topic_of(np.random.default_rng(seed))
    assert topic.hidden or len(topic.hidden_extras) >= 2
    assert topic.told
