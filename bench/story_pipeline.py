"""`python -m bench.story_pipeline PRED REF...`: SODA c and ActivityNet 2018 from pycocoevalcap's own parts, as JSON.

The published definitions, spelled out on top of pycocoevalcap's PTB tokenizer (Java, one start for each scorer) and
its BLEU, METEOR (Java, one process), ROUGE-L and CIDEr: METEOR is asked for one video and threshold at a time by
ActivityNet, and for one reference and all predictions of the video at a time by SODA.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

THRESHOLDS = (0.3, 0.5, 0.7, 0.9)
PARTS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr")
FILLER = "abc123!@#"
# A line that nothing before it looks at, so that many texts fit into one start of Java.
NEUTRAL = "nothing"

Caption = tuple[tuple[float, float], str]


def main(predictions: str, *references: str) -> dict[str, float]:
    results = json.loads(Path(predictions).read_text(encoding="utf-8"))["results"]
    annotated: dict[str, list[list[Caption]]] = {}
    for path in references:
        for video, story in json.loads(Path(path).read_text(encoding="utf-8")).items():
            captions = [(tuple(time), text) for time, text in zip(story["timestamps"], story["sentences"], strict=True)]
            annotated.setdefault(video, []).append(captions)
    predicted = {video: [(tuple(c["timestamp"]), c["sentence"]) for c in results.get(video, [])] for video in annotated}
    meteor = Meteor()
    # The process is started above but reads its data only when first asked.
    meteor.compute_score({0: ["a dog"]}, {0: ["a dog"]})
    return {"soda(c)": soda(meteor, annotated, predicted), **activitynet(meteor, annotated, predicted)}


def iou(one: tuple[float, float], other: tuple[float, float]) -> float:
    overlap = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    hull = max(one[1], other[1]) - min(one[0], other[0])
    return overlap / (min(hull, one[1] - one[0] + other[1] - other[0]) + 1e-8)


def tokenize(lists: list[list[str]]) -> list[list[str]]:
    # Never nothing: a run without videos shows what starting everything takes.
    lines = [text for texts in lists for text in [*texts, NEUTRAL]] or [NEUTRAL]
    tokenized = PTBTokenizer().tokenize({index: [{"caption": text}] for index, text in enumerate(lines)})
    tokens = iter(tokenized[index][0] for index in range(len(lines)))
    return [[next(tokens) for _ in [*texts, NEUTRAL]][:-1] for texts in lists]


def activitynet(
    meteor: Meteor, annotated: dict[str, list[list[Caption]]], predicted: dict[str, list[Caption]]
) -> dict[str, float]:
    lists: list[list[str]] = []
    for video, threshold in product(annotated, THRESHOLDS):
        everything = [caption for story in annotated[video] for caption in story]
        pairs = [
            (text, partner)
            for segment, text in predicted[video]
            for partner in [t for other, t in everything if iou(segment, other) >= threshold] or [FILLER]
        ]
        lists += [[_ascii(text) for text, _ in pairs], [_ascii(partner) for _, partner in pairs]]
    tokens = tokenize(lists)
    sums = dict.fromkeys(PARTS, 0.0)
    for candidates, partners in zip(tokens[::2], tokens[1::2], strict=True):
        if not candidates:
            continue
        gts, res = ({index: [text] for index, text in enumerate(texts)} for texts in (partners, candidates))
        values = [*Bleu(4).compute_score(gts, res, verbose=0)[0]]
        values += [scorer.compute_score(gts, res)[0] for scorer in (meteor, Rouge(), Cider())]
        for name, value in zip(PARTS, values, strict=True):
            sums[name] += float(value)
    return {name: value / max(len(annotated) * len(THRESHOLDS), 1) for name, value in sums.items()}


def soda(meteor: Meteor, annotated: dict[str, list[list[Caption]]], predicted: dict[str, list[Caption]]) -> float:
    """Variant c, annotators pooled, captions by start alone, predictions given to METEOR as the references."""
    texts = sorted({text for stories in annotated.values() for story in stories for _, text in story})
    texts = sorted({*texts, *(text for captions in predicted.values() for _, text in captions)}) if annotated else []
    tokens = {text: found[0] for text, found in zip(texts, tokenize([[text] for text in texts]), strict=True)}
    scores = []
    for video, stories in annotated.items():
        predictions = sorted(predicted[video], key=lambda caption: caption[0][0])
        if not predictions:
            continue
        references = sorted((caption for story in stories for caption in story), key=lambda caption: caption[0][0])
        gts: dict[int, Any] = {index: [tokens[text]] for index, (_, text) in enumerate(predictions)}
        costs = np.array(
            [
                np.multiply(
                    [iou(segment, other) for other, _ in predictions],
                    meteor.compute_score(gts, {index: [tokens[text]] for index in gts})[1],
                )
                for segment, text in references
            ]
        )
        total = _best_sum(costs)
        precision, recall = total / len(predictions), total / len(references)
        scores.append(2 * precision * recall / (precision + recall) if total else 0.0)
    return float(np.mean(scores)) if scores else 0.0


def _best_sum(costs: np.ndarray) -> float:
    sums = np.zeros((costs.shape[0] + 1, costs.shape[1] + 1))
    for i, j in product(*map(range, costs.shape)):
        sums[i + 1, j + 1] = max(sums[i, j + 1], sums[i + 1, j], sums[i, j] + costs[i, j])
    return float(sums[-1, -1])


def _ascii(text: str) -> str:
    return "".join(character if ord(character) < 128 else " " for character in text)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
