"""Story scores against the definitions, spelled out naively on top of pycocoevalcap's own tokenizer and scorers."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

import kataribe
from kataribe.stories.join import CONSTANT_FILLER, random_fillers

pytestmark = [pytest.mark.java, pytest.mark.data]

THRESHOLDS = (0.3, 0.5, 0.7, 0.9)
PARTS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr")
# A line that nothing before it looks at, so that many calls of the tokenizer fit into one start of Java.
NEUTRAL = "nothing"

Submission = dict[str, list[dict[str, Any]]]
References = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def meteor() -> Meteor:
    return Meteor()


@pytest.fixture(scope="module")
def references(data_folder: Path) -> list[References]:
    names = ("val_1.json", "val_2.json")
    return [json.loads((data_folder / "activitynet-captions" / name).read_text()) for name in names]


@pytest.fixture(scope="module")
def chosen(references: list[References]) -> list[str]:
    """200 videos, among them all that are odd: not ASCII, with newlines, of one annotator, out of order."""
    first, second = references

    def is_odd(video: str) -> bool:
        texts = [text for told in references for text in told.get(video, {}).get("sentences", [])]
        return any(not text.isascii() or "\n" in text or text.endswith("T.") for text in texts) or video not in second

    odd = [video for video in first if is_odd(video)]
    unordered = [video for video, story in first.items() if story["timestamps"] != sorted(story["timestamps"])]
    return list(dict.fromkeys([*odd, *unordered[:40], *first]))[:200]


@pytest.fixture(scope="module")
def perturbed(references: list[References], chosen: list[str]) -> Submission:
    """The first annotator's stories with jittered times, words lost, captions doubled, lost and shuffled."""
    rng = np.random.default_rng(0)
    submission: Submission = {}
    for video in chosen[:-3]:
        told = references[0][video]
        captions = []
        for (start, end), text in zip(told["timestamps"], told["sentences"], strict=True):
            for _ in range(rng.integers(0, 4)):
                words = [word for word in text.split(" ") if rng.random() < 0.8]
                start, end = np.sort(np.array([start, end]) + rng.normal(0, 0.1 * (end - start), 2)).tolist()
                captions.append({"sentence": " ".join(words), "timestamp": [start, end]})
        submission[video] = [captions[place] for place in rng.permutation(len(captions))]
    crowded = chosen[-3]
    story = references[0][crowded]
    submission[crowded] = [
        {"sentence": story["sentences"][0], "timestamp": sorted((rng.random(2) * story["duration"]).tolist())}
        for _ in range(1200)
    ]
    submission[chosen[-2]] = []
    return submission


def tokenize_lists(lists: list[list[str]]) -> list[list[str]]:
    """Each list as one call of the original tokenizer would cut it."""
    lines = [text for texts in lists for text in [*texts, NEUTRAL]]
    cut = PTBTokenizer().tokenize({place: [{"caption": text}] for place, text in enumerate(lines)})
    tokens = iter(cut[place][0] for place in range(len(lines)))
    return [[next(tokens) for _ in [*texts, NEUTRAL]][:-1] for texts in lists]


def tool_iou(one: list[float], other: list[float]) -> float:
    overlap = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    hull = max(one[1], other[1]) - min(one[0], other[0])
    return overlap / (min(hull, one[1] - one[0] + other[1] - other[0]) + 1e-8)


def ascii_only(text: str) -> str:
    return "".join(character if ord(character) < 128 else " " for character in text)


def compared(predictions: list[dict[str, Any]], told: list[dict[str, Any]], threshold: float, filler: str) -> Any:
    """The pairs of one video and threshold as (predicted texts, reference texts)."""
    said, written = [], []
    for caption in predictions[:1000]:
        partners = [
            text
            for story in told
            for segment, text in zip(story["timestamps"], story["sentences"], strict=True)
            if tool_iou(caption["timestamp"], segment) >= threshold
        ]
        for partner in partners or [filler]:
            said.append(ascii_only(caption["sentence"]))
            written.append(ascii_only(partner))
    return said, written


def detected(predictions: list[dict[str, Any]], told: list[dict[str, Any]], threshold: float) -> tuple[float, float]:
    precision = recall = 0.0
    segments = [caption["timestamp"] for caption in predictions[:1000]]
    for story in told:
        hits = [[tool_iou(one, other) > threshold for other in story["timestamps"]] for one in segments]
        if hits:
            precision = max(precision, np.mean(np.any(hits, axis=1)))
            recall = max(recall, np.mean(np.any(hits, axis=0)))
    return precision, recall


