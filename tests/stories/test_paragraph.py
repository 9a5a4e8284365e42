"""Paragraphs: what the scorer of paragraph papers prints, and what one would expect of a paragraph."""

from __future__ import annotations

import json
import re

import pytest
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge

import kataribe
from kataribe.core import registry
from kataribe.core.errors import UsageError

NAMES = ("bleu", "cider", "rouge_l")


def test_captions_are_joined_as_in_the_file_or_in_time_order(story, score):
    told = [story("v", (5, 9, "and falls"), (0, 5, "a man runs"))]
    in_time = [story("v", (2, 3, "a man runs and falls"))]
    in_file = [story("v", (2, 3, "and falls a man runs"))]
    for order, same in (("", in_file), (", paper", in_time), (", order=sorted", in_time)):
        result = score(f"paragraph(rouge_l(tok=none){order})", same, [told])
        assert result.value == pytest.approx(1)
    assert score("paragraph(rouge_l(tok=none))", in_time, [told]).value < 1


def test_protocols_differ_in_order_and_tokens_and_say_so(story, score):
    told = [story("v", (0, 9, "A man's dog-house."))]
    official, paper = (score(f"paragraph(rouge_l{rules})", told, [told]).signature for rules in ("", ", paper"))
    assert "|text.tok:letters|order:file|" in official
    assert "|text.tok:ptb|order:sorted|" in paper
    assert str(registry.parse("paragraph(meteor)", protocol="paper")) == "paragraph(meteor, paper)"


def test_only_runs_of_letters_are_tokens(story, score):
    told, predicted = [story("v", (0, 9, "a man s dog house caf ends the end"))], [
        story("v", (0, 9, "A man's dog-house café; 2 ends.The END!"))
    ]  # fmt: skip
    for name in NAMES[::2]:
        assert score(f"paragraph({name})", predicted, [told]).value == pytest.approx(1)
        assert score(f"paragraph({name}, paper)", predicted, [told]).value < 0.9
        assert score(f"paragraph({name}, tok=ptb)", predicted, [told]).value < 0.9


def test_meteor_sees_these_tokens_and_stays_english(story, score):
    told, predicted = [story("v", (0, 9, "the dogs ran 2 miles"))], [story("v", (0, 9, "the dog-ran miles"))]
    official = score("paragraph(meteor)", predicted, [told])
    assert "|text.lang:en|text.tok:letters|" in official.signature
    # dogs and dog share a stem; "dog-ran" is one word to the other tokenizer.
    assert official.value > score("paragraph(meteor, paper)", predicted, [told]).value
    assert official.value == pytest.approx(
        kataribe.evaluate("captions", {"v": "the dog ran miles"}, {"v": ["the dogs ran miles"]}, ["meteor"])[
            "meteor"
        ].value
    )


def test_other_languages_and_metrics_without_tokenizer_keep_their_own_words(story, score):
    told = [story("v", (0, 9, "老李回头。"))]
    result = score("paragraph(rouge_l(tok=char))", told, [told])
    assert "|text.tok:char|" in result.signature
    assert result.value == pytest.approx(1)
    with pytest.raises(UsageError, match="has no tokenizer to choose"):
        registry.parse("paragraph(sentence_cosine, tok=char)")


def test_a_paragraph_of_what():
    with pytest.raises(UsageError, match="paragraph of what"):
        registry.parse("paragraph")


@pytest.mark.parametrize(("rules", "tok"), [("official", "letters"), ("paper", "ptb")])
def test_paragraphs_equal_the_captions_task_on_the_joined_texts(story, rules, tok):
    told = [story("v", (0, 5, "a man runs"), (5, 9, "he falls")), story("w", (0, 9, "a dog sleeps"))]
    other = [story("v", (0, 9, "a man falls down")), story("w", (0, 2, "a dog"), (2, 9, "it sleeps"))]
    predicted = [story("v", (0, 5, "the man runs"), (5, 9, "and falls")), story("w", (0, 9, "a dog"))]
    joined = {s.video: " ".join(c.text for c in s.captions) for s in predicted}
    references = {
        one.video: [" ".join(c.text for c in s.captions) for s in (one, two)]
        for one, two in zip(told, other, strict=True)
    }
    metrics = [f"paragraph({name}, {rules})" for name in NAMES]
    ours = kataribe.evaluate("stories", predicted, [told, other], metrics=metrics)
    theirs = kataribe.evaluate("captions", joined, references, metrics=[f"{name}(tok={tok})" for name in NAMES])
    for metric, expected in zip(metrics, theirs, strict=True):
        assert ours[metric].value == pytest.approx(expected.value)
        assert ours[metric].items["v"].value == pytest.approx(expected.items["v"].value)


@pytest.mark.data
def test_official_equals_pycocoevalcap_on_runs_of_letters(data_folder):
    """On every twelfth video: the paragraphs as they stand in the files, cut by a rule that fits on one line."""
    folder = data_folder / "activitynet-captions"
    references = [json.loads((folder / f"val_{k}.json").read_text()) for k in (1, 2)]
    submission = json.loads((folder / "model_output_val_1.json").read_text())["results"]
    videos = [video for video in references[1] if video in submission and video in references[0]][::12]

    def letters(sentences: list[str]) -> str:
        return re.sub("[^a-z]+", " ", " ".join(sentences).lower()).strip()

    gts = {v: [letters(told[v]["sentences"]) for told in references] for v in videos}
    res = {v: [letters([caption["sentence"] for caption in submission[v]])] for v in videos}
    expected = {
        "bleu": Bleu(4).compute_score(gts, res, verbose=0)[0][3],
        "cider": Cider().compute_score(gts, res)[0],
        "rouge_l": Rouge().compute_score(gts, res)[0],
    }
    told = [{video: stories[video] for video in videos} for stories in references]
    predicted = {video: submission[video] for video in videos}
    result = kataribe.evaluate("stories", predicted, told, metrics=[f"paragraph({name})" for name in expected])
    for name, value in expected.items():
        assert result[f"paragraph({name})"].value == pytest.approx(value, abs=1e-9)
