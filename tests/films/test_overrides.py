"""Changes by people: each kind, that they survive a rebuild, and that none is lost silently."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import InputError
from kataribe.core.types import Caption, Segment
from kataribe.films.corpus import FilmInput, build
from kataribe.films.lines import FilmLines
from kataribe.films.overrides import Override, apply, cut_of, read_overrides
from kataribe.films.rules import Rules

from .strategies import lines

CLIPS = [
    Caption(Segment(0, 4), "It rains. A dog barks."),
    Caption(Segment(10, 14), "Penelopy weeves."),
    Caption(Segment(20, 24), "A door opens."),
    Caption(Segment(60, 64), "A door opens."),
]


def texts(*overrides: Override) -> list[str]:
    clips, unapplied = apply(overrides, CLIPS)
    assert unapplied == []
    return [clip.text for clip in clips]


def why(override: Override) -> str:
    clips, unapplied = apply([override], CLIPS)
    assert list(clips) == CLIPS
    return str(unapplied[0])


def test_a_text_is_corrected() -> None:
    assert texts(Override("f", "correct", text="Penelopy weeves", to="Penelope weaves"))[1] == "Penelope weaves."


def test_a_clip_is_split_before_the_text_and_its_time_by_letters() -> None:
    (first, second, *_), _ = apply([Override("f", "split", text="A dog")], CLIPS)
    assert (first.text, second.text) == ("It rains.", "A dog barks.")
    assert first.segment.end == second.segment.start == pytest.approx(4 * 10 / 22, abs=1e-3)
    (first, *_), _ = apply([Override("f", "split", text="A dog", time=1.5)], CLIPS)
    assert first.segment == Segment(0, 1.5)


def test_clips_are_merged_from_one_to_the_other() -> None:
    clips, _ = apply([Override("f", "merge", text="A dog", through="weeves")], CLIPS)
    assert clips[0] == Caption(Segment(0, 14), "It rains. A dog barks. Penelopy weeves.")
    assert len(clips) == 3


def test_a_clip_is_moved_and_removed() -> None:
    clips, _ = apply([Override("f", "move", text="weeves", start=30, end=33)], CLIPS)
    assert [clip.segment.start for clip in clips] == [0, 20, 30, 60]
    assert texts(Override("f", "remove", text="weeves")) == ["It rains. A dog barks.", "A door opens.", "A door opens."]


def test_near_chooses_among_equal_texts() -> None:
    clips, _ = apply([Override("f", "remove", text="A door", near=62)], CLIPS)
    assert [clip.segment.start for clip in clips] == [0, 10, 20]
    clips, _ = apply([Override("f", "merge", text="weeves", through="A door", near=12)], CLIPS)
    assert clips[1].text == "Penelopy weeves. A door opens."


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        (Override("f", "remove", text="A cat"), "film 'f': remove 'A cat': no clip has the text 'A cat'"),
        (Override("f", "remove", text="A door"), "2 clips have the text 'A door'; give near, or more of the text"),
        (Override("f", "remove", text="A door", near=500), "no clip within 30 s of 500 s has the text"),
        (
            Override("f", "correct", text="rainz", to="It rains."),
            "corrected already; the change is no longer needed",
        ),
        (Override("f", "correct", text="Penelopy weeves.", to=""), "no text would be left"),
        (Override("f", "split", text="It rains"), "a clip begins with it; the change is no longer needed"),
        (Override("f", "split", text="A dog", time=9), "9 s is not inside the clip, 0 to 4 s"),
        (Override("f", "merge", text="It rains", through="A dog"), "both texts are in one clip"),
        (Override("f", "merge", text="weeves", through="It rains"), "'It rains' comes before it"),
        (Override("f", "move", text="weeves", start=1, end=3), "it would overlap 'It rains. A dog barks.'"),
    ],
)
def test_what_does_not_fit_changes_nothing_and_says_why(override: Override, reason: str) -> None:
    assert reason in why(override)


def test_changes_apply_one_after_the_other() -> None:
    changes = [
        Override("f", "correct", text="Penelopy", to="Penelope"),
        Override("f", "split", text="A dog"),
        Override("f", "merge", text="A dog", through="Penelope"),
    ]
    assert texts(*changes)[:2] == ["It rains.", "A dog barks. Penelope weeves."]


def test_a_change_survives_other_clips_and_other_rules() -> None:
    change = Override("f", "correct", text="weeves", to="weaves")
    told = [Caption(Segment(5, 6), "New."), *CLIPS, Caption(Segment(70, 71), "Newer.")]
    for rules in (Rules(), Rules(clip_gap=8.0)):
        corpus = build(FilmInput(FilmLines("f", None, [], told), overrides=(change,)), rules)
        assert corpus.unapplied == ()
        assert any("Penelopy weaves." in clip.text for clip in corpus.clips)


def test_opening_and_ending_are_cut_before_clips_are_joined() -> None:
    said = [Caption(Segment(5, 8), "Opening."), Caption(Segment(30, 33), "Hello.")]
    cut = (Override("f", "cut", start=10), Override("f", "cut", end=60))
    corpus = build(FilmInput(FilmLines("f", 100.0, said, CLIPS), overrides=cut))
    assert [clip.text for clip in corpus.clips] == ["Penelopy weeves.", "A door opens."]
    assert [dialogue.lines[0].text for dialogue in corpus.dialogues] == ["Hello."]
    assert (corpus.left_out, corpus.span) == (3, Segment(10, 60))
    assert [shot.segment.start for shot in corpus.shots] == [10]


def test_cuts_add_up() -> None:
    assert cut_of([Override("f", "cut", start=3), Override("f", "cut", start=9, end=50)]) == Segment(9, 50)


def test_a_cut_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="id 'f': no narration is left between 500 and inf s"):
        build(FilmInput(FilmLines("f", None, [], CLIPS), overrides=(Override("f", "cut", start=500),)))


def test_a_file_of_changes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "changes.jsonl"
    path.write_text('{"film": 7, "do": "cut", "start": 92}\n\n{"film": "7", "do": "remove", "text": "Starring "}\n')
    assert read_overrides(path) == (Override("7", "cut", start=92), Override("7", "remove", text="Starring"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[1]", r"line 1 is \[1\], not a change of a film"),
        ('{"film": "f", "do": "paint"}', "do: is 'paint' - there are: cut, correct"),
        ('{"film": "f", "do": "cut"}', "cut lacks 'start', 'end'"),
        ('{"film": "f", "do": "split", "text": "x", "to": "y"}', "split has 'to', which means nothing"),
        ('{"film": "f", "do": "merge", "text": "x"}', "merge lacks 'through'"),
        ('{"film": "f", "do": "remove", "text": " "}', "text: is empty"),
        ('{"film": "f", "do": "cut", "start": -3}', "start: is -3 - times start at 0"),
        ('{"film": "f", "do": "cut", "start": 9, "end": 3}', "cut from 9 to 3 - the end comes after the start"),
    ],
)
def test_what_is_no_change_is_refused_with_its_line(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "changes.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=problem):
        read_overrides(path)


@given(lines(texts=("It rains.", "A dog barks. The door opens.")).filter(bool), st.data())
def test_merging_and_splitting_loses_no_word(told: list[Caption], data: st.DataObject) -> None:
    numbers = [re.findall(r"<\d+>", line.text)[0] for line in told]
    changes = []
    for _ in range(data.draw(st.integers(1, 4))):
        first, last = sorted(data.draw(st.sampled_from(range(len(numbers)))) for _ in range(2))
        if data.draw(st.booleans()):
            changes.append(Override("f", "merge", text=numbers[first], through=numbers[last]))
        else:
            changes.append(Override("f", "split", text=numbers[first]))
    clips, unapplied = apply(changes, told)
    words = " ".join(line.text for line in told).split()
    assert " ".join(clip.text for clip in clips).split() == words
    assert [clip.segment for clip in clips] == sorted(clip.segment for clip in clips)
    assert len(unapplied) <= len(changes)