def original_activitynet(
    meteor: Meteor, submission: Submission, references: list[References], year: int
) -> dict[str, float]:
    videos = list(dict.fromkeys(video for told in references for video in told))
    fillers = random_fillers(len(videos), seed=0) if year == 2021 else [CONSTANT_FILLER] * len(videos)
    cases, lists = [], []
    for (video, filler), threshold in product(zip(videos, fillers, strict=True), THRESHOLDS):
        told = [story[video] for story in references if video in story]
        said, written = compared(submission.get(video, []), told, threshold, filler)
        cases.append((video, threshold, detected(submission.get(video, []), told, threshold)))
        lists += [said, written]
    tokens = tokenize_lists(lists)
    sums: dict[str, float] = {}
    for (_, threshold, (precision, recall)), said, written in zip(cases, tokens[::2], tokens[1::2], strict=True):
        scores = dict.fromkeys(PARTS, 0.0)
        if said:
            gts, res = ({k: [text] for k, text in enumerate(texts)} for texts in (written, said))
            bleu = Bleu(4).compute_score(gts, res, verbose=0)[0]
            others = [scorer.compute_score(gts, res)[0] for scorer in (meteor, Rouge(), Cider())]
            scores = dict(zip(PARTS, [*bleu, *others], strict=True))
        for name, value in (scores | {"precision": precision, "recall": recall}).items():
            key = f"{name}@{threshold}"
            sums[key] = sums.get(key, 0.0) + value / len(videos)
    means = {name: np.mean([sums[f"{name}@{t}"] for t in THRESHOLDS]) for name in (*PARTS, "precision", "recall")}
    return sums | means


def only(references: list[References], videos: list[str]) -> list[References]:
    return [{video: told[video] for video in videos if video in told} for told in references]


@pytest.mark.parametrize("year", [2018, 2021])
def test_activitynet_equals_the_original_scorers_on_perturbed_stories(meteor, references, chosen, perturbed, year):
    told = only(references, chosen)
    expected = original_activitynet(meteor, perturbed, told, year)
    (ours,) = kataribe.evaluate("stories", {"results": perturbed}, told, metrics=[f"activitynet({year})"])
    assert dict(ours.parts) == pytest.approx(expected, abs=1e-9)
    assert ours.value == ours.parts["METEOR"]


@pytest.mark.slow
def test_activitynet_equals_the_original_scorers_on_a_models_output(meteor, references, data_folder):
    submission = json.loads((data_folder / "activitynet-captions" / "model_output_val_1.json").read_text())["results"]
    told = only(references, list(references[0])[::12])
    expected = original_activitynet(meteor, submission, told, 2018)
    (ours,) = kataribe.evaluate("stories", {"results": submission}, told, metrics=["activitynet(2018)"])
    assert dict(ours.parts) == pytest.approx(expected, abs=1e-9)


def test_what_follows_a_caption_is_read_as_the_original_tokenizer_reads_it():
    """One call of the original for each list: nothing is between a caption and the next, or after the last."""
    texts = ["Plan A.", "The end", "it is no.", "5 dogs", "Plan B.", " ", "The end :)", "we're"]
    told = {"v": {"timestamps": [[0, 9]], "sentences": ["The plan A. It is no. 5 or the end :) we're"]}}
    for last in (1, 2, 4, 6, 7, 8):
        story = [{"sentence": text, "timestamp": [0, 9]} for text in texts[:last]]
        res, gts = (
            PTBTokenizer().tokenize({place: [{"caption": text}] for place, text in enumerate(lines)})
            for lines in (texts[:last], told["v"]["sentences"] * last)
        )
        expected = Bleu(4).compute_score(gts, res, verbose=0)[0]
        (ours,) = kataribe.evaluate("stories", {"v": story}, told, metrics=["activitynet(2018)"])
        assert [ours.parts[f"BLEU-{n}@0.9"] for n in (1, 2, 3, 4)] == pytest.approx(expected, abs=1e-12)


