"""Words: every action and place has several wordings, and sentences read as they should."""

from __future__ import annotations

import numpy as np
import pytest

from kataribe.films.world.actions import ACTIONS
from kataribe.films.world.languages import WORDS, Told, clause, sentence
from kataribe.films.world.options import Language
from kataribe.films.world.places import PLACES

BOTH = pytest.mark.parametrize("language", ["zh", "en"])


@BOTH
def test_every_action_and_place_has_several_wordings_of_its_own(language: Language) -> None:
    words = WORDS[language]
    for told, known in ((words.actions, ACTIONS), (words.places, PLACES)):
        assert set(told) == set(known)
        wordings = [wording for each in told.values() for wording in each]
        assert min(len(each) for each in told.values()) >= 3
        assert len(set(wordings)) == len(wordings)


@BOTH
def test_a_wording_names_a_target_if_the_action_has_one(language: Language) -> None:
    for action, wordings in WORDS[language].actions.items():
        assert all(("{b}" in wording) == ACTIONS[action].has_target for wording in wordings), action


@BOTH
def test_a_longer_wish_is_answered_with_a_longer_clause(language: Language) -> None:
    told = Told("Clara", "sing", None, 0, "park", is_first=False, seen=("Hugo",))
    short, long = (clause(WORDS[language], told, wish, np.random.default_rng(1)) for wish in (1, 500))
    assert sum(map(len, short)) < sum(map(len, long))
    assert len(long) == 2
    assert "Hugo" in long[1]


def test_a_chinese_sentence_has_commas_and_ends_with_a_full_stop() -> None:
    assert "".join(sentence(WORDS["zh"], ["公园里，李强唱着歌", "他跑了"])) == "公园里，李强唱着歌，他跑了。"
