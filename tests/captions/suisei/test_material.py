"""Parts that share nothing, and sets that are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.material import (
    Material,
    RatedSet,
    check_ratings,
    linked,
    overlap,
    refuse_constant,
    refuse_overlap,
    split_parts,
)
from kataribe.captions.suisei.options import TrainingOptions
from kataribe.core.errors import InputError, UsageError
from kataribe.people.rated import read_rated
from kataribe.text.sameness import words
from tests.captions.suisei.made import rated

TEXTS = st.sampled_from([f"text {n}" for n in range(30)] + ["Text  1", "TEXT 2 ", "Text, 3."])
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
        texts = {words(text) for text in (*some.candidates, *(text for each in some.references for text in each))}
        seen.append((set(some.groups), texts))
    for one in range(3):
        for other in range(one):
            assert not seen[one][0] & seen[other][0]
            assert not seen[one][1] & seen[other][1]
    assert sorted(np.concatenate(list(parts.rows.values())).tolist()) == list(range(len(rows)))
    assert not any(parts.shared.values())


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


def with_pictures(rows: list[tuple[int, str, list[str]]], pattern: str) -> RatedExamples:
    return replace(examples_of(rows), pictures=[pattern.format(picture) for picture, _, _ in rows])


@given(st.lists(ROW, min_size=1, max_size=10), st.lists(ROW, min_size=1, max_size=10))
def test_a_test_set_that_shares_pictures_or_candidates_is_refused(one: list, other: list) -> None:
    train = RatedSet("train.csv", with_pictures(one, "images/{}.jpg"))
    test = RatedSet("test.csv", with_pictures(other, "flickr8k_{}"))
    ours, theirs = ({picture for picture, _, _ in rows} for rows in (one, other))
    texts = [{words(text) for _, text, _ in rows} for rows in (one, other)]
    found = refuse_overlap(train, test, allowed=True)
    assert found.counts["pictures"] == (len(ours & theirs), len(theirs))
    assert found.counts["candidates"] == (len(texts[0] & texts[1]), len(texts[1]))
    if ours & theirs or texts[0] & texts[1]:
        with pytest.raises(UsageError, match=r"test.csv and train.csv share .* say allow_overlap"):
            refuse_overlap(train, test, allowed=False)
    else:
        assert refuse_overlap(train, test, allowed=False) == found


def test_texts_are_compared_whatever_their_case_and_punctuation() -> None:
    one, other = examples_of([(1, "A  dog .", ["Dogs run!"])]), examples_of([(2, "a dog ", ["dogs  run"])])
    assert str(overlap(one, other)) == "0 of 0 pictures, 1 of 1 candidates, 1 of 1 references"


def test_items_are_compared_where_they_are_names() -> None:
    """Numbers are the items of many files; that both have an item 1 says nothing."""
    one, other = examples_of([(1, "a", ["b"])]), examples_of([(1, "c", ["d"])])
    assert not overlap(one, other)
    assert overlap(replace(one, groups=["beach"]), replace(other, groups=["beach"])).counts["pictures"] == (1, 1)


@pytest.mark.data
def test_flickr8k_expert_nebula_and_composite(data_folder: Path) -> None:
    expert = read_rated(data_folder / "human-judgements" / "flickr8k_expert.json").examples()
    nebula = read_rated(data_folder / "human-judgements" / "nebula_test.json").examples()
    tokens = data_folder / "flickr8k" / "Flickr8k.token.txt.gz"
    composite = read_rated(data_folder / "composite" / "composite_flickr8k.jsonl.gz", references=tokens).examples()
    assert {what: count for what, (count, _) in overlap(nebula, expert).counts.items()} == {
        "pictures": 0,
        "candidates": 0,
        "references": 1,
    }
    # Every candidate was written for another picture of the file: a split by picture leaks.
    assert len(set(linked(expert).tolist())) == 1
    assert overlap(expert, composite).counts["pictures"] == (997, 1000)


def test_captions_of_a_set_are_items_of_their_own() -> None:
    made = rated(6, of_picture=3, pictures=True)
    items = made.captions()
    assert list(items.ids) == list(made.examples.ids)
    assert len(items) == 6
    assert items.media is made.media
