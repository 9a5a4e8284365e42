"""Metrics that look at pictures, meta-evaluated: every rated text finds its picture or its vector."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.core.errors import InputError
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


def test_clipscore_of_a_data_set_is_that_of_its_pictures(
    rated: RatedCaptions, folder: Path, clip: str, own_cache: Path
) -> None:
    metric = f"clipscore({clip})"
    scores, ratings = score_rated(rated, [metric], images=folder)
    assert (scores.texts, ratings) == (TEXTS, rated.ratings)
    for row, (text, picture) in enumerate(zip(TEXTS, ("7_ab", "7_ab", "rain"), strict=True)):
        alone = kataribe.evaluate("captions", {picture: rated.captions[text]}, metrics=[metric], images=folder)
        assert scores.values[metric][row] == pytest.approx(alone[metric].value, abs=1e-6)
    vectors = {"7_ab": np.eye(24)[0], "rain": np.eye(24)[1]}
    given, _ = score_rated(rated, [metric], features=vectors)
    assert given.values[metric].shape == (3,)


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
