"""METEOR's search, word for word: the native one must choose the same alignment as this slow and literal one."""

import random
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe import _native as native

# A language of six words, in which nearly everything may match nearly everything.
WORDS = ["a", "b", "c", "d", "walk", "walks"]
SYNSETS = {"a": {1}, "b": {1, 2}, "c": {2}, "walk": {3}, "d": {3}}
PARAPHRASES = [  # METEOR's table lists those of a phrase together
    ("a", "c d"),
    ("a", "b"),
    ("a b", "c"),
    ("a b", "b a c"),
    ("b c d", "d a"),
    ("d", "d d"),
    ("d", "walks"),
    ("d a", "a"),
    ("d a", "b c d"),
]
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)


class Match(NamedTuple):
    stage: int
    reference: int
    reference_length: int
    hypothesis: int
    hypothesis_length: int

    @property
    def words(self):
        """The words it covers, on either side."""
        return {("r", self.reference + k) for k in range(self.reference_length)} | {
            ("h", self.hypothesis + k) for k in range(self.hypothesis_length)
        }


@dataclass(frozen=True)
class Path:
    matches1: int = 0
    matches2: int = 0
    chunks: int = 0
    next: int = 0
    last_end: int = -1
    distance: int = 0
    chosen: tuple = ()
    used: frozenset = frozenset()

    @property
    def key(self):
        return (-(self.matches1 + self.matches2), self.chunks, self.distance)

    def close(self):
        return replace(self, chunks=self.chunks + (self.last_end >= 0), last_end=-1)

    def take(self, match):
        weight = 1 if match.stage == EXACT else 0.5
        breaks = self.last_end >= 0 and self.last_end != match.hypothesis
        return replace(
            self,
            matches1=int(self.matches1 + match.hypothesis_length * weight),
            matches2=int(self.matches2 + match.reference_length * weight),
            chunks=self.chunks + breaks,
            next=match.reference + match.reference_length,
            last_end=match.hypothesis + match.hypothesis_length,
            chosen=(*self.chosen, match),
            used=self.used | match.words,
        )

    def move(self, match):
        return replace(self, distance=self.distance + abs(match.reference - match.hypothesis))


def places(phrase, words):
    return [i for i in range(len(words) - len(phrase) + 1) if words[i : i + len(phrase)] == phrase]


def candidates(hypothesis, reference):
    found = defaultdict(list)
    stem = {"walks": "walk"}
    stages = [
        lambda h, r: h == r,
        lambda h, r: h != r and stem.get(h, h) == stem.get(r, r),
        lambda h, r: h != r and bool(synsets(h) & synsets(r)),
    ]
    for stage, matches in enumerate(stages if hypothesis != reference else stages[:1]):
        for j, r in enumerate(reference):
            for i, h in enumerate(hypothesis):
                if matches(h, r):
                    found[j].append(Match(stage, j, 1, i, 1))
    if hypothesis == reference:
        return found
    table = defaultdict(list)
    for phrase, paraphrase in PARAPHRASES:
        table[tuple(phrase.split())].append(tuple(paraphrase.split()))
    for forward, (one, other) in ((True, (reference, hypothesis)), (False, (hypothesis, reference))):
        for start in range(len(one)):
            for length in range(1, len(one) - start + 1):
                for paraphrase in table[one[start : start + length]]:
                    for place in places(paraphrase, other):
                        here, there = (start, length), (place, len(paraphrase))
                        match = Match(PARAPHRASE, *here, *there) if forward else Match(PARAPHRASE, *there, *here)
                        found[match.reference].append(match)
    return found


def synsets(word):
    return SYNSETS.get(word, set()) or SYNSETS.get(word.removesuffix("s"), set())


def align(hypothesis, reference):
    found = candidates(hypothesis, reference)
    covered = [word for matches in found.values() for match in matches for word in match.words]
    fixed = {
        j: matches[0]
        for j, matches in found.items()
        if len(matches) == 1 and all(covered.count(word) == 1 for word in matches[0].words)
    }
    beam = [Path()]
    for j in range(len(reference) + 1):
        extended = []
        for path in sorted(beam, key=lambda path: path.key)[:40]:
            if j == len(reference):
                extended.append(path.close())
            elif path.next > j:
                extended.append(path)
            elif j in fixed:
                extended.append(path.move(fixed[j]).take(fixed[j]))
            else:
                for match in found[j]:
                    if not match.words & path.used:
                        extended.append(path.take(match))
                        path = path.move(match)
                extended.append(replace(path.close(), next=j + 1))
        beam = extended
    return sorted(beam, key=lambda path: path.key)[0].chosen


@pytest.fixture(scope="module")
def resource(tmp_path_factory):
    synset_lines = "".join(f"{word}\n{' '.join(map(str, numbers))}\n" for word, numbers in SYNSETS.items())
    builder = native.MeteorResourceBuilder(b"a\nd\n", b"", synset_lines.encode(), b"")
    builder.add_paraphrases("".join(f"0.5\n{one}\n{other}\n" for one, other in PARAPHRASES).encode())
    path = tmp_path_factory.mktemp("meteor") / "toy.bin"
    path.write_bytes(builder.finish())
    return native.MeteorResource(str(path))


def sentences_of(words, longest):
    return st.lists(st.sampled_from(words), max_size=longest).map(tuple)


def check(resource, hypothesis, reference):
    sentences = native.MeteorSentences(resource, [" ".join(hypothesis), " ".join(reference)], False)
    expected = [
        (match.hypothesis, match.hypothesis_length, match.reference, match.reference_length, match.stage)
        for match in sorted(align(hypothesis, reference), key=lambda match: match.reference)
    ]
    assert native.meteor_alignment(sentences, 0, 1) == expected


@settings(deadline=None, max_examples=300)
@given(sentences_of(WORDS, 12), sentences_of(WORDS, 12))
def test_words_and_phrases(resource, hypothesis, reference):
    check(resource, hypothesis, reference)


@settings(deadline=None, max_examples=100)
@given(sentences_of(["a", "the", "man"], 16), sentences_of(["a", "the", "man"], 16))
def test_many_equal_words_fill_the_beam(hypothesis, reference):
    check(None, hypothesis, reference)


@pytest.mark.parametrize("length", [32, 33, 64, 65])
def test_where_sets_of_words_grow(resource, length):
    """The words of a path are kept in integers of 32 and 64 bits, and in longer sets."""
    rest = length - 32
    hypothesis = tuple(WORDS[i * i % 6] for i in range(20)) + tuple(f"x{i}" for i in range(rest)) + ("a", "b") * 6
    reference = ("a", "b", "walk", "d") * 3 + tuple(f"x{i}" for i in range(0, rest, 2)) + ("b", "a", "walks") * 2
    assert len(hypothesis) == length
    check(resource, hypothesis, reference)


@pytest.mark.parametrize("seed", range(6))
def test_long_runs_of_equal_candidates_are_not_tried_one_by_one(resource, seed):
    """A word that stands in more than 64 places of the hypothesis, among others, in sentences of any length."""
    rng = random.Random(seed)
    words = [["a"], ["a", "x"], ["a", "b"], WORDS, ["walk", "walks", "x"], ["d", "a"]][seed]
    hypothesis = tuple(rng.choice(words) for _ in range(rng.randint(70, 150)))
    reference = (*(rng.choice(words) for _ in range(rng.randint(20, 60))), "x")
    check(resource, hypothesis, reference)
    check(None, hypothesis, reference)
