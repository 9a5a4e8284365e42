from __future__ import annotations

import gc
import json
import pickle
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe import _native
from kataribe.text.sentences import MAX_ORDER, NgramIndex, Sentences, TokenIndex

WORDS = st.lists(st.sampled_from(["a", "b", "c", "dd", "é"]), max_size=9)


@given(st.lists(WORDS.map(" ".join), max_size=6))
def test_ngrams_are_those_a_counter_finds(texts: list[str]) -> None:
    sentences, places = Sentences.unique(texts)
    assert [sentences.texts[place] for place in places] == texts
    index = sentences.ngrams
    texts = index.to_texts(sentences.words.words)
    assert len(set(texts)) == len(texts)
    for place, text in enumerate(sentences.texts):
        words = text.split()
        for order in range(MAX_ORDER):
            cell = slice(*index.bounds[place * MAX_ORDER + order :][:2])
            found = {texts[ngram]: count for ngram, count in zip(index.ngrams[cell], index.counts[cell], strict=True)}
            assert found == Counter(" ".join(words[i : i + order + 1]) for i in range(len(words) - order))


def test_a_no_break_space_joins_tokens_and_separates_words() -> None:
    sentences = Sentences(["3\u00a01/2 cups"])
    assert sentences.tokens.words == ["3\u00a01/2", "cups"]
    assert sentences.words.words == ["3", "1/2", "cups"]


def key_of(texts: list[str]) -> dict[str, tuple[int, int]]:
    """The keys of all n-grams of some texts."""
    sentences = Sentences(texts)
    index = sentences.ngrams
    return dict(
        zip(index.to_texts(sentences.words.words), zip(*map(np.ndarray.tolist, index.keys), strict=True), strict=True)
    )


@given(st.lists(WORDS.map(" ".join), max_size=6), st.randoms())
def test_keys_of_ngrams_do_not_depend_on_their_numbers(texts: list[str], random: Random) -> None:
    shuffled = [*texts, "zebra", "c dd é b"]
    random.shuffle(shuffled)
    here, there = key_of(texts), key_of(shuffled)
    assert here == {ngram: there[ngram] for ngram in here}


def test_keys_of_ngrams_are_the_same_everywhere() -> None:
    """They are kept in files: another hash makes these useless."""
    assert key_of(["a dog", "運動場 incomprehensibilities"]) == {
        "a": (0x10631676480672FD, 0x2C5AD586FAF011C7),
        "dog": (0xD85E6F417B02E751, 0xEF8340FF13C79C76),
        "a dog": (0x3DF988887459D542, 0x895AF5D5FF0F5221),
        "運動場": (0x1BBB115C24FFC93F, 0x67A890B5CB4DD803),
        "incomprehensibilities": (0x1887DA6F17A33051, 0xA9FB32E6CABE2FFE),
        "運動場 incomprehensibilities": (0xF4C267751D091F68, 0xF507E2E2F2BE3C50),
    }


def test_keys_of_ngrams_tell_where_words_end_and_how_they_are_ordered() -> None:
    def key(*words: str) -> tuple[int, int]:
        index = NgramIndex(TokenIndex([" ".join(words)]), len(words))
        return int(index.keys.keys[-1]), int(index.keys.checks[-1])

    different = [
        key("a\u00a0b", "c"), key("a", "b\u00a0c"), key("a", "b", "c"), key("a\u00a0b\u00a0c"), key("c", "b", "a"),
        key("ab", "c"), key("a", "bc"), key("abc"), key("", "abc"), key("", "", "abc"), key("a\0"), key("a"),
        key("a" * 8), key("a" * 8 + "\0"), key("a" * 16), key("a" * 8, "a" * 8),
    ]  # fmt: skip
    keys, checks = (set(column) for column in zip(*different, strict=True))
    assert len(keys) == len(checks) == len(keys | checks) // 2 == len(different)


def test_a_bit_of_a_word_changes_half_the_bits_of_its_key() -> None:
    words = ["video"] + ["".join([*"vide", chr(ord("o") ^ 1 << bit)]) for bit in range(5)]
    keys, checks = zip(*(key_of([word])[word] for word in words), strict=True)
    for column in (keys, checks):
        assert all(16 < (column[0] ^ other).bit_count() < 48 for other in column[1:])


