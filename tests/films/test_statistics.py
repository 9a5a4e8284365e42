"""The numbers of a corpus, on films small enough to count by hand."""

from __future__ import annotations

import pytest

from kataribe.core.types import Caption, Cast, Role, Segment
from kataribe.films.actions import count_actions, count_letters, english_forms, language_of
from kataribe.films.corpus import FilmCorpus, FilmInput, build
from kataribe.films.lines import FilmLines
from kataribe.films.result import GapStatistics, Histogram
from kataribe.films.statistics import CountedFilm, corpus_statistics, count_clips, gap_statistics

CAST = Cast("f", (Role("Ines"), Role("Old Tomas", ("Tomas",))))


def film() -> FilmCorpus:
    said = [Caption(Segment(0, 10), "a"), Caption(Segment(20, 30), "b"), Caption(Segment(50, 60), "c")]
    told = [Caption(Segment(11, 16), "Ines climbs."), Caption(Segment(62, 70), "Old Tomas and Ines look at Ines.")]
    return build(FilmInput(FilmLines("f", 80.0, said, told)))


def test_gaps_are_those_between_dialogues() -> None:
    assert gap_statistics([film()]) == GapStatistics(3, 2, pytest.approx(30 / 3600), 0.5, pytest.approx(5 / 30))


def test_a_film_is_counted() -> None:
    corpus = film()
    g, n = count_clips(corpus.clips, CAST), count_clips(corpus.long_clips, CAST)
    found = corpus_statistics([CountedFilm(corpus, CAST, ("drama", "sea"), g, n)], {"train": ["f"], "val": []})
    assert (found.films, found.roles, found.letters_are, found.shots) == (1, 2, "words", 2)
    assert (found.g.clips, found.g.film_seconds, found.g.clip_seconds, found.g.letters) == (2, 80, 6.5, 4.5)
    assert (found.g.actions, found.g.roles, found.g.mentions) == (1, 1.5, 2)
    assert found.roles_per_clip == Histogram(1, {1: 1, 2: 1})
    assert found.seconds_per_long_clip == Histogram(5.0, {1: 2})
    assert found.genres == {"drama": 1, "sea": 1}
    assert (found.parts["train"].clips, found.parts["val"].films) == (2, 0)


def test_without_dialogue_there_are_no_gaps() -> None:
    corpus = build(FilmInput(FilmLines("f", None, [], [Caption(Segment(0, 4), "Ines climbs.")])))
    found = corpus_statistics(
        [CountedFilm(corpus, None, (), count_clips(corpus.clips, None), count_clips((), None))], {}
    )
    assert (found.n, found.gaps, found.g.roles) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("At dawn, Ines climbs down to the boats and counts the empty moorings.", 2),
        ("He is running and stopped.", 2),
        ("The walk, her look, at work, Tomas's fall.", 0),
        ("They carried him, wept and went.", 3),
        ("He looks back, slow and warm, then slows.", 2),
        ("", 0),
    ],
)
def test_english_actions_are_forms_of_listed_verbs_that_are_no_nouns(text: str, actions: int) -> None:
    assert count_actions(text, "en") == actions


def test_chinese_actions_are_verbs() -> None:
    pytest.importorskip("jieba")
    assert count_actions("老李端来食物倒入饭盆里，轻轻抚摸着小猫。", "zh") == 4  # 端, 来, 倒入, 抚摸


def test_actions_of_other_languages_are_not_counted() -> None:
    assert language_of(["彼女は門を開けて歩き出した。"]) == "other"
    assert count_actions("彼女は門を開けて歩き出した。", "other") == 0


@pytest.mark.parametrize(
    "form", ["stops", "stopping", "stopped", "carries", "opens", "opening", "makes", "making", "ran"]
)
def test_forms_are_spelt_as_english_spells_them(form: str) -> None:
    assert form in english_forms()


@pytest.mark.parametrize("wrong", ["openning", "stoped", "makeing", "carrys", "#"])
def test_forms_that_nobody_writes_are_not_there(wrong: str) -> None:
    assert wrong not in english_forms()


def test_text_length_is_characters_or_words() -> None:
    assert count_letters("老李回头，喊道：“走！”") == 7
    assert count_letters("Maria looks back, slowly.") == 4