class NaiveSoda:
    """SODA as the papers write it, with the published tool's choices."""

    def __init__(self, meteor: Meteor, texts: list[str], text: str) -> None:
        cut = tokenize_lists([[ascii_only(one)] for one in texts])
        self.tokens = {text: tokens[0] for text, tokens in zip(texts, cut, strict=True)}
        self.scorer = meteor if text == "meteor" else Cider()

    def f(self, told: list[str], said: list[str]) -> np.ndarray:
        """Each reference against all predictions, which are given as the references."""
        predictions = {k: [self.tokens[text]] for k, text in enumerate(said)}
        rows = [
            self.scorer.compute_score(predictions, {k: [self.tokens[text]] for k in predictions})[1] for text in told
        ]
        return np.array(rows, dtype=float)

    def video(self, variant: str, story: dict[str, Any], predictions: list[dict[str, Any]], order: str) -> np.ndarray:
        """Precision, recall and F1, for each threshold."""
        told = list(zip(story["timestamps"], story["sentences"], strict=True))
        if order == "sorted":
            told.sort(key=lambda caption: caption[0][0])
        said = sorted(((c["timestamp"], c["sentence"]) for c in predictions), key=lambda caption: caption[0][0])
        if not said:
            return np.zeros((1, 3))
        ious = np.array([[tool_iou(one, other) for other, _ in said] for one, _ in told])
        scores = self.f([text for _, text in told], [text for _, text in said])
        rows = []
        for threshold in THRESHOLDS if variant == "a" else (0.0,):
            costs = ious * scores if variant == "c" else np.where(ious >= threshold, ious, 0)
            sums = self.best_sums(costs)
            total = sums[-1, -1] if variant in "cd" else sum(scores[pair] for pair in self.tool_pairs(costs, sums))
            precision, recall = total / len(said), total / len(told)
            rows.append((precision, recall, 2 * precision * recall / (precision + recall) if total else 0))
        return np.array(rows)

    def best_sums(self, costs: np.ndarray) -> np.ndarray:
        """S, with a row and a column of zeros in front."""
        sums = np.zeros(np.add(costs.shape, 1))
        for i, j in product(*map(range, costs.shape)):
            sums[i + 1, j + 1] = max(sums[i, j + 1], sums[i, j] + costs[i, j], sums[i + 1, j])
        return sums

    def tool_pairs(self, costs: np.ndarray, sums: np.ndarray) -> list[tuple[int, int]]:
        pairs: list[tuple[int, int]] = []
        free = costs.shape[1]
        for i in reversed(range(costs.shape[0])):
            paired = sums[i, :free] + costs[i, :free]
            chosen = (paired > sums[i, 1 : free + 1]) & (paired > sums[i + 1, :free])
            chosen[:1] |= i == 0
            if chosen.any():
                free = int(np.flatnonzero(chosen)[-1])
                pairs.append((i, free))
        return pairs


@pytest.mark.parametrize("text", ["meteor", "cider"])
def test_soda_equals_the_definition_with_the_official_choices(meteor, references, chosen, perturbed, text):
    # Every pair goes through Java: a third of the videos and not the crowded one, or this takes minutes.
    videos = [video for video in [*chosen[::3], *chosen[-3:]] if len(perturbed.get(video, [])) < 1000]
    told = only(references, videos)
    submission = {video: perturbed[video] for video in videos if video in perturbed}
    texts = {text for stories in told for story in stories.values() for text in story["sentences"]}
    texts |= {caption["sentence"] for captions in submission.values() for caption in captions}
    naive = NaiveSoda(meteor, sorted(texts), text)

    @cache
    def reading(variant: str, video: str, annotators: tuple[int, ...], order: str) -> np.ndarray:
        stories = [told[k][video] for k in annotators if video in told[k]]
        merged = {key: [entry for story in stories for entry in story[key]] for key in ("timestamps", "sentences")}
        return naive.video(variant, merged, submission[video], order)

    def best(variant: str, video: str) -> np.ndarray:
        readings = [reading(variant, video, (k,), "file") for k in (0, 1) if video in told[k]]
        return np.array([max(rows, key=lambda row: row[2]) for rows in zip(*readings, strict=True)])

    for variant in "abcd" if text == "meteor" else "c":
        pooled = np.mean([reading(variant, video, (0, 1), "sorted").mean(axis=0) for video in submission], axis=0)
        highest = np.mean([best(variant, video).mean(axis=0) for video in submission], axis=0)
        runs = [
            np.mean([reading(variant, v, (k,), "sorted").mean(axis=0) for v in submission if v in told[k]], axis=0)
            for k in (0, 1)
        ]
        expected = {"pooled": pooled, "best": highest, "mean": np.mean(runs, axis=0)}
        for refs, (precision, recall, f1) in expected.items():
            metric = f"soda({variant}, text={text}, refs={refs})"
            (ours,) = kataribe.evaluate("stories", {"results": submission}, told, metrics=[metric])
            assert ours.parts["precision"] == pytest.approx(precision, abs=1e-9)
            assert ours.parts["recall"] == pytest.approx(recall, abs=1e-9)
            assert ours.value == pytest.approx(f1, abs=1e-9)


def test_official_paragraphs_equal_the_jar_on_runs_of_letters(meteor, references, chosen, perturbed):
    videos = [video for video in chosen[:60] if perturbed.get(video) and video in references[1]]

    def letters(sentences: list[str]) -> str:
        return re.sub("[^a-z]+", " ", " ".join(sentences).lower()).strip()

    gts = {video: [letters(told[video]["sentences"]) for told in references] for video in videos}
    res = {video: [letters([caption["sentence"] for caption in perturbed[video]])] for video in videos}
    expected = meteor.compute_score(gts, res)[0]
    submission = {video: perturbed[video] for video in videos}
    (ours,) = kataribe.evaluate("stories", submission, only(references, videos), metrics=["paragraph(meteor)"])
    assert ours.value == pytest.approx(expected, abs=1e-9)


def test_one_annotator_against_the_other_scores_what_the_published_tool_says(references):
    (ours,) = kataribe.evaluate("stories", references[1], references[0], metrics=["soda(c)"])
    assert ours.value == pytest.approx(0.0583, abs=5e-5)
