from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kataribe.text.sentences import MAX_ORDER, Sentences

WORDS = st.lists(st.sampled_from(["a", "b", "c", "dd", "é"]), max_size=9)


@given(st.lists(WORDS.map(" ".join), max_size=6))
def test_ngrams_are_those_a_counter_finds(texts: list[str]) -> None:
    sentences, places = Sentences.unique(texts)
    assert [sentences.texts[place] for place in places] == texts
    index = sentences.ngrams
    spelled = index.spell(sentences.words.words)
    assert len(set(spelled)) == len(spelled)
    for place, text in enumerate(sentences.texts):
        words = text.split()
        for order in range(MAX_ORDER):
            cell = slice(*index.bounds[place * MAX_ORDER + order :][:2])
            found = {spelled[ngram]: count for ngram, count in zip(index.ngrams[cell], index.counts[cell], strict=True)}
            assert found == Counter(" ".join(words[i : i + order + 1]) for i in range(len(words) - order))


def test_a_no_break_space_joins_tokens_and_separates_words() -> None:
    sentences = Sentences(["3\u00a01/2 cups"])
    assert sentences.tokens.words == ["3\u00a01/2", "cups"]
    assert sentences.words.words == ["3", "1/2", "cups"]
