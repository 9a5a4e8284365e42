"""Captions as batches: which texts, who is whose reference, what is padding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.captions.suisei.batches import Layout, RatedBatches, TokenTable
from kataribe.captions.suisei.options import ModelOptions
from kataribe.captions.suisei.vectors import Idf, TextVectors
from kataribe.core.errors import InputError
from kataribe.core.ragged import Ragged

LISTS = st.lists(st.lists(st.integers(0, 6), max_size=5), min_size=1, max_size=6)


def layout_of(references: list[list[int]]) -> Layout:
    return Layout.of(np.arange(len(references), dtype=np.int64), Ragged.of(references, np.int64))


@given(LISTS)
def test_copies_of_a_reference_count_once_in_the_order_of_the_first(references: list[list[int]]) -> None:
    found = [rows.tolist() for rows in layout_of(references).references]
    assert found == [list(dict.fromkeys(rows)) for rows in references]


@given(LISTS)
def test_padding_is_told_from_references(references: list[list[int]]) -> None:
    table, is_reference = layout_of(references).padded()
    assert [row[known].tolist() for row, known in zip(table, is_reference, strict=True)] == [
        list(dict.fromkeys(rows)) for rows in references
    ]


@given(LISTS, st.data())
def test_a_batch_holds_the_texts_of_its_captions_and_no_others(references: list[list[int]], data: Any) -> None:
    layout = layout_of(references)
    vectors = np.arange(8, dtype=np.float32)[:, np.newaxis]
    count = len(references)
    pictures = np.arange(count, dtype=np.float32)[:, np.newaxis] + 100
    batches = RatedBatches(layout, np.linspace(0, 1, count), np.arange(count), TextVectors(vectors), pictures=pictures)
    rows = np.array(data.draw(st.lists(st.integers(0, count - 1), min_size=1)))
    batch = batches.of(rows)
    texts = batch.texts.plain[:, 0].numpy()
    assert texts[batch.candidates.numpy()].tolist() == rows.tolist()
    for row, of, known in zip(rows, batch.references.numpy(), batch.is_reference.numpy(), strict=True):
        assert texts[of[known]].tolist() == layout.references[row : row + 1].values.tolist()
    assert set(texts) == {text for row in rows for text in (row, *layout.references[row : row + 1].values)}
    assert batch.pictures[:, 0].tolist() == (rows + 100).tolist()
    np.testing.assert_allclose(batch.ratings.numpy(), batches.ratings[rows], atol=1e-7)
    assert batch.items.tolist() == rows.tolist()


def test_a_unit_brings_all_its_captions() -> None:
    layout = layout_of([[0]] * 5)
    units = [np.array([0, 3]), np.array([1, 2, 4])]
    batches = RatedBatches(layout, np.zeros(5), np.arange(5), TextVectors(np.eye(5, dtype=np.float32)), units=units)
    assert len(batches) == 2
    assert batches.batch(np.array([1])).items.tolist() == [1, 2, 4]
    assert batches.batch(np.array([1, 0])).items.tolist() == [1, 2, 4, 0, 3]


def test_tokens_of_texts_with_weights_of_the_idf_branch() -> None:
    idf = Idf(np.array([4], np.int32), np.array([0.5], np.float32), 3.0)
    table = TokenTable([np.array([1, 4, 5, 2]), np.array([1, 2])], frozenset({1, 2}), 9, idf)
    found = table.of(np.array([1, 0]))
    assert found.ids.tolist() == [[1, 2, 9, 9], [1, 4, 5, 2]]
    assert found.mask.tolist() == [[1, 1, 0, 0], [1, 1, 1, 1]]
    assert found.weights.tolist() == [[0, 0, 0, 0], [0, 0.5, 3.0, 0]]


def test_too_many_references_to_concatenate_are_refused_with_the_id() -> None:
    layout = layout_of([[0], [1, 2, 3, 1]])
    model = ModelOptions(head="suisei", combine="concat", most_references=2)
    with pytest.raises(InputError, match="id 'b': has 3 different references, the model concatenates at most 2"):
        layout.refuse_unfit(model, ["a", "b"])
    layout.refuse_unfit(ModelOptions(head="suisei", most_references=2), ["a", "b"])


def test_a_caption_without_references_is_refused_where_some_are_needed() -> None:
    layout = layout_of([[0], []])
    with pytest.raises(InputError, match=r"file.csv: id 'b': has no reference to compare with"):
        layout.refuse_unfit(ModelOptions(), ["a", "b"], "file.csv")
    layout.refuse_unfit(ModelOptions(without=("references",)), ["a", "b"])
