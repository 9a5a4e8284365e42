import itertools
import json
import random
import re
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import snowballstemmer
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kataribe import _native as native
from kataribe import evaluate
from kataribe.captions import meteor_resource
from kataribe.core.errors import InputError

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "meteor.json").read_text(encoding="utf-8"))
no_deadline = settings(deadline=None)  # the machine may be busy
COLUMNS = {name: index for index, name in enumerate(native.METEOR_COLUMNS)}


@pytest.fixture(scope="session")
def resource():
    return meteor_resource.open_resource()


def statistics(resource, pairs, normalize=True):
    """One row per (hypothesis, reference)."""
    sentences = native.MeteorSentences(resource, [text for pair in pairs for text in pair], normalize)
    first = np.arange(0, 2 * len(pairs), 2, dtype=np.int64)
    return native.meteor_statistics(sentences, first, first + 1)


def scores(resource, pairs, language="en", normalize=True):
    return native.meteor_scores(statistics(resource, pairs, normalize).astype(np.float64), language)


def corpus_score(rows, language="en"):
    return native.meteor_scores(rows.sum(axis=0, keepdims=True).astype(np.float64), language)[0]


class TestGolden:
    def test_statistics(self, resource):
        golden = GOLDEN["english"]
        np.testing.assert_array_equal(statistics(resource, golden["pairs"]), golden["statistics"])

    def test_scores(self, resource):
        golden = GOLDEN["english"]
        np.testing.assert_allclose(scores(resource, golden["pairs"]), golden["scores"], rtol=0, atol=1e-12)

    def test_pair_scores_are_the_scores_of_the_statistics(self, resource):
        pairs = GOLDEN["english"]["pairs"]
        sentences = native.MeteorSentences(resource, [text for pair in pairs for text in pair], True)
        first = np.arange(0, 2 * len(pairs), 2, dtype=np.int64)
        at_once = native.meteor_pair_scores(sentences, first, first + 1, "en")
        np.testing.assert_array_equal(at_once, scores(resource, pairs))

    def test_corpus_scores(self, resource):
        golden = GOLDEN["english"]
        rows = statistics(resource, golden["pairs"])
        assert corpus_score(rows) == pytest.approx(golden["corpus"], abs=1e-12)
        assert corpus_score(rows[:50]) == pytest.approx(golden["corpus_of_first_50"], abs=1e-12)

    def test_several_references(self, resource):
        golden = GOLDEN["several_references"]
        for (hypothesis, references), expected in zip(golden["pairs"], golden["scores"], strict=True):
            each = scores(resource, [(hypothesis, reference) for reference in references])
            assert each.max() == pytest.approx(expected, abs=1e-12)

    def test_other_languages(self):
        golden = GOLDEN["other"]
        rows = statistics(None, golden["pairs"], normalize=False)
        found = native.meteor_scores(rows.astype(np.float64), "other")
        np.testing.assert_allclose(found, golden["scores"], rtol=0, atol=1e-12)
        assert corpus_score(rows, "other") == pytest.approx(golden["corpus"], abs=1e-12)


WORDS = "a the man men dog dogs run running ran big large car automobile of on , . xyzzy é 5"
captions = st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)
# Words of up to 20 bytes that are often equal, or equal for long; control characters and blanks of other scripts.
odd_words = st.sampled_from(["a", "abcdefg", "é", "\x01", "\v", "\xa0", "\x1f", "\0"]).map(str)
odd_sentences = st.lists(odd_words | st.sampled_from(list(" \t\r\f\n")), max_size=14).map("".join)


