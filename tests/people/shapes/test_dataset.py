"""The set as a whole: the same from the same seed, parts that share nothing, ratings as stated."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.people.shapes.dataset import Picture, ShapeSet, ShapesOptions, make_shapes
from kataribe.people.shapes.description import compare
from kataribe.people.shapes.kinds import KINDS, RIGHT
from kataribe.people.shapes.summary import summarise
from kataribe.people.shapes.wording import plain
from tests.people.shapes.naive import is_entailed


@pytest.fixture(scope="module", params=["en", "ja"])
def small(request: pytest.FixtureRequest) -> ShapeSet:
    return make_shapes(ShapesOptions("small", request.param))


def texts(pictures: list[Picture]) -> list[str]:
    return [plain(text) for each in pictures for text in (*each.references, *(c.text for c in each.captions))]


def test_the_same_options_make_the_same_set() -> None:
    first, again, other = (make_shapes(ShapesOptions("smoke", seed=seed)) for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_both_languages_show_the_same_pictures() -> None:
    english, japanese = (make_shapes(ShapesOptions("smoke", language)) for language in ("en", "ja"))  # type: ignore[arg-type]
    assert [picture.scene for picture in english.pictures] == [picture.scene for picture in japanese.pictures]
    assert not set(texts(list(english.pictures))) & set(texts(list(japanese.pictures)))


def test_smoke_is_the_beginning_of_small(small: ShapeSet) -> None:
    smoke = make_shapes(ShapesOptions("smoke", small.options.language))
    assert [p.scene for p in smoke.pictures] == [p.scene for p in small.pictures[:40]]


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_captions_that_are_called_right_are_right_and_no_others(seed: int) -> None:
    for picture in make_shapes(ShapesOptions("smoke", seed=seed)).pictures:
        for caption in picture.captions:
            assert is_entailed(caption.description, picture.scene) == (caption.kind in RIGHT)
            assert caption.rule == compare(caption.description, picture.scene).rating()


def test_train_and_test_share_no_text(small: ShapeSet) -> None:
    train, test = ([p for p in small.pictures if p.part == part] for part in ("train", "test"))
    assert (len(train), len(test)) == (320, 80)
    assert not set(texts(train)) & set(texts(test))
    assert summarise(small).leaked == 0


def test_no_text_stands_with_two_pictures(small: ShapeSet) -> None:
    found = texts(list(small.pictures))
    assert small.shared == 0
    assert len(set(found)) == len(found)


def test_every_picture_has_five_captions_and_two_to_five_references(small: ShapeSet) -> None:
    assert {len(picture.captions) for picture in small.pictures} == {5}
    assert {len(picture.references) for picture in small.pictures} == {2, 3, 4, 5}


def test_every_kind_is_there_and_rated_in_the_stated_order(small: ShapeSet) -> None:
    kinds = summarise(small).kinds
    assert tuple(kinds) == KINDS
    assert min(found.captions for found in kinds.values()) >= 20
    assert min(kinds["like"].rating, kinds["unlike"].rating) > kinds["vague"].rating + 0.5
    assert kinds["vague"].rating > kinds["wrong-colour"].rating + 0.5
    assert kinds["wrong-colour"].rating > kinds["other"].rating + 0.3


def test_raters_agree_as_people_do(small: ShapeSet) -> None:
    summary = summarise(small)
    assert 0.75 < summary.ceiling < 0.85
    assert summary.ceiling < summary.oracle < 1
    assert set(small.ratings.ravel()) == {1, 2, 3, 4, 5}
    means = small.ratings.mean(axis=0)
    assert means.max() - means.min() > 0.2, "some raters are stricter"


@pytest.mark.parametrize("bad", [{"size": "huge"}, {"language": "zh"}, {"seed": -1}])
def test_options_that_are_not_there_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ShapesOptions(**bad)  # type: ignore[arg-type]
