"""Texts that fit the time there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.films.names import Names
from kataribe.narration.speech import seconds
from kataribe.narration.telling.fitting import fit

NAMES = Names({"Dr. Mori": "Dr. Mori", "Ines, the pilot": "Ines, the pilot"})
pieces = st.sampled_from(
    ["Anna waits", ". ", ", ", "! ", "3.5 km", "老李", "回头", "，", "。", "Dr. Mori", "Ines, the pilot", " "]
)
texts = st.lists(pieces, max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("text", "time", "expected"),
    [
        ("Anna waits. Tom runs. Eve sings.", 1.5, "Anna waits. Tom runs."),
        ("Anna waits for Tom, who is late, as always.", 1.5, "Anna waits for Tom."),
        ("Mr. Brown waits. Tom runs.", 1.2, "Mr. Brown waits."),
        ("It is 3.5 km, she says. No more.", 1.0, "It is 3.5 km."),
        ("“Stop!” Tom cries. Anna runs.", 0.6, "“Stop!”"),
        ("老李回头。朝屋内喊道。", 1.2, "老李回头。"),
        ("夜里，老李回头，朝屋内喊道。", 1.2, "夜里，老李回头。"),
        ("Dr. Mori waits. Tom runs.", 1.0, "Dr. Mori waits."),
        ("Ines, the pilot, waits. Tom runs", 1.1, "Ines, the pilot."),
        ("Anna", 0.1, ""),
        ("...", 0.0, "..."),
    ],
)
def test_the_first_sentences_or_clauses_that_fit(text: str, time: float, expected: str) -> None:
    cps = 5 if "老" in text else 12
    assert fit(text, time, cps, NAMES).text == expected


@given(texts, st.floats(0, 10), st.sampled_from([5.0, 12.0]))
def test_what_is_told_fits_begins_the_text_and_cuts_no_name(text: str, time: float, cps: float) -> None:
    told, how = fit(text, time, cps, NAMES)
    assert seconds(told, cps) <= time
    assert (how == "whole") == (seconds(text, cps) <= time)
    assert text.startswith(told if how == "whole" else told[:-1])
    if how == "shortened":
        assert {mention.role for mention in NAMES.mentions(told)} <= {mention.role for mention in NAMES.mentions(text)}
        assert not told.endswith(("Dr.", "Ines."))
