"""A film told: cues that fit, and what is said of those that do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.core.types import Segment
from kataribe.films.names import Names
from kataribe.formats.subtitles import parse_subtitles
from kataribe.narration.files import read_narrations
from kataribe.narration.narrators.protocol import Told
from kataribe.narration.speech import seconds
from kataribe.narration.telling.cue_files import check_kind, format_telling
from kataribe.narration.telling.spans import Span, Spans
from kataribe.narration.telling.telling import Telling, lay_out

NAMES = Names({"Anna": "Anna", "Annie": "Anna", "Tom": "Tom"})


def told(*texts: str, length: float = 4.0, until: float = 4.0, cps: float | None = 5) -> Telling:
    """Clips of this length, one every ten seconds; each text may be spoken until so many seconds after its start."""
    starts = [10.0 * row for row in range(len(texts))]
    spans = Spans(
        tuple(Span(f"c{row}", Segment(start, start + length), start + until) for row, start in enumerate(starts)), 1
    )
    return lay_out("f", "narrator-x", spans, [Told(text, ("Anna", "Tom")) for text in texts], NAMES, cps)


def test_a_cue_lasts_as_long_as_its_text_is_spoken_and_at_least_a_second() -> None:
    cues = told("Anna waits here", "Tom").cues
    assert [cue.segment for cue in cues] == [Segment(0, 2.6), Segment(10, 11)]


def test_a_text_runs_on_into_the_silence_up_to_the_next_dialogue() -> None:
    text = "Anna waits for Tom. He is late."
    whole = told(text, until=8)
    assert (whole.cues[0].text, whole.cues[0].segment, whole.running_on) == (text, Segment(0, 4.6), 1)
    short = told(text, until=4)
    assert (short.cues[0].text, short.shortened, short.running_on) == ("Anna waits for Tom.", 1, 0)


def test_a_text_runs_on_over_clips_of_which_nothing_is_told_and_not_over_others() -> None:
    text = "Anna waits for Tom, who is late, as he has always been since she has known him."
    over = told(text, "", until=25)
    assert (over.cues[0].segment.end, over.silent) == (12.0, 1)
    not_over = told(text, "Tom.", until=25)
    assert not_over.cues[0].segment.end <= 10
    assert not_over.shortened == 1


def test_what_does_not_fit_at_all_is_left_out_and_counted() -> None:
    found = told("Supercalifragilisticexpialidocious", "Tom.")
    assert ([cue.id for cue in found.cues], found.left_out) == (["c1"], 1)


def test_roles_are_those_that_are_still_named() -> None:
    assert told("Annie waits here. Tom is late again.").cues[0].roles == ("Anna",)


def test_the_rate_is_that_of_the_script() -> None:
    assert (told("Anna waits.", cps=None).cps, told("老李回头。", cps=None).cps) == (12.0, 5.0)


@given(st.lists(st.sampled_from(["", "Tom.", "Anna waits, and Tom runs. It rains.", "老李回头。" * 9]), max_size=6))
def test_cues_never_overlap_and_can_be_spoken(texts) -> None:
    found = told(*texts, length=10, until=10)
    assert len(found.cues) + found.left_out + found.silent == found.clips
    for cue, after in zip(found.cues, found.cues[1:], strict=False):
        assert cue.segment.end <= after.segment.start
    assert all(seconds(cue.text, 5) <= cue.segment.length + 1e-6 for cue in found.cues)


@pytest.mark.parametrize("kind", [".vtt", ".srt", ".json"])
def test_files_are_read_back(tmp_path: Path, kind: str) -> None:
    texts = ["Tom & Anna <b>run</b>.", "老李\n回头。"] if kind != ".srt" else ["Tom & Anna run.", "老李\n回头。"]
    telling = told(*texts)
    file = tmp_path / f"f{kind}"
    file.write_text(format_telling(telling, kind), encoding="utf-8")
    lines = list(read_narrations(file).values())
    assert [(line.film, line.segment, line.text) for line in lines] == [
        ("f", cue.segment, cue.text) for cue in telling.cues
    ]
    if kind == ".json":
        assert [line.id for line in lines] == ["c0", "c1"]
        assert json.loads(file.read_text())[0]["roles"] == ["Anna", "Tom"]


def test_a_note_says_who_told_it_and_makes_no_cue() -> None:
    content = format_telling(
        Telling("f", "x 00:01 --> 00:02\n\n00:01.000 --> 00:02.000", 5, told("Tom.").cues, *[0] * 7), ".vtt"
    )
    assert content.startswith("WEBVTT\n\nNOTE told by x 00.01 00.02")
    assert len(list(parse_subtitles(content, Path("f.vtt")))) == 1


def test_other_kinds_of_files_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"film.txt: a told film is not written as .txt - there are: .vtt, .srt, .json"
    ):
        check_kind(Path("film.txt"))
