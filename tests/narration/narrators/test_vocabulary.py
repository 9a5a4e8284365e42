"""Texts as tokens and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import InputError
from kataribe.core.types import Cast, Role
from kataribe.films.names import Names
from kataribe.narration.narrators.vocabulary import Vocabulary

CHINESE = ["高楼的天台上，傅梅舞起剑来。", "厨房里，傅梅弹着吉他。"]
ENGLISH = ["Ada plays the guitar.", "Ada plays in the kitchen.", "She  waits; such a hush, and waits."]


@given(st.sampled_from([CHINESE, ENGLISH]), st.data())
def test_known_characters_come_back_as_they_were(texts: list[str], data: st.DataObject) -> None:
    vocabulary = Vocabulary.of(texts)
    letters = sorted({letter for text in texts for letter in text})
    text = data.draw(st.text(st.sampled_from(letters), max_size=30) | st.sampled_from(texts))
    encoded = vocabulary.encode(text)
    assert (vocabulary.decode(encoded.tokens), encoded.unknown) == (text, 0)


def test_chinese_is_read_by_characters_and_english_by_words_that_come_twice() -> None:
    assert Vocabulary.of(CHINESE).scheme == "characters"
    english = Vocabulary.of(ENGLISH)
    assert [english.piece(token) for token in english.encode("Ada plays chess.").tokens] == [
        "Ada", " plays", " ", "c", "h", "e", "s", "s", "."
    ]  # fmt: skip


def test_a_name_of_any_length_is_one_token() -> None:
    name = "阿不都热依木江托合提吾守尔"
    assert len(name) == 13
    cast = Cast("f", (Role("傅梅", aliases=("小梅",)), Role(name)))
    vocabulary = Vocabulary.of(CHINESE)
    encoded = vocabulary.encode(f"{name}弹着吉他，小梅舞剑。", Names.of_cast(cast), cast.names)
    assert encoded.tokens[0] == vocabulary.size + 1
    assert vocabulary.decode(encoded.tokens, cast.names) == f"{name}弹着吉他，傅梅舞剑。"


def test_unknown_characters_are_counted() -> None:
    vocabulary = Vocabulary.of(CHINESE)
    assert vocabulary.encode("Ada，傅梅").unknown == 3
    assert vocabulary.decode(vocabulary.encode("Ada，傅梅").tokens) == "，傅梅"


def test_a_folder_keeps_it() -> None:
    for texts in (CHINESE, ENGLISH):
        vocabulary = Vocabulary.of(texts)
        assert Vocabulary.from_json(vocabulary.to_json(), "model") == vocabulary
    with pytest.raises(InputError, match="model: its vocabulary cannot be read"):
        Vocabulary.from_json(b"{}", "model")
