"""What rating files share, on made-up captions and on the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.people.overlap import candidates_of_others, overlap
from kataribe.people.rated import RatedCaptions, read_rated
from kataribe.people.ratings import Rating, Ratings
from kataribe.people.result import Text


def rated(*rows: tuple[str, str, list[str], str | None]) -> RatedCaptions:
    """Rows of item, caption, references and picture."""
    found = RatedCaptions()
    for number, (item, caption, references, picture) in enumerate(rows):
        text = Text(item, f"{item}#{number}")
        found.captions[text], found.references[text] = caption, references
        if picture:
            found.pictures[text] = picture
    values = tuple(Rating("ann", *text, "overall", float(n)) for n, text in enumerate(found.captions))
    found.ratings = Ratings("ratings", values)
    return found


def test_texts_and_pictures_are_compared_whatever_their_case_punctuation_and_folders() -> None:
    one = rated(("1", "A  dog .", ["Dogs run!"], "flickr8k_7_ab"), ("2", "rain", ["it rains"], "8.jpg"))
    other = rated(("x", "a dog ", ["RAIN"], "images/7_ab.jpg"), ("y", "snow", ["dogs  run"], "9.jpg"))
    found = overlap(one, other)
    assert found.pictures == found.candidates == found.references == found.crossed == (1, 2)
    assert not found.is_clean
    assert str(found) == (
        "shared: pictures 1 of 2 (50.0%), candidates 1 of 2 (50.0%), references 1 of 2 (50.0%), "
        "candidates that are references there 1 of 2 (50.0%)"
    )
    assert overlap(one.examples((0, 1)), other.examples((0, 1))) == found
    assert found.to_dict()["pictures"] == {"shared": 1, "total": 2}


def test_items_without_pictures_share_none() -> None:
    """Numbers are the ids of many files; that both have an item 1 says nothing."""
    one, other = rated(("1", "a", ["b"], None)), rated(("1", "c", ["d"], None))
    assert overlap(one, other).pictures == (0, 0)
    assert overlap(one, other).is_clean


def test_a_candidate_may_be_written_for_another_item() -> None:
    found = rated(("1", "a dog", ["a dog", "x"], None), ("2", "a dog", ["y"], None), ("3", "z", ["z"], None))
    assert candidates_of_others(found) == (1, 2)


words = st.lists(st.sampled_from(["a dog", "rain", "A DOG", "snow falls", "x"]), min_size=1, max_size=5)


@given(words, words)
def test_what_is_shared_is_shared_by_both(one: list[str], other: list[str]) -> None:
    ours = rated(*((text, text, [f"{text} {text}"], text) for text in one))
    theirs = rated(*((text, text, [f"{text} {text}"], text) for text in other))
    there, back = overlap(ours, theirs), overlap(theirs, ours)
    assert (there.candidates.shared, there.references.shared) == (back.candidates.shared, back.references.shared)
    assert overlap(ours, ours).candidates.share == 1


@pytest.mark.data
def test_flickr8k_expert_and_nebula(data_folder: Path) -> None:
    expert = read_rated(data_folder / "human-judgements" / "flickr8k_expert.json")
    nebula = read_rated(data_folder / "human-judgements" / "nebula_test.json")
    # Every candidate was written for another picture of the file: a split by picture leaks.
    assert candidates_of_others(expert) == (972, 972)
    both = overlap(nebula, expert)
    assert (both.pictures.shared, both.candidates.shared, both.references.shared) == (0, 0, 1)


@pytest.mark.data
def test_composite_shares_pictures_with_flickr8k_expert(data_folder: Path) -> None:
    expert = read_rated(data_folder / "human-judgements" / "flickr8k_expert.json")
    tokens = data_folder / "flickr8k" / "Flickr8k.token.txt.gz"
    composite = read_rated(data_folder / "composite" / "composite_flickr8k.jsonl.gz", references=tokens)
    assert overlap(composite, expert).pictures.shared > 0