class TestProperties:
    @no_deadline
    @given(st.text(max_size=60), st.text(max_size=60))
    def test_any_text_has_a_score(self, resource, hypothesis, reference):
        for normalize in (True, False):
            (score,) = scores(resource, [(hypothesis, reference)], normalize=normalize)
            assert 0 <= score <= 1
        (score,) = scores(None, [(hypothesis, reference)], "other", normalize=False)
        assert 0 <= score <= 1

    @no_deadline
    @given(captions)
    def test_a_sentence_matches_itself(self, resource, caption):
        (score,) = scores(resource, [(caption, caption)])
        assert score == pytest.approx(1 if caption else 0)

    @no_deadline
    @given(st.lists(st.tuples(captions, captions), min_size=1, max_size=6))
    def test_statistics_do_not_depend_on_the_batch(self, resource, pairs):
        together = statistics(resource, pairs)
        alone = np.vstack([statistics(resource, [pair]) for pair in pairs])
        np.testing.assert_array_equal(together, alone)

    @no_deadline
    @given(st.lists(st.tuples(captions, st.lists(captions, min_size=1, max_size=4)), min_size=1, max_size=5))
    def test_the_best_reference_counts_and_the_first_of_equals(self, resource, items):
        pairs = [(candidate, reference) for candidate, references in items for reference in references]
        bounds = np.cumsum([0, *(len(references) for _, references in items)])
        sentences = native.MeteorSentences(resource, [text for pair in pairs for text in pair], True)
        first = np.arange(0, 2 * len(pairs), 2, dtype=np.int64)
        found = native.meteor_best_statistics(sentences, first, first + 1, bounds, "en")
        each = scores(resource, pairs)
        expected = [begin + np.argmax(each[begin:end]) for begin, end in itertools.pairwise(bounds)]
        np.testing.assert_array_equal(found, statistics(resource, pairs)[expected])

    @no_deadline
    @given(captions, captions)
    def test_matches_fit_the_sentences(self, resource, hypothesis, reference):
        sentences = native.MeteorSentences(resource, [hypothesis, reference], True)
        (row,) = statistics(resource, [(hypothesis, reference)])
        spans = native.meteor_alignment(sentences, 0, 1)
        in_hypothesis = [i for start, length, _, _, _ in spans for i in range(start, start + length)]
        in_reference = [j for _, _, start, length, _ in spans for j in range(start, start + length)]
        assert len(set(in_hypothesis)) == len(in_hypothesis) == row[COLUMNS["hypothesis_matches"]]
        assert len(set(in_reference)) == len(in_reference) == row[COLUMNS["reference_matches"]]
        assert all(i < row[COLUMNS["hypothesis_words"]] for i in in_hypothesis)
        assert all(j < row[COLUMNS["reference_words"]] for j in in_reference)

    @no_deadline
    @given(odd_sentences, odd_sentences)
    @example("abcdefgh", "abcdefghi")
    @example("abcdefgh\x01abcdefgh ", " \tabcdefgh\x01abcdefgh")
    def test_blanks_separate_words_of_any_length(self, hypothesis, reference):
        words = [Counter(filter(None, re.split(r"[ \t\n\f\r]", text))) for text in (hypothesis, reference)]
        (row,) = statistics(None, [(hypothesis, reference)], normalize=False)
        assert [row[COLUMNS["hypothesis_words"]], row[COLUMNS["reference_words"]]] == [c.total() for c in words]
        assert row[COLUMNS["hypothesis_matches"]] == (words[0] & words[1]).total()

    @no_deadline
    @given(st.integers(65, 200), st.randoms(use_true_random=False))
    def test_long_sentences_of_one_kind_of_word_match_completely(self, resource, length, rng):
        order = [f"w{i}" for i in range(length)]
        shuffled = rng.sample(order, length)
        (row,) = statistics(resource, [(" ".join(order), " ".join(shuffled))])
        assert row[COLUMNS["exact_hypothesis_content"]] == length


class TestExtremes:
    def test_five_thousand_words(self, resource):
        rng = random.Random(5)
        text = " ".join(rng.choice(["the", "dog", "runs", "fast", "home"]) for _ in range(5000))
        (row,) = statistics(resource, [(text, text)])
        assert row[COLUMNS["exact_hypothesis_content"]] + row[COLUMNS["exact_hypothesis_function"]] == 5000

    def test_repeated_words_take_little_memory(self, resource):
        (row,) = statistics(resource, [(" ".join(["a"] * 3000), " ".join(["a", "b"] * 1500))])
        assert row[COLUMNS["hypothesis_matches"]] == 1500

    @pytest.mark.parametrize("words", [["the"], ["the", "cat"], ["run", "runs", "the"]])
    def test_thousands_of_repeats_are_aligned(self, resource, words):
        """Without trying all pairs of places for each of 40 paths, which took a minute and more."""
        rng = random.Random(0)
        text = [rng.choice(words) for _ in range(7000)]
        shuffled = rng.sample(text, len(text))
        (row,) = statistics(resource, [(" ".join(text), " ".join(shuffled))])
        assert row[COLUMNS["hypothesis_matches"]] == 7000

    def test_too_many_paraphrases_are_refused_with_the_number_of_the_pair(self, resource):
        texts = ["a dog", "near " * 6000, "next to " * 3700]
        sentences = native.MeteorSentences(resource, texts, True)
        with pytest.raises(native.MeteorTooMuchWork) as refused:
            native.meteor_statistics(sentences, np.array([0, 0, 1]), np.array([0, 1, 2]))
        assert refused.value.args == (2,)

    def test_too_many_paraphrases_are_one_line_that_names_the_item(self, resource):
        good, bad = "a dog runs", "near " * 5900
        with pytest.raises(InputError, match=r"id .odd.: meteor: .near near .* repeat so many paraphrases"):
            evaluate(
                "captions",
                {"fine": good, "odd": bad},
                {"fine": [good], "odd": [good, "next to " * 3700]},
                metrics=["meteor"],
            )

    def test_too_long_a_sentence_is_refused(self, resource):
        with pytest.raises(ValueError, match="more words"):
            native.MeteorSentences(resource, ["a " * 40_000], True)

    def test_lone_surrogates_count_as_question_marks(self, resource):
        (score,) = scores(resource, [("a \ud800 b", "a ? b")])
        assert score == 1

    def test_no_pairs(self, resource):
        nothing = np.zeros(0, dtype=np.int64)
        sentences = native.MeteorSentences(resource, [], True)
        assert native.meteor_statistics(sentences, nothing, nothing).shape == (0, len(COLUMNS))


