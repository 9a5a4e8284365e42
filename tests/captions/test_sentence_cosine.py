"""Sentence cosine: vectors of whole texts, the best or the mean over references."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.core.errors import ResourceError
from kataribe.encoders.encoded import encode_texts
from kataribe.encoders.text import TransformersText, open_text
from tests.encoders.tiny import SENTENCES


def test_it_is_the_cosine_of_the_encoders_vectors(bert: str, own_cache: Path) -> None:
    vectors = encode_texts(open_text(bert), SENTENCES, "sentences").sentences(np.arange(len(SENTENCES)))
    cosines = vectors @ vectors.T
    candidates = {str(i): SENTENCES[i] for i in range(4)}
    references = {str(i): [SENTENCES[i + 1], SENTENCES[i + 3]] for i in range(4)}
    for refs, combine in (("best", max), ("mean", lambda a, b: (a + b) / 2)):
        metric = f"sentence_cosine({bert}, refs={refs})"
        found = kataribe.evaluate("captions", candidates, references, [metric])[metric]
        expected = [combine(cosines[i, i + 1], cosines[i, i + 3]) for i in range(4)]
        np.testing.assert_allclose(found.item_values, expected, atol=1e-5)
    assert "|model:tiny-bert-" in found.signature


@pytest.mark.parametrize("order", [1, -1])
def test_texts_are_encoded_once_whichever_metric_is_named_first(
    bert: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch, order: int
) -> None:
    encoded: list = []
    forward = TransformersText.forward
    monkeypatch.setattr(
        TransformersText, "forward", lambda self, batch: (encoded.extend(batch), forward(self, batch))[1]
    )
    metrics = [f"bertscore({bert})", f"sentence_cosine({bert})"][::order]
    result = kataribe.evaluate("captions", {"1": SENTENCES[0]}, {"1": SENTENCES[1:3]}, metrics)
    assert [each.metric for each in result] == metrics
    assert len(encoded) == 3


def test_model_of_texts_and_pictures_is_refused(clip: str) -> None:
    with pytest.raises(ResourceError, match="is a clip model of texts and pictures"):
        kataribe.evaluate("captions", {"1": "a dog"}, {"1": ["a cat"]}, [f"sentence_cosine({clip})"])


@pytest.mark.slow
@pytest.mark.data
def test_default_encoder_agrees_with_people_on_flickr8k_expert(data_folder: Path) -> None:
    """Above RefCLIPScore's published 53.0, from text alone; BERTScore on the same encoder is close."""
    from scipy.stats import kendalltau

    rated = json.loads((data_folder / "human-judgements" / "flickr8k_expert.json").read_text(encoding="utf-8"))
    rows = [
        (entry["caption"], image["ground_truth"], entry["rating"])
        for image in rated.values()
        for entry in image["human_judgement"]
    ]
    assert len(rows) == 3 * 5664
    candidates = {str(place): caption for place, (caption, _, _) in enumerate(rows)}
    references = {str(place): texts for place, (_, texts, _) in enumerate(rows)}
    result = kataribe.evaluate("captions", candidates, references, ["bertscore", "sentence_cosine"])
    ratings = [float(rating) for _, _, rating in rows]
    taus = {each.metric: 100 * kendalltau(each.item_values, ratings, variant="c")[0] for each in result}
    assert taus["sentence_cosine"] == pytest.approx(55.2, abs=0.1)
    assert taus["bertscore"] == pytest.approx(54.8, abs=0.1)


@pytest.mark.parametrize("damage", ["one row", "no database", "malformed in the middle"])
@pytest.mark.parametrize("metric", ["sentence_cosine", "bertscore"])
def test_a_damaged_store_changes_no_score_and_is_said(bert: str, own_cache: Path, metric: str, damage: str) -> None:
    spec = f"{metric}({bert})"
    candidates = {str(i): SENTENCES[i] for i in range(4)}
    references = {str(i): [SENTENCES[i + 1], SENTENCES[i + 3]] for i in range(4)}

    def score() -> kataribe.Result:
        return kataribe.evaluate("captions", candidates, references, [spec])

    before = score()
    [file] = own_cache.glob("encoders/*.vectors")
    if damage == "one row":
        with sqlite3.connect(file) as database:
            table, blob = ("tokens", "vectors") if metric == "bertscore" else ("sentences", "vector")
            [(key, vectors)] = database.execute(f"SELECT key, {blob} FROM {table} LIMIT 1").fetchall()
            wrong = (np.frombuffer(vectors, dtype=np.float32) * 1000).tobytes()
            database.execute(f"UPDATE {table} SET {blob} = ? WHERE key = ?", (wrong, key))
        database.close()
    else:
        content = bytearray(file.read_bytes())
        start = 0 if damage == "no database" else 32768
        content[start:] = b"\xff" * (len(content) - start)
        file.write_bytes(content)
    after = score()
    np.testing.assert_allclose(after[spec].item_values, before[spec].item_values, atol=1e-6)
    assert [caution.id for caution in after.warnings if caution not in before.warnings] == ["damaged-cache"]
    assert score().warnings == before.warnings
