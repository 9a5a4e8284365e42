"""Cues that belong to references by their times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.core.errors import InputError
from kataribe.core.types import Narration, Segment
from kataribe.narration.by_time import by_time

REFERENCES = [
    {"id": "1", "film": "f", "start": 0, "end": 10, "text": "Anna waits. It rains."},
    {"id": "2", "film": "f", "start": 20, "end": 30, "text": "Tom runs."},
    {"id": "3", "film": "g", "start": 0, "end": 10, "text": "Snow."},
]
times = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=8)


def lines(spans: list[tuple[int, int]], film: str = "f") -> dict[str, Narration]:
    return {
        f"{film}{n}": Narration(f"{film}{n}", film, Segment(s, s + d), f"text {n}") for n, (s, d) in enumerate(spans)
    }


def test_cues_are_joined_under_their_reference_and_the_signature_says_so() -> None:
    cues = [
        {"film": "f", "start": 4, "end": 9, "text": "It rains."},
        {"film": "f", "start": 0.5, "end": 3, "text": "Anna waits."},
        {"film": "f", "start": 19, "end": 21.5, "text": "Tom runs."},
        {"film": "g", "start": 50, "end": 51, "text": "Extra."},
        {"film": "g", "start": 9, "end": 12, "text": "Snow."},
    ]
    result = kataribe.evaluate("narration", cues, REFERENCES, ["rouge_l"], join="time")
    assert result["rouge_l"].value == 1.0
    assert (result.coverage.scored, result.coverage.extra) == (3, 1)
    assert "|join:time|" in result["rouge_l"].signature


def test_ids_of_predictions_do_not_matter() -> None:
    cues = [{"id": "2", "film": "f", "start": 1, "end": 9, "text": "Anna waits. It rains."}]
    result = kataribe.evaluate("narration", cues, REFERENCES[:1], ["rouge_l"], join="time")
    assert result["rouge_l"].value == 1.0


def test_a_cue_beside_all_references_keeps_an_id_that_none_of_them_has() -> None:
    found = by_time(
        {"1": Narration("1", "f", Segment(90, 91), "x")},
        lines([(0, 9)]) | {"1": Narration("1", "f", Segment(1, 2), "y")},
    )
    assert list(found) == ["1*"]


def test_lines_without_film_or_times_are_refused() -> None:
    with pytest.raises(InputError, match="1 prediction does not say of which film they are and when: '1'"):
        kataribe.evaluate("narration", {"1": "Anna waits."}, REFERENCES, ["rouge_l"], join="time")


@given(times, times)
def test_every_cue_is_somewhere_and_with_the_reference_it_shares_most_time_with(cues, references) -> None:
    said, written = lines(cues, "f"), {f"r{id}": line for id, line in lines(references).items()}
    found = by_time(said, {id: Narration(id, "f", line.segment, line.text) for id, line in written.items()})
    assert sorted(word for line in found.values() for word in line.text.split()) == sorted(
        word for line in said.values() for word in line.text.split()
    )
    for id, line in found.items():
        if id in written:
            assert (line.segment & written[id].segment).length > 0
    alone = [line for id, line in found.items() if id not in written]
    assert all((line.segment & other.segment).length == 0 for line in alone for other in written.values())
