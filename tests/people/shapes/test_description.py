"""The rule: which details are true, and what a caption is worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.people.shapes.description import SEVERAL, Description, Phrase, Truth, compare
from kataribe.people.shapes.scene import BACKGROUNDS, COLOURS, RELATIONS, SHAPES, SIZES, Look, Scene, Thing
from tests.people.shapes.naive import is_entailed


def things(look: Look, *places: tuple[float, float]) -> tuple[Thing, ...]:
    return tuple(Thing(look, x, y, 24, 0) for x, y in places)


RED, BLUE = Look("circle", "red", "small"), Look("circle", "blue", "large")
# Two small red circles on the left, one large blue circle on the right.
SCENE = Scene("white", things(RED, (40, 50), (40, 150)) + things(BLUE, (150, 100)))


@pytest.mark.parametrize(
    ("description", "said", "true"),
    [
        (Description((Phrase(2, colour="red", shape="circle"),)), 3, 3),
        (Description((Phrase(3, colour="red", shape="circle"),)), 3, 2),
        (Description((Phrase(SEVERAL, colour="red"),)), 1, 1),
        (Description((Phrase(3, shape="circle"),)), 2, 2),
        (Description((Phrase(2, shape="circle"),)), 2, 1),  # there are three, of two colours
        (Description((Phrase(2, colour="green", shape="circle"),)), 3, 2),  # the red ones, by a wrong colour
        (Description((Phrase(colour="green", shape="star"),)), 2, 0),
        (Description((Phrase(2, shape="circle"), Phrase(colour="blue"))), 3, 3),
        (Description((Phrase(colour="blue"), Phrase(colour="blue"))), 2, 1),  # no group is read twice
        (Description((Phrase(colour="blue"), Phrase(SEVERAL, colour="red")), "right"), 3, 3),
        (Description((Phrase(colour="blue"), Phrase(SEVERAL, colour="red")), "left"), 3, 2),
        (Description((Phrase(colour="blue"),), background="white"), 2, 2),
        (Description((Phrase(colour="blue"),), background="grey"), 2, 1),
    ],
)
def test_details_are_counted(description: Description, said: int, true: int) -> None:
    assert compare(description, SCENE) == Truth(said, true)


def optional(values: tuple[str, ...]) -> st.SearchStrategy[str | None]:
    return st.none() | st.sampled_from(values)


PHRASES = st.builds(
    Phrase,
    st.sampled_from([1, 2, 3, 4]),
    optional(SIZES),
    optional(COLOURS[:2]),
    optional(SHAPES[:2]),
)
LOOKS = st.builds(Look, st.sampled_from(SHAPES[:2]), st.sampled_from(COLOURS[:2]), st.sampled_from(SIZES))
# Four places in a row, far enough apart to be clearly left and right of each other.
SCENES = st.builds(
    lambda background, looks: Scene(background, tuple(Thing(k, 30 + 50 * i, 50, 20, 0) for i, k in enumerate(looks))),
    st.sampled_from(BACKGROUNDS),
    st.lists(LOOKS, min_size=1, max_size=4),
)


@given(st.lists(PHRASES, min_size=1, max_size=3), optional(BACKGROUNDS), SCENES)
def test_a_description_is_wholly_true_if_it_is_entailed(
    phrases: list[Phrase], background: str | None, scene: Scene
) -> None:
    description = Description(tuple(phrases), None, background)  # type: ignore[arg-type]
    truth = compare(description, scene)
    assert 0 <= truth.true <= truth.said
    if truth.is_whole and all(phrase.said for phrase in phrases) and len(phrases) <= len(scene.groups):
        assert is_entailed(description, scene)


@given(st.lists(PHRASES, min_size=2, max_size=2), st.sampled_from(RELATIONS), SCENES)
def test_wholly_true_relations_are_entailed(phrases: list[Phrase], relation: str, scene: Scene) -> None:
    description = Description(tuple(phrases), relation)  # type: ignore[arg-type]
    if all(phrase.said for phrase in phrases) and compare(description, scene).is_whole:
        assert is_entailed(description, scene)


TRUTHS = st.integers(1, 9).flatmap(lambda said: st.builds(Truth, st.just(said), st.integers(0, said)))


@given(TRUTHS)
def test_ratings_stay_on_the_scale_and_grow_with_truth(truth: Truth) -> None:
    rating = truth.rating()
    assert 1 <= rating <= 5
    if truth.true < truth.said:
        assert rating <= Truth(truth.said, truth.true + 1).rating()
        assert rating < 5
    assert Truth(truth.said + 1, truth.true).rating() <= rating, "one more false detail is no gain"
    assert Truth(truth.said + 1, truth.true + 1).rating() >= rating, "one more true detail is no loss"


def test_three_true_details_are_worth_the_highest_rating() -> None:
    assert Truth(3, 3).rating() == 5
    assert Truth(2, 2).rating() == pytest.approx(4.2)
