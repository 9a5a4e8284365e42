"""The whole caption pipeline against pycocoevalcap's, raw text in, scores out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kataribe
from tests.original import original_captions


@pytest.mark.java
@pytest.mark.data
def test_real_captions_with_five_references(data_folder: Path) -> None:
    rated = json.loads((data_folder / "human-judgements" / "flickr8k_expert.json").read_text())
    predictions, references = {}, {}
    for name, image in rated.items():
        for place, judged in enumerate(image["human_judgement"][::6]):
            predictions[f"{name}-{place}"] = judged["caption"]
            references[f"{name}-{place}"] = image["ground_truth"]
    assert len(predictions) > 2500
    assert_same(predictions, references)


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.data
def test_a_real_captioner_against_two_annotators(data_folder: Path) -> None:
    folder = data_folder / "activitynet-captions"
    submitted = json.loads((folder / "model_output_val_1.json").read_text())["results"]
    annotators = [json.loads((folder / f"val_{n}.json").read_text()) for n in (1, 2)]
    predictions, references = {}, {}
    for video in list(submitted)[:1500]:
        texts = [annotator[video]["sentences"][0] for annotator in annotators if video in annotator]
        if texts:
            predictions[video] = submitted[video][0]["sentence"]
            references[video] = texts
    assert len(predictions) > 1000
    assert_same(predictions, references)


def assert_same(predictions: dict[str, str], references: dict[str, list[str]]) -> None:
    original = original_captions(predictions, references)
    ours = kataribe.evaluate("captions", predictions, references)
    for name, expected in original.items():
        metric = ours["bleu"] if name.startswith("BLEU") else ours[name]
        part = name if name.startswith("BLEU") else None
        value = metric.parts[part] if part else metric.value
        items = {id: score.parts[part] if part else score.value for id, score in metric.items.items()}
        assert value == pytest.approx(expected["value"], abs=1e-9), name
        assert items == pytest.approx(expected["items"], abs=1e-12 if name == "meteor" else 1e-9), name