@pytest.mark.data
def test_no_two_ngrams_of_activitynet_share_a_key(data_folder: Path) -> None:
    folder = data_folder / "activitynet-captions"
    stories = [json.loads((folder / f"val_{number}.json").read_text()) for number in (1, 2)]
    texts = [text.strip().lower() for file in stories for story in file.values() for text in story["sentences"]]
    index = Sentences.unique(texts)[0].ngrams
    assert index.distinct > 500_000
    assert len(np.unique(index.keys.keys)) == len(np.unique(index.keys.checks)) == index.distinct


def test_sentences_are_pickled_without_what_the_native_core_made_of_them() -> None:
    sentences = Sentences(["a dog runs"])
    assert sentences.ngrams.distinct == 6
    again = pickle.loads(pickle.dumps(sentences))
    assert again.texts == sentences.texts
    np.testing.assert_array_equal(again.ngrams.keys, sentences.ngrams.keys)


def test_arrays_of_an_index_are_read_only_and_keep_it_alive() -> None:
    counts = NgramIndex(TokenIndex(["a b a"]), 2).counts
    gc.collect()
    assert counts.tolist() == [2, 1, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        counts[0] = 1


NUMBERS = np.array([0, 1])
OUTSIDE = np.array([0, 2])


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (IndexError, lambda index, tokens: _native.lcs_lengths(tokens, NUMBERS, OUTSIDE)),
        (IndexError, lambda index, tokens: _native.lcs_lengths(tokens, -NUMBERS, NUMBERS)),
        (ValueError, lambda index, tokens: _native.lcs_lengths(tokens, NUMBERS, NUMBERS[:1])),
        (IndexError, lambda index, tokens: _native.bleu_statistics(index, OUTSIDE, (NUMBERS, np.arange(3)))),
        (IndexError, lambda index, tokens: _native.bleu_statistics(index, NUMBERS, (OUTSIDE, np.arange(3)))),
        (ValueError, lambda index, tokens: _native.bleu_statistics(index, NUMBERS, (NUMBERS, np.array([0, 2])))),
        (ValueError, lambda index, tokens: _native.bleu_statistics(index, NUMBERS, (NUMBERS, np.array([0, 3, 2])))),
        (ValueError, lambda index, tokens: _native.document_frequencies(index, (NUMBERS, np.array([0, 3])))),
        (ValueError, lambda index, tokens: _native.document_frequencies(index, (NUMBERS, NUMBERS[:0]))),
        (IndexError, lambda index, tokens: _native.document_frequencies(index, (OUTSIDE, NUMBERS * 2))),
        (ValueError, lambda index, tokens: _native.tfidf_norms(index, np.zeros(index.distinct - 1))),
        (ValueError, lambda index, tokens: cider(index, np.zeros((2, 4)), idf=np.zeros(1))),
        (ValueError, lambda index, tokens: cider(index, np.zeros((2, 3)))),
        (ValueError, lambda index, tokens: cider(index, np.zeros((1, 4)))),
        (IndexError, lambda index, tokens: cider(index, np.zeros((2, 4)), OUTSIDE)),
        (IndexError, lambda index, tokens: grouped_cider(index, NUMBERS * 2, (OUTSIDE, NUMBERS * 2))),
        (ValueError, lambda index, tokens: grouped_cider(index, NUMBERS, (NUMBERS, NUMBERS * 2))),
        (ValueError, lambda index, tokens: grouped_cider(index, NUMBERS * 2, (NUMBERS, np.arange(3)))),
        (ValueError, lambda index, tokens: NgramIndex(tokens, 0)),
    ],
)
def test_the_native_core_refuses_what_does_not_fit_an_index(error: type[Exception], call: Any) -> None:
    tokens = TokenIndex(["a b c", "b c d e"])
    with pytest.raises(error):
        call(NgramIndex(tokens, MAX_ORDER), tokens)


def cider(index: Any, norms: Any, candidates: Any = NUMBERS, idf: Any = None) -> Any:
    idf = np.zeros(index.distinct) if idf is None else idf
    return _native.cider_similarities(index, idf, norms, candidates, NUMBERS, clipped=True, sigma=6.0)


def grouped_cider(index: Any, bounds: Any, documents: Any) -> Any:
    return _native.grouped_cider_similarities(index, NUMBERS, NUMBERS, bounds, documents, clipped=True, sigma=6.0)
