"""Metrics that look at pictures, meta-evaluated: every rated text finds its picture or its vector."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.core.errors import InputError
from kataribe.encoders.clip import open_clip
from kataribe.encoders.encoded import encode_texts
from kataribe.formats.features import read_features
from kataribe.people.metaevaluation import score_rated
from kataribe.people.pictures import find_features, find_pictures
from kataribe.people.rated import RatedCaptions
from kataribe.people.ratings import Rating, Ratings
from kataribe.people.result import Text
from tests.encoders.tiny import SENTENCES

TEXTS = [Text("flickr8k_7_ab", "flickr8k_7_ab#1"), Text("flickr8k_7_ab", "flickr8k_7_ab#2"), Text("8", "8#1")]


@pytest.fixture
def rated() -> RatedCaptions:
    rows = tuple(Rating("ann", *text, "overall", float(n)) for n, text in enumerate(TEXTS))
    captions = dict(zip(TEXTS, SENTENCES, strict=False))
    pictures = {TEXTS[2]: "folder/rain.png"}
    return RatedCaptions(captions, {text: ["a dog"] for text in TEXTS}, Ratings("ratings", rows), pictures=pictures)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    image = pytest.importorskip("PIL.Image", reason="needs kataribe[models]")
    rng = np.random.default_rng(0)
    (tmp_path / "pictures").mkdir()
    for name in ("7_ab.jpg", "rain.png"):
        image.fromarray(rng.integers(0, 255, (40, 60, 3), dtype=np.uint8)).save(tmp_path / "pictures" / name)
    return tmp_path / "pictures"


def test_texts_find_pictures_by_name_or_by_item(rated: RatedCaptions, folder: Path) -> None:
    found = find_pictures(rated, folder)
    assert [found[text][0].name for text in TEXTS] == ["7_ab.jpg", "7_ab.jpg", "rain.png"]


def test_scores_of_a_data_set_are_those_of_its_pictures(
    rated: RatedCaptions, folder: Path, clip: str, own_cache: Path
) -> None:
    metric = f"emscore(model={clip})"
    scores, ratings = score_rated(rated, [metric], images=folder)
    assert (scores.texts, ratings) == (TEXTS, rated.ratings)
    assert len(set(scores.values[metric])) == 3
    for row, (text, picture) in enumerate(zip(TEXTS, ("7_ab", "7_ab", "rain"), strict=True)):
        captions, written = {picture: rated.captions[text]}, {picture: rated.references[text]}
        alone = kataribe.evaluate("captions", captions, written, metrics=[metric], images=folder)
        assert scores.values[metric][row] == pytest.approx(alone[metric].value, abs=1e-6)


def test_vectors_of_pictures_are_compared_with_the_texts_they_belong_to(
    rated: RatedCaptions, clip: str, own_cache: Path
) -> None:
    """A picture whose vector is the vector of its caption has the highest score there is."""
    encoder, metric = open_clip(clip), f'clipscore({clip}, prefix="")'
    captions = [rated.captions[TEXTS[0]], rated.captions[TEXTS[2]]]
    dog, rain = encode_texts(encoder, captions, "sentences").sentences(np.arange(2))
    scores, _ = score_rated(rated, [metric], features={"7_ab.jpg": dog, "rain": rain, "unused": -dog})
    values = scores.values[metric if metric in scores.values else next(iter(scores.values))]
    assert values[[0, 2]] == pytest.approx([2.5, 2.5], abs=1e-5)
    assert values[1] < 2.49


def test_features_go_by_other_names_in_other_processes_too(rated: RatedCaptions, tmp_path: Path) -> None:
    np.savez(tmp_path / "v.npz", **{"7_ab": np.ones(2), "rain": np.zeros(2), "unused": np.ones(2)})
    for source in (tmp_path / "v.npz", {"7_ab": np.ones(2), "rain": np.zeros(2)}):
        found = find_features(rated, source)
        for features in (found, pickle.loads(pickle.dumps(found)), pickle.loads(pickle.dumps(found.only(["8#1"])))):
            assert features["8#1"].tolist() == [[0, 0]]
        assert found.ids == {text.system for text in TEXTS}
        assert found["flickr8k_7_ab#2"].tolist() == [[1, 1]]
        assert found.only(["8#1"]).ids == {"8#1"}
    assert read_features(found) is found


def test_texts_without_picture_are_named(rated: RatedCaptions, folder: Path) -> None:
    (folder / "rain.png").unlink()
    with pytest.raises(InputError, match=r"pictures: has no picture for 1 of 3 items: 'folder/rain\.png' - name each"):
        score_rated(rated, ["rouge_l"], images=folder)
    with pytest.raises(InputError, match=r"has no features for 1 pictures: 'folder/rain\.png' - it has '7_ab'"):
        score_rated(rated, ["rouge_l"], features={"7_ab": [1.0]})
