"""METEOR 1.5 itself against ours."""

import gzip
import importlib.util
import itertools
import json
import random
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from kataribe import _native as native
from kataribe.captions import meteor_resource
from tests.golden.meteor_jar import ENGLISH, OTHER, MeteorJar, as_ours

pytestmark = pytest.mark.java


@pytest.fixture(scope="module")
def jar():
    with MeteorJar(*ENGLISH) as jar:
        yield jar


@pytest.fixture(scope="module")
def resource():
    return meteor_resource.open_resource()


def assert_equal_to(jar, resource, pairs, language="en"):
    """Statistics, segment scores and, in portions, corpus scores."""
    numbers = {}
    rows = [[numbers.setdefault(text, len(numbers)) for text in pair] for pair in pairs]
    columns = np.array(rows, dtype=np.int64).T.copy()
    sentences = native.MeteorSentences(resource, list(numbers), language == "en")
    ours = native.meteor_statistics(sentences, columns[0], columns[1])
    scores = native.meteor_pair_scores(sentences, columns[0], columns[1], language)

    for start in range(0, len(pairs), 5000):
        portion = slice(start, start + 5000)
        theirs = jar.statistics([(hypothesis, [reference]) for hypothesis, reference in pairs[portion]])
        if language == "en":
            different = np.flatnonzero((ours[portion] != as_ours(theirs)).any(axis=1))
            assert not len(different), f"{len(different)} differ, the first: {pairs[start + different[0]]}"
        their_scores, their_corpus = jar.scores(theirs)
        np.testing.assert_allclose(scores[portion], their_scores, rtol=0, atol=1e-12)
        total = ours[portion].sum(axis=0, keepdims=True).astype(np.float64)
        assert native.meteor_scores(total, language)[0] == pytest.approx(their_corpus, abs=1e-9)


def strip(sentence):
    return " ".join(re.sub(r"[^a-z0-9' ]", " ", sentence.lower()).split())


def read_captions(path, clean=strip):
    content = json.loads(path.read_text())
    if "results" in content:
        videos = {video: [item["sentence"] for item in items] for video, items in content["results"].items()}
    else:
        videos = {video: item["sentences"] for video, item in content.items()}
    return {"v_" + video.removeprefix("v_"): [clean(text) for text in texts] for video, texts in videos.items()}


def pairs_of(hypotheses, references):
    shared = [video for video in hypotheses if video in references]
    return [pair for video in shared for pair in itertools.product(hypotheses[video], references[video])]


class TestRealCaptions:
    pytestmark = pytest.mark.data

    @pytest.fixture
    def captions(self, data_folder):
        return lambda name, clean=strip: read_captions(data_folder / "activitynet-captions" / f"{name}.json", clean)

    @pytest.mark.parametrize(
        ("hypotheses", "references"),
        [("val_1", "val_2"), ("model_output_val_1", "val_1"), ("model_output_val_1", "val_2")],
    )
    def test_of_the_same_video(self, jar, resource, captions, hypotheses, references):
        assert_equal_to(jar, resource, pairs_of(captions(hypotheses), captions(references)))

    def test_as_they_were_typed(self, jar, resource, captions):
        def one_line(text):
            return " ".join(text.split())

        pairs = pairs_of(captions("val_1", one_line), captions("val_2", one_line))
        assert_equal_to(jar, resource, random.Random(1).sample(pairs, 20_000))

    def test_as_another_language(self, captions):
        pairs = pairs_of(captions("val_1"), captions("val_2"))
        with MeteorJar(*OTHER) as jar:
            assert_equal_to(jar, None, random.Random(2).sample(pairs, 10_000), language="other")


