"""Parts that share nothing, captions of other pictures as negatives, and sets that are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.material import (
    Material,
    RatedSet,
    check_ratings,
    folded,
    linked,
    refuse_constant,
    refuse_overlap,
    split_parts,
)
from kataribe.captions.suisei.options import TrainingOptions
from kataribe.core.errors import InputError, UsageError
from tests.captions.suisei.made import rated

TEXTS = st.sampled_from([f"text {n}" for n in range(30)] + ["Text  1", "TEXT 2 "])
ROW = st.tuples(st.integers(0, 9), TEXTS, st.lists(TEXTS, min_size=1, max_size=3))


def examples_of(rows: list[tuple[int, str, list[str]]]) -> RatedExamples:
    count = len(rows)
    ids, groups = [str(n) for n in range(count)], [str(picture) for picture, _, _ in rows]
    ratings = np.linspace(1, 5, count)
    candidates, references = [text for _, text, _ in rows], [found for _, _, found in rows]
    return RatedExamples(ids, groups, candidates, references, ratings, [None] * count, 1.0, 5.0)


@given(st.lists(ROW, min_size=3, max_size=40), st.integers(0, 5))
def test_parts_of_a_split_share_no_picture_and_no_text(rows: list[tuple[int, str, list[str]]], seed: int) -> None:
    examples = examples_of(rows)
    try:
        parts = split_parts(RatedSet("set", examples), TrainingOptions(seed=seed, validation=0.2, held_out=0.2))
    except InputError:  # too much is linked
        return
    seen: list[tuple[set[str], set[str]]] = []
    for found in parts.rows.values():
        some = examples[found]
        texts = {folded(text) for text in (*some.candidates, *(text for each in some.references for text in each))}
        seen.append((set(some.groups), texts))
    for one in range(3):
        for other in range(one):
            assert not seen[one][0] & seen[other][0]
            assert not seen[one][1] & seen[other][1]
    assert sorted(np.concatenate(list(parts.rows.values())).tolist()) == list(range(len(rows)))
    assert not any(parts.shared.values())


@given(st.lists(ROW, min_size=2, max_size=30), st.integers(0, 5), st.sampled_from([0.3, 1.0, 2.5]), st.booleans())
@settings(max_examples=50)
def test_negatives_are_captions_of_strangers(
    rows: list[tuple[int, str, list[str]]], seed: int, share: float, by_picture: bool
) -> None:
    examples = examples_of(rows)
    texts: dict[str, int] = {}
    material = Material.of(examples, texts)
    listed = list(texts)
    groups = material.items if by_picture else linked(examples)
    try:
        negatives = material.negatives(groups, share, seed)
    except UsageError:  # nobody is a stranger
        return
    assert len(negatives) == round(share * len(rows))
    assert not negatives.ratings.any()
    group_of_text: dict[str, set[int]] = {}
    for text, group in zip(examples.candidates, groups.tolist(), strict=True):
        group_of_text.setdefault(text, set()).add(group)
    for n, row in enumerate(negatives.rows.tolist()):
        caption = listed[negatives.layout.candidates[n]]
        assert (
            negatives.layout.references[n : n + 1].values.tolist()
            == material.layout.references[row : row + 1].values.tolist()
        )
        assert negatives.items[n] == material.items[row]
        of_picture = [other for other in range(len(rows)) if material.items[other] == material.items[row]]
        written = {text for other in of_picture for text in (examples.candidates[other], *examples.references[other])}
        assert caption not in written
        assert group_of_text[caption] - {int(groups[row])}
        if not by_picture:  # of one component, all that a caption is written of
            assert int(groups[row]) not in group_of_text[caption]


def test_negatives_are_refused_where_nobody_is_a_stranger() -> None:
    examples = examples_of([(n, "the same text", [f"reference {n}"]) for n in range(5)])
    material = Material.of(examples, {})
    with pytest.raises(UsageError, match="all that are trained on share pictures or texts - leave out negatives"):
        material.negatives(material.items, 1.0, 0)


def test_negatives_are_the_same_for_the_same_seed_and_others_for_another() -> None:
    made = rated(40)
    material = Material.of(made.examples, {})
    groups = linked(made.examples)
    drawn = [material.negatives(groups, 1.0, seed).layout.candidates.tolist() for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_references_of_a_picture_count_once_however_many_captions_are_rated() -> None:
    examples = examples_of([(0, "a", ["r", "s"]), (0, "b", ["s", "r"]), (1, "c", ["r"])])
    texts: dict[str, int] = {}
    material = Material.of(examples, texts)
    listed = list(texts)
    assert sorted(listed[row] for row in material.picture_references()) == ["r", "r", "s"]


def test_fully_linked_captions_are_split_by_picture_if_at_all() -> None:
    examples = examples_of([(n, "the same text", [f"reference {n}"]) for n in range(20)])
    with pytest.raises(InputError) as caught:
        split_parts(RatedSet("set.csv", examples), TrainingOptions())
    assert str(caught.value).startswith("set.csv: all examples are linked")
    assert 'split="picture"' in str(caught.value)
    parts = split_parts(RatedSet("set.csv", examples), TrainingOptions(split="picture"))
    assert "validation shares with train: 0 of 2 pictures, 1 of 1 candidates, 0 of 2 references" in parts.lines()


def test_too_few_pictures_are_said_without_a_hint_to_what_was_done() -> None:
    examples = examples_of([(n % 2, f"text {n}", ["r"]) for n in range(20)])
    with pytest.raises(InputError, match="rate captions of more pictures"):
        split_parts(RatedSet("set", examples), TrainingOptions(split="picture"))


def test_shares_of_a_split_are_about_what_was_asked_for() -> None:
    parts = split_parts(rated(200), TrainingOptions(validation=0.2, held_out=0.1))
    assert {name: len(rows) for name, rows in parts.rows.items()} == {"train": 140, "validation": 40, "held out": 20}


@pytest.mark.parametrize(
    ("ratings", "line"),
    [
        ([1.0, 6.0, 2.0], "set: id '1': the rating 6 is outside of 1 to 5"),
        ([1.0, 0.5, 2.0], "set: id '1': the rating 0.5 is outside of 1 to 5"),
        ([1.0, float("nan"), 2.0], "set: id '1': the rating nan is outside of 1 to 5"),
    ],
)
def test_ratings_outside_of_their_scale_are_refused(ratings: list[float], line: str) -> None:
    examples = replace(examples_of([(n, "a", ["r"]) for n in range(3)]), ratings=np.array(ratings))
    with pytest.raises(InputError) as caught:
        check_ratings(RatedSet("set", examples))
    assert str(caught.value) == line


def test_ratings_that_are_all_alike_are_refused() -> None:
    examples = replace(examples_of([(n, "a", ["r"]) for n in range(3)]), ratings=np.full(3, 2.0))
    with pytest.raises(InputError, match="set: every rating is 2: there is nothing to learn"):
        refuse_constant(RatedSet("set", examples))


def test_no_ratings_are_refused() -> None:
    with pytest.raises(InputError, match="set: holds no rated captions"):
        check_ratings(RatedSet("set", examples_of([])))


@given(st.lists(ROW, min_size=1, max_size=10), st.lists(ROW, min_size=1, max_size=10))
def test_a_test_set_that_shares_pictures_or_candidates_is_refused(one: list, other: list) -> None:
    train, test = RatedSet("train.csv", examples_of(one)), RatedSet("test.csv", examples_of(other))
    ours, theirs = train.keys(), test.keys()
    overlaps = bool(ours["pictures"] & theirs["pictures"] or ours["candidates"] & theirs["candidates"])
    found = refuse_overlap(train, test, allowed=True)
    assert found.counts["pictures"] == (len(ours["pictures"] & theirs["pictures"]), len(theirs["pictures"]))
    if overlaps:
        with pytest.raises(UsageError, match=r"test.csv and train.csv share .* say allow_overlap"):
            refuse_overlap(train, test, allowed=False)
    else:
        assert refuse_overlap(train, test, allowed=False) == found


def test_captions_of_a_set_are_items_of_their_own() -> None:
    made = rated(6, of_picture=3, pictures=True)
    items = made.captions()
    assert list(items.ids) == list(made.examples.ids)
    assert len(items) == 6
    assert items.media is made.media
