"""A shard of stories is whole in itself, and what a corpus lacks is said of the corpus, not of a shard."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from kataribe.core import registry
from kataribe.core.errors import JoinError
from kataribe.formats.storytable import StoryTable
from kataribe.stories.items import Stories
from kataribe.stories.join import CONSTANT_FILLER, join


@pytest.fixture
def items(story) -> Stories:
    told = [story("v", (0, 5, "Plan A."), (5, 9, "a café")), story("w", (0, 5, "a dog")), story("x", (0, 5, "rain"))]
    other = [story("w", (0, 6, "a cat"))]
    predicted = [story("v", (0, 5, "a man"), (1, 2, "rain")), story("w", (3, 4, "a dog"))]
    return join(StoryTable.of(predicted), [StoryTable.of(told), StoryTable.of(other)], None, seed=0)[0]


def test_a_shard_has_its_own_texts_their_plain_versions_and_its_fillers_only(items):
    shard = items[np.array([0])]
    texts = shard.pool.distinct
    filler = texts[shard.fillers.random[0]]
    assert set(texts) == {"Plan A.", "a café", "a caf ", "a man", "rain", filler, CONSTANT_FILLER}
    assert texts[shard.fillers.constant] == CONSTANT_FILLER
    assert texts[shard.plain[texts.index("a café")]] == "a caf "
    assert {texts[index] for index in shard.pool.endings} == {"Plan A.", CONSTANT_FILLER}
    assert items.pool.texts[items.fillers.random[0]] == filler


def test_videos_keep_their_stories_in_any_order_and_after_pickling(items):
    shard = pickle.loads(pickle.dumps(items[np.array([1, 0])]))
    assert shard.ids == ["w", "v"]
    written = [[shard.pool.texts[index] for index in texts.tolist()] for texts in shard.references.texts]
    assert written == [["a dog", "a cat"], ["Plan A.", "a café"]]
    assert [annotators.tolist() for annotators in shard.annotator] == [[0, 1], [0, 0]]
    assert shard.references.segments.values.tolist() == [[0, 5], [0, 6], [0, 5], [5, 9]]
    assert shard.predicted.tolist() == [True, True]


def test_no_text_of_a_shard_is_lost_when_it_is_cut_again(items):
    again = items[1:][:1]
    assert [again.pool.texts[index] for index in again.references.texts.values] == ["a dog", "a cat"]


def test_a_shard_without_a_given_segment_is_no_error_and_a_corpus_without_one_is(items):
    metric = registry.parse("segments(rouge_l)")
    facts = metric.facts(items)
    assert metric.stats(items[1:], metric.prepare(items[1:], facts)).shape == (2, len(metric.columns))
    with pytest.raises(JoinError, match="no predicted segment is a reference segment"):
        metric.facts(items[1:])