class TestArguments:
    def test_unknown_sentence_numbers(self, resource):
        sentences = native.MeteorSentences(resource, ["a"], True)
        for number in (-1, 1):
            with pytest.raises(IndexError):
                native.meteor_statistics(sentences, np.array([0]), np.array([number]))
            with pytest.raises(IndexError):
                native.meteor_pair_scores(sentences, np.array([number]), np.array([0]), "en")
        with pytest.raises(IndexError):
            native.meteor_alignment(sentences, 0, 1)

    def test_arrays_of_different_length(self, resource):
        sentences = native.MeteorSentences(resource, ["a"], True)
        with pytest.raises(ValueError, match="as many"):
            native.meteor_statistics(sentences, np.array([0]), np.array([0, 0]))

    @pytest.mark.parametrize("bounds", [[], [0], [0, 1], [0, 0, 2], [1, 2], [0, 3], [2, 0, 2]])
    def test_bounds_that_do_not_share_out_all_pairs(self, resource, bounds):
        sentences = native.MeteorSentences(resource, ["a"], True)
        pairs = np.array([0, 0])
        with pytest.raises(ValueError, match="bounds must give"):
            native.meteor_best_statistics(sentences, pairs, pairs, np.array(bounds, dtype=np.int64), "en")

    def test_unknown_language(self):
        with pytest.raises(ValueError, match="'en'"):
            native.meteor_scores(np.zeros((1, len(COLUMNS))), "fr")

    def test_wrong_number_of_columns(self):
        with pytest.raises(ValueError, match="METEOR_COLUMNS"):
            native.meteor_scores(np.zeros((1, 3)), "en")

    def test_normalizing_needs_the_resource(self):
        with pytest.raises(ValueError, match="resource"):
            native.MeteorSentences(None, ["a"], True)


def test_threads_share_sentences(resource):
    pairs = GOLDEN["english"]["pairs"]
    sentences = native.MeteorSentences(resource, [text for pair in pairs for text in pair], True)
    first = np.arange(0, 2 * len(pairs), 2, dtype=np.int64)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(native.meteor_statistics(sentences, first, first + 1)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for rows in found:
        np.testing.assert_array_equal(rows, GOLDEN["english"]["statistics"])


@pytest.mark.parametrize(
    ("raw", "tokens"),
    [
        ("five-and-a-half", "five and a-half"),
        ("It's the U.S. Team.", "it 's the us team ."),
        ("Mr. Smith, No. 5", "mr. smith , no. 5"),
        ("wait...what", "wait ... what"),
        ("a\u00a0b\tc", "a b c"),
    ],
)
def test_normalizing(resource, raw, tokens):
    assert native.meteor_normalize(resource, raw) == tokens


class TestStemmer:
    reference = snowballstemmer.stemmer("english")

    def check(self, word):
        assert native.english_stem(word) == self.reference.stemWord(word)

    def test_words_of_the_golden_sentences(self):
        for hypothesis, reference in GOLDEN["english"]["pairs"]:
            for word in f"{hypothesis} {reference}".lower().split():
                self.check(word)

    pieces = (
        "a e i o u y b d l m n p r s t w x ' é ing ed s es 's ly ation ational ize izer ful ness ment "
        "ative ion gener commun arsen li ogi bli alli eed eedly sses ies ied us ss"
    )

    @settings(max_examples=1000, deadline=None)
    @given(st.lists(st.sampled_from(pieces.split()), max_size=6).map("".join))
    def test_invented_words(self, word):
        self.check(word)

    @no_deadline
    @given(st.text(max_size=12).map(str.lower))
    def test_any_text(self, word):
        self.check(word)
