"""Names in texts: whole names, the longest first."""

from __future__ import annotations

from hypothesis import given

from kataribe.core.types import Cast, Role
from kataribe.films.names import Mention, Names
from tests.narration.corpora import CAST, texts

NAMES = Names.of_cast(CAST)


def test_the_longest_name_is_found_not_the_one_inside_it() -> None:
    assert NAMES.in_text("李白龙在笑。") == {"李白龙"}
    assert NAMES.in_text("李白在笑。") == {"李白"}


def test_a_name_inside_a_word_is_none() -> None:
    assert NAMES.in_text("Mariana and Marlene") == frozenset()
    assert NAMES.in_text("Maria's boat; (Mar)!") == {"Maria", "Mar"}


def test_a_latin_name_may_touch_chinese() -> None:
    assert NAMES.in_text("看到Maria在笑") == {"Maria"}


def test_an_alias_is_its_role() -> None:
    assert NAMES.in_text("Ulysses sails.") == {"Odysseus"}
    assert Names.of_cast(CAST, aliases=False).in_text("Ulysses sails.") == frozenset()


def test_a_name_may_begin_a_sentence() -> None:
    names = Names.of_cast(Cast("f", (Role("the conductor"), Role("Will"))))
    assert names.in_text("The conductor will wait.") == {"the conductor"}


def test_substrings_are_found_anywhere() -> None:
    assert NAMES.in_text("Mariana meets 李白龙", substring=True) == {"Maria", "Mar", "李白", "李白龙"}


def test_banned_names_are_not_looked_for() -> None:
    assert NAMES.without(["李白龙"]).in_text("李白龙") == {"李白"}


def test_mentions_say_where() -> None:
    assert list(NAMES.mentions("Maria, Ulysses")) == [Mention(0, 5, "Maria"), Mention(7, 14, "Odysseus")]


def test_nobody_is_found_without_names() -> None:
    assert Names({}).in_text("Maria") == frozenset()


@given(texts)
def test_longest_matches_are_among_the_substrings(text: str) -> None:
    assert NAMES.in_text(text) <= NAMES.in_text(text, substring=True)
