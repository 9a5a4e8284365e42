"""Negatives that describe other pictures, positives that are left out, and what they weigh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.drawn import NEAREST, Drawing, with_drawn, word_counts
from kataribe.captions.suisei.material import Material, linked
from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
from kataribe.core.errors import UsageError
from kataribe.text.sameness import words
from tests.captions.suisei.made import rated
from tests.captions.suisei.test_material import ROW, examples_of

Row = tuple[int, str, list[str]]


def drawing_of(examples: RatedExamples, by_picture: bool = False) -> Drawing:
    texts: dict[str, int] = {}
    material = Material.of(examples, texts)
    return Drawing(material, list(texts), material.items if by_picture else linked(examples))


def written_of(examples: RatedExamples, groups: Any, group: int) -> set[str]:
    """All texts of a group, whatever their spelling."""
    rows = np.flatnonzero(groups == group).tolist()
    return {words(text) for row in rows for text in (examples.candidates[row], *examples.references[row])}


@given(st.lists(ROW, min_size=2, max_size=30), st.integers(0, 5), st.sampled_from([0.3, 1.0, 2.5]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_negative_never_shares_a_component_with_its_item(
    rows: list[Row], seed: int, share: float, by_picture: bool
) -> None:
    examples = examples_of(rows)
    drawing = drawing_of(examples, by_picture)
    try:
        negatives = drawing.negatives(share, np.random.default_rng(seed))
    except UsageError:  # nobody is a stranger
        return
    assert len(negatives) == round(share * len(rows))
    assert not negatives.ratings.any()
    own = drawing.material.layout.references
    for n, row in enumerate(negatives.rows.tolist()):
        caption = words(drawing.texts[negatives.layout.candidates[n]])
        assert caption not in written_of(examples, drawing.groups, drawing.groups[row])
        assert negatives.layout.references[n : n + 1].values.tolist() == own[row : row + 1].values.tolist()
        assert negatives.items[n] == drawing.material.items[row]


@given(st.lists(ROW, min_size=1, max_size=20), st.integers(0, 5), st.sampled_from([0.5, 1.0, 2.0]))
@settings(deadline=None)
def test_a_left_out_reference_never_stands_among_the_references(rows: list[Row], seed: int, share: float) -> None:
    examples = examples_of([(picture, text, [*own, "A  DOG", "a dog"]) for picture, text, own in rows])
    drawing = drawing_of(examples)
    positives = drawing.positives(share, np.random.default_rng(seed))
    assert (positives.ratings == 1).all()
    for n, row in enumerate(positives.rows.tolist()):
        left_out = words(drawing.texts[positives.layout.candidates[n]])
        remaining = [drawing.texts[text] for text in positives.layout.references[n : n + 1].values.tolist()]
        assert left_out in map(words, examples.references[row])
        assert left_out not in map(words, remaining)
        assert len(remaining) >= 2
        own = [text for text in dict.fromkeys(examples.references[row]) if words(text) != left_out]
        assert sorted(remaining) == sorted(own)


@pytest.mark.parametrize(("references", "expected"), [(1, 0), (2, 0), (3, 24), (5, 24)])
def test_two_references_must_remain(references: int, expected: int) -> None:
    drawing = drawing_of(rated(24, references=references).examples)
    assert len(drawing.positives(1.0, np.random.default_rng(0))) == expected


def test_negatives_are_refused_where_nobody_is_a_stranger() -> None:
    examples = examples_of([(n, "the same text", ["the same text"]) for n in range(5)])
    with pytest.raises(UsageError, match="all that are trained on share pictures or texts - take negatives=0"):
        drawing_of(examples, by_picture=True).negatives(1.0, np.random.default_rng(0))


def test_a_third_each_are_candidates_references_and_near_ones() -> None:
    drawing = drawing_of(examples_of([(n, f"candidate {n}", [f"one {n}", f"two {n}"]) for n in range(60)]))
    found = drawing.negatives(2.0, np.random.default_rng(0))
    assert len(found) == 120
    assert sum(drawing.texts[text].startswith("candidate") for text in found.layout.candidates.tolist()) == 40
    assert np.bincount(found.rows).tolist() == [2] * 60


def test_near_ones_are_among_the_nearest_of_other_groups() -> None:
    subjects = ["dog grass", "dog field", "cat sofa", "cat chair"]
    rows = [
        (n, f"candidate {n}", [f"{subjects[n % 4]} {n} {word}" for word in ("red", "blue", "green")]) for n in range(80)
    ]
    drawing = drawing_of(examples_of(rows))
    asked = np.repeat(np.arange(4), 10)
    near = drawing.near(asked, np.random.default_rng(0))
    for row, text in zip(asked.tolist(), near.tolist(), strict=True):
        assert drawing.texts[text].startswith(subjects[row])
        assert f" {row} " not in drawing.texts[text]
    assert NEAREST <= 57  # as many are there of each subject


def test_words_of_scripts_without_spaces_are_pairs_of_letters() -> None:
    assert word_counts(["白い犬", "犬が走る"]).shape == (2, 5)


def test_without_references_anywhere_negatives_are_candidates() -> None:
    made = rated(20, references=0).examples
    found = drawing_of(made).negatives(1.0, np.random.default_rng(0))
    assert len(found) == 20


def test_negatives_together_weigh_as_much_as_the_rated_captions() -> None:
    made = rated(40, references=4).examples
    drawing = drawing_of(made)
    arguments = drawing.material, drawing.texts, drawing.groups
    all_three = with_drawn(*arguments, ModelOptions(head="suisei"), TrainingOptions())
    assert len(all_three) == 40 + 80 + 40
    assert all_three.weights[:40].tolist() == [1.0] * 40
    assert all_three.weights[40:120].sum() == pytest.approx(40)
    assert all_three.weights[120:].tolist() == [1.0] * 40
    assert all_three.ratings[40:].tolist() == [0.0] * 80 + [1.0] * 40
    free = with_drawn(*arguments, ModelOptions(head="suisei", without=("references",)), TrainingOptions())
    assert len(free) == 120
    assert len(with_drawn(*arguments, ModelOptions(), TrainingOptions(negatives=0, positives=0))) == 40


def test_what_is_drawn_is_the_same_for_the_same_seed_and_other_for_another() -> None:
    drawing = drawing_of(rated(40, references=4).examples)
    drawn = [
        with_drawn(drawing.material, drawing.texts, drawing.groups, ModelOptions(), TrainingOptions(seed=seed))
        for seed in (0, 0, 1)
    ]
    one, again, other = (each.layout.candidates.tolist() for each in drawn)
    assert one == again != other
