"""The task as Python sees it: references in several files, what a signature tells apart, what is said of texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kataribe
from kataribe.core.errors import InputError
from kataribe.core.result import Result

REFERENCES = {
    "1": ["a dog runs on the beach", "one dog is running"],
    "2": ["a man plays the guitar", "someone makes music"],
    "3": ["two women cook dinner", "women in a kitchen"],
    "4": ["snow falls on a street", "a street in winter"],
}
PREDICTIONS = {"1": "a dog runs", "2": "a man plays", "3": "women cook", "4": "a white street"}


def evaluate(predictions=PREDICTIONS, references=REFERENCES, metrics=("rouge_l",), **options) -> Result:
    return kataribe.evaluate("captions", predictions, references, list(metrics), **options)


def write(folder: Path, name: str, content: object) -> Path:
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder / name


def ids(result: Result) -> list[str]:
    return [warning.id for warning in result.warnings]


def test_references_in_several_files_are_joined(tmp_path: Path) -> None:
    one = write(tmp_path, "one.json", {id: texts[:1] for id, texts in REFERENCES.items()})
    other = write(tmp_path, "other.json", {id: texts[1:] for id, texts in REFERENCES.items()})
    whole, joined, swapped = evaluate(), evaluate(references=[one, other]), evaluate(references=(str(other), str(one)))
    assert joined["rouge_l"].items == whole["rouge_l"].items == swapped["rouge_l"].items
    assert joined["rouge_l"].signature == whole["rouge_l"].signature == swapped["rouge_l"].signature
    assert joined["rouge_l"].value > evaluate(references=other)["rouge_l"].value


def test_an_item_may_be_in_one_of_the_files_only(tmp_path: Path) -> None:
    halves = [{id: REFERENCES[id] for id in REFERENCES if (id > "2") == late} for late in (False, True)]
    files = [write(tmp_path, f"{place}.json", half) for place, half in enumerate(halves)]
    assert evaluate(references=files)["rouge_l"].items == evaluate()["rouge_l"].items


def test_the_same_references_twice_are_refused_in_whatever_order(tmp_path: Path) -> None:
    one = write(tmp_path, "one.json", REFERENCES)
    other = write(tmp_path, "other.json", dict(reversed(REFERENCES.items())))
    for files in ([one, one], [one, other]):
        with pytest.raises(InputError, match=rf"{files[1].name}: holds the same as .*one\.json - give each file once"):
            evaluate(references=files)


def test_a_file_whose_references_are_all_in_another_is_refused(tmp_path: Path) -> None:
    whole = write(tmp_path, "whole.json", REFERENCES)
    part = write(tmp_path, "part.json", {id: [f" {texts[0]}\n"] for id, texts in REFERENCES.items() if id < "4"})
    turned = write(tmp_path, "turned.json", {id: texts[::-1] for id, texts in REFERENCES.items()})
    said = r"part\.json: all its references are in .*whole\.json too - give each reference once"
    for files in ([whole, part], [part, whole]):
        with pytest.raises(InputError, match=said):
            evaluate(references=files)
    with pytest.raises(InputError, match=r"turned\.json: all its references are in .*whole\.json too"):
        evaluate(references=[whole, turned])


def test_the_same_words_in_several_files_are_counted(tmp_path: Path) -> None:
    """Annotators sometimes write the same words; in one file that is ordinary data."""
    one = write(tmp_path, "one.json", {id: texts[:1] for id, texts in REFERENCES.items()})
    other = {id: texts[1:] for id, texts in REFERENCES.items()} | {"2": ["a man  plays the guitar"]}
    result = evaluate(references=[one, write(tmp_path, "other.json", other)])
    assert ids(result) == ["repeated-references"]
    assert result.warnings[0].startswith("1 item has the same reference in several files: '2'")
    within = write(tmp_path, "within.json", {id: [texts[1]] * 2 for id, texts in REFERENCES.items()})
    assert not evaluate(references=[one, within]).warnings


def test_the_hash_does_not_depend_on_the_order_of_items() -> None:
    turned = {id: texts[::-1] for id, texts in reversed(REFERENCES.items())}
    assert evaluate()["rouge_l"].signature == evaluate(references=turned)["rouge_l"].signature
    other = REFERENCES | {"4": ["snow falls on a street", "a street in spring"]}
    assert evaluate()["rouge_l"].signature != evaluate(references=other)["rouge_l"].signature


def test_the_signature_counts_missing_predictions() -> None:
    half = {id: PREDICTIONS[id] for id in ("1", "2")}
    assert "|missing:zero(2)|data:4/4|" in evaluate(half, missing="zero")["rouge_l"].signature
    assert "|missing:drop(2)|data:2/4|" in evaluate(half, missing="drop")["rouge_l"].signature
    assert "|missing:zero|data:4/4|" in evaluate(missing="zero")["rouge_l"].signature


@pytest.mark.parametrize("text", ["一只狗在海滩上奔跑", "犬が海岸を走っている"])
@pytest.mark.parametrize("metric", ["bleu", "meteor", "rouge_l", "cider", "ppl", "div"])
def test_text_without_spaces_needs_another_tokenizer(text: str, metric: str) -> None:
    references = {"1": [text], "2": [f"{text}。"]}
    result = evaluate({"1": text, "2": "狗"}, references, [metric])
    assert ids(result) == ["unspaced-text"]
    assert 'tok="zh", ja or char' in result.warnings[0]
    if metric != "meteor":
        assert not evaluate({"1": text, "2": "狗"}, references, [metric], tok="char").warnings


def test_metrics_that_cut_nothing_at_spaces_raise_no_alarm() -> None:
    references = {"1": ["一只狗"], "2": ["一只猫"]}
    assert not evaluate({"1": "狗", "2": "猫"}, references, ["bleu(tok=char)", "meteor(tok=char)"]).warnings


def test_predictions_alone_may_lack_spaces() -> None:
    assert ids(evaluate({"1": "一只狗在海滩上奔跑"}, {"1": ["a dog"]})) == ["unspaced-text"]
    assert ids(evaluate({"1": "a dog"}, {"1": ["一只狗在海滩上奔跑"]})) == ["unspaced-text"]


def test_odd_texts_of_both_sides_are_counted() -> None:
    """An empty string among the references moves CIDEr far, and nobody would see why."""
    references = REFERENCES | {"1": ["a dog runs on the beach", ""], "2": ["nan", "a man plays"]}
    result = evaluate(PREDICTIONS | {"3": "women cook </s>", "4": "..."}, references)
    assert list(result.warnings) == [
        "1 prediction has no letter or digit: '4'",
        "1 prediction contains marks of a model, such as <s> or [PAD]: '3'",
        "1 reference is empty and was scored as it is: '1'",
        '1 reference is a word that stands for a missing value, such as "nan" or "None": \'2\'',
    ]


def test_references_given_as_predictions_are_recognised() -> None:
    copies = {id: texts[1] for id, texts in REFERENCES.items()}
    result = evaluate(copies)
    assert ids(result) == ["references-as-predictions"]
    assert result.warnings[0].startswith("all 4 predictions have the words of one of their references")
    assert "references-as-predictions" in ids(evaluate(copies | {"4": ""}, missing="zero"))
    assert not evaluate(copies | {"4": "a street"}).warnings, "one is its own"
    assert not evaluate(copies, metrics=["div"]).warnings, "nothing is compared with references"
    two = {id: REFERENCES[id] for id in ("1", "2")}
    assert not evaluate({id: texts[0] for id, texts in two.items()}, two).warnings, "two may be chance"


def test_references_are_recognised_without_capitals_and_punctuation() -> None:
    """A tokenizer takes both away, and the score is that of the references."""
    written = {id: [f"{text.capitalize()}, (it's {id})." for text in texts] for id, texts in REFERENCES.items()}
    copies = {id: f"{texts[0]} it's {id}" for id, texts in REFERENCES.items()}
    assert ids(evaluate(copies, written)) == ["references-as-predictions"]
    assert not evaluate(copies | {"4": "snow falls on a street it's 5"}, written).warnings


def test_metrics_that_leave_out_silence_are_named() -> None:
    half = {"1": "a dog runs", "2": "a man plays"}
    result = evaluate(half, metrics=["div", "div(corpus)"], missing="zero")
    assert result["div"].items["3"].value == 0.0
    assert result["div"].value == evaluate(half, metrics=["div"], missing="drop")["div"].value / 2
    assert ids(result) == ["missing", "left-out"]
    assert result.warnings[1] == "2 predictions say nothing and are left out of div(corpus): '3', '4'"


@pytest.mark.data
def test_real_captions_raise_no_alarm(data_folder: Path) -> None:
    rated = json.loads((data_folder / "human-judgements" / "flickr8k_expert.json").read_text())
    predictions, references = {}, {}
    for image, entry in rated.items():
        for place, judged in enumerate(entry["human_judgement"]):
            predictions[f"{image}/{place}"] = judged["caption"]
            references[f"{image}/{place}"] = entry["ground_truth"]
    assert not evaluate(predictions, references, ["bleu", "rouge_l"]).warnings


@pytest.mark.data
def test_a_real_captioner_raises_no_alarm(data_folder: Path) -> None:
    folder = data_folder / "activitynet-captions"
    submitted = json.loads((folder / "model_output_val_1.json").read_text())["results"]
    written = json.loads((folder / "val_1.json").read_text())
    videos = [video for video in submitted if video in written]
    predictions = {video: submitted[video][0]["sentence"] for video in videos}
    references = {video: written[video]["sentences"] for video in videos}
    assert not evaluate(predictions, references).warnings


def test_an_interval_that_no_metric_can_give_is_said() -> None:
    found = evaluate(uncertainty="ensemble")
    assert [warning.id for warning in found.warnings] == ["no-uncertainty"]
    assert found["rouge_l"].value == evaluate()["rouge_l"].value