class Related:
    """Words and phrases that METEOR takes for similar, from its own data."""

    def __init__(self):
        spec = importlib.util.find_spec("pycocoevalcap")
        folder = Path(spec.submodule_search_locations[0]) / "meteor"
        with zipfile.ZipFile(folder / "meteor-1.5.jar") as jar:
            synsets = jar.read("synonym/english.synsets").decode().split("\n")
            exceptions = jar.read("synonym/english.exceptions").decode().split("\n")
            self.function_words = jar.read("function/english.words").decode().split()
        members = {}
        for word, numbers in zip(synsets[::2], synsets[1::2], strict=False):
            for number in numbers.split():
                members.setdefault(number, []).append(word.replace("_", " "))
        self.synonyms = [words for words in members.values() if len(words) > 1]
        self.irregular = [
            [base, *forms.split()] for base, forms in zip(exceptions[::2], exceptions[1::2], strict=False)
        ]
        with gzip.open(folder / "data" / "paraphrase-en.gz", "rt", encoding="utf-8") as table:
            entries = itertools.islice(zip(table, table, table, strict=False), 0, None, 500)
            self.paraphrases = [(source.strip(), target.strip()) for _, source, target in entries]


ENDINGS = ["", "", "", "s", "es", "ed", "ing", "er", "est", "ful", "'s", "ly"]


def mixed_pair(related, favourites, rng):
    """Two lines whose parts are related in all ways at once, and repeated."""
    hypothesis, reference = [], []
    for _ in range(rng.randint(1, 9)):
        kind = rng.random()
        if kind < 0.2:
            a, b = (rng.choice(rng.choice(related.synonyms)) + rng.choice(ENDINGS) for _ in range(2))
        elif kind < 0.4:
            group = rng.choice(related.synonyms)
            a, b = (rng.choice(group) + rng.choice(ENDINGS) for _ in range(2))
        elif kind < 0.5:
            group = rng.choice(related.irregular)
            a, b = rng.choice(group), rng.choice(group)
        elif kind < 0.8:
            a, b = rng.choice(favourites if rng.random() < 0.7 else related.paraphrases)
        else:
            a, b = (rng.choice(related.function_words) for _ in range(2))
        if rng.random() < 0.5:
            a, b = b, a
        hypothesis.insert(rng.randint(max(0, len(hypothesis) - 2), len(hypothesis)), a)
        reference.insert(rng.randint(max(0, len(reference) - 2), len(reference)), b)
        if rng.random() < 0.3:
            hypothesis.insert(rng.randint(0, len(hypothesis)), rng.choice(reference))
        if rng.random() < 0.3:
            reference.insert(rng.randint(0, len(reference)), rng.choice(hypothesis))
    return " ".join(hypothesis), " ".join(reference)


def test_many_candidates(jar, resource):
    rng = random.Random(3)
    related = Related()
    favourites = rng.sample(related.paraphrases, 300)
    assert_equal_to(jar, resource, [mixed_pair(related, favourites, rng) for _ in range(10_000)])


REPEATED_WORDS = "a the man men man's dog dogs is are was runs running run on in of it 's . , big large little"


def test_repeated_words_and_long_lines(jar, resource):
    rng = random.Random(4)
    words = REPEATED_WORDS.split()
    lengths = [rng.randint(0, 40) for _ in range(1500)] + [rng.randint(60, 140) for _ in range(40)] + [200] * 4
    pairs = [tuple(" ".join(rng.choices(words, k=length)) for _ in range(2)) for length in lengths]
    assert_equal_to(jar, resource, pairs)


def test_odd_text(jar, resource):
    rng = random.Random(5)
    pieces = [
        *"abzABZ09  ..,,''--`\"–—‘’“”éЯя日!&_\tçÉßİΣ😀",
        "..",
        "...",
        "Mr",
        "No",
        "e.g",
        "Ph",
        "'s",
        "Gov",
        "\u3000",
    ]
    texts = ["".join(rng.choices(pieces, k=rng.randint(0, 16))) for _ in range(6000)]
    assert_equal_to(jar, resource, list(zip(texts[::2], texts[1::2], strict=True)))
