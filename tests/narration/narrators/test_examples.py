"""Clips as arrays: whole, in batches of similar length, with what was told and said before."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from kataribe.core.types import Segment
from kataribe.narration.narrators.examples import (
    HEARD_AFTER,
    HEARD_BEFORE,
    TOLD,
    ClipExamples,
    Reader,
    told_before,
)
from kataribe.narration.narrators.options import NarratorOptions
from kataribe.narration.narrators.vocabulary import END, PAD, Vocabulary
from tests.narration.narrators.made import CLIP, FACE, made_corpus

CORPUS = made_corpus((2, 1, 0), clips=7)
CLIPS = CORPUS.clips("train")
WORDS = Vocabulary.of([clip.text for clip in CLIPS])


def reader(**options: object) -> Reader:
    return Reader(NarratorOptions(**options), WORDS, ("剧情",), FACE)


def test_batches_of_similar_length_hold_every_clip_once() -> None:
    examples = ClipExamples(CLIPS, reader())
    for seed in range(5):
        rows = np.random.default_rng(seed).permutation(len(CLIPS))
        arranged = examples.arrange(rows, 4)
        assert sorted(arranged.tolist()) == list(range(len(CLIPS)))
    lengths = [len(examples.shown[row].text) for row in arranged[:12].tolist()]
    waste = sum(max(lengths[k : k + 4]) * 4 - sum(lengths[k : k + 4]) for k in (0, 4, 8))
    unsorted = [len(examples.shown[row].text) for row in rows[:12].tolist()]
    assert waste <= sum(max(unsorted[k : k + 4]) * 4 - sum(unsorted[k : k + 4]) for k in (0, 4, 8))


def test_names_are_roles_only_for_a_narrator_that_points() -> None:
    pointing, spelling = (reader(model=model).encode(CLIPS[0].text, CLIPS[0].film)[0] for model in ("rmn", "vt"))
    assert max(pointing) >= WORDS.size > max(spelling)
    for model, tokens in (("rmn", pointing), ("vt", spelling)):
        assert reader(model=model).decode(tokens, CLIPS[0].film) == CLIPS[0].text


def test_the_text_of_a_batch_is_whole_and_ends() -> None:
    batch = ClipExamples(CLIPS, reader()).batch(np.arange(len(CLIPS)))
    for row, clip in enumerate(CLIPS):
        tokens = [token for token in batch.text[row].tolist() if token != PAD]
        assert tokens[-1] == END
        assert reader().decode(tokens[1:-1], clip.film) == clip.text


@pytest.mark.parametrize(
    ("context", "kinds"),
    [
        ("none", set()),
        ("lines", {TOLD}),
        ("dialogue", {HEARD_BEFORE, HEARD_AFTER}),
        ("lines+dialogue", {TOLD, HEARD_BEFORE, HEARD_AFTER}),
    ],
)
def test_context_is_what_was_told_and_what_is_said(context: str, kinds: set[int]) -> None:
    film = CLIPS[0].film
    found = reader(context=context).context(film, Segment(2 * CLIP + 1, 3 * CLIP), ["甲跑开了。", "乙读一本书。"])
    assert set(found.kinds.tolist()) == kinds
    assert len(found.tokens) == len(found.kinds)


def test_unknown_characters_of_the_context_are_counted() -> None:
    found = reader(context="lines").context(CLIPS[0].film, CLIPS[0].span, ["Maria waits."])
    assert found.unknown == len("Maria waits.")


def test_only_earlier_clips_of_the_same_film_were_told_before() -> None:
    clips = [CLIPS[1], CLIPS[8], CLIPS[0], CLIPS[2]]
    assert told_before(clips) == [[CLIPS[0].text], [], [], [CLIPS[0].text, CLIPS[1].text]]
