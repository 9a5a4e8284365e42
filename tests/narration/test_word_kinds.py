"""Nouns and verbs: what counts as one, and that a text can be put together again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.core.errors import ResourceError, UsageError
from kataribe.core.types import Cast, Role
from kataribe.encoders.carried import EN_CORE_WEB_SM
from kataribe.films.names import Names
from kataribe.narration.word_kinds import language_of, names_apart, open_tagger

NAMES = Names.of_cast(Cast("f", (Role("Ines"), Role("Captain Reyes", ("Reyes",)), Role("老李"))))


def tagger(language):
    try:
        return open_tagger(language)
    except (UsageError, ResourceError) as error:
        pytest.skip(str(error))


def kinds(language: str, text: str) -> dict[str, list[str]]:
    words = tagger(language).words(text, NAMES)
    return {kind: [word.text for word in words if word.kind == kind] for kind in ("noun", "verb", "name")}


def test_chinese_nouns_and_verbs_are_jiebas() -> None:
    found = kinds("zh", "老李端来食物倒入小猫的饭盆里，轻轻抚摸着小猫身体。")
    assert found == {
        "noun": ["食物", "小猫", "饭盆", "小猫", "身体"],
        "verb": ["端", "来", "倒入", "抚摸"],
        "name": ["老李"],
    }


def test_english_nouns_and_verbs_leave_names_and_auxiliaries_out() -> None:
    found = kinds("en", "Captain Reyes has lifted a lantern. Its light is falling on Ines, who does not run to Paris.")
    assert found == {
        "noun": ["lantern", "light"],
        "verb": ["lifted", "falling", "run"],
        "name": ["Captain Reyes", "Ines"],
    }


def test_an_english_word_has_its_lemma_and_the_form_that_another_must_share() -> None:
    words = {word.text: word for word in tagger("en").words("He hides an oar and opens boats.", NAMES)}
    assert (words["hides"].lemma, words["hides"].form) == ("hide", "VBZ")
    assert (words["opens"].form, words["oar"].form, words["boats"].form) == ("VBZ vowel", "NN vowel", "NNS")


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(["zh", "en"]), st.text(st.sampled_from("a'. s\n李老猫走ReyesInt　\u200b"), max_size=25))
def test_the_words_of_a_text_are_all_of_it(language, text: str) -> None:
    assert "".join(word.text for word in tagger(language).words(text, NAMES)) == text
    assert "".join(word.text for word in names_apart(text, NAMES)) == text


def test_words_that_somebody_taught_jieba_do_not_move_a_result() -> None:
    jieba = pytest.importorskip("jieba")
    before = tagger("zh").words("小猫的饭盆", NAMES)
    jieba.add_word("猫的饭")
    try:
        assert tagger("zh").words("小猫的饭盆", NAMES) == before
    finally:
        jieba.del_word("猫的饭")


@pytest.mark.parametrize("text", ["彼女は港へ走る。", "그녀는 항구로 달린다"])
def test_other_languages_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="known for Chinese and English"):
        language_of([text])


def test_the_model_of_english_is_checked_and_its_package_not_imported() -> None:
    import sys

    tagger("en")
    assert EN_CORE_WEB_SM.module not in sys.modules
