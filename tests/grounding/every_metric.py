"""Queries for `tests/test_every_metric.py`: silent and missing ones, several people, several spans, odd names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.core import registry
from kataribe.core.metric import Metric
from kataribe.grounding.guesses import TrainSpans
from kataribe.grounding.items import Queries
from kataribe.grounding.join import join
from kataribe.grounding.predictions import read_predictions
from kataribe.grounding.several_people import read_references

VARIANTS = {
    "moment_recall": [
        "moment_recall",
        "moment_recall(5, iou=0.5)",
        "moment_recall(10, edge=more, suppress=0.5)",
        "moment_recall(5, overlap=inclusive, suppress=m-0.05, clamp=true, order=later, keep=7)",
        "moment_recall(order=file, length=middle)",
    ],
    "moment_iou": ["moment_iou", "moment_iou(overlap=inclusive, order=later)", "moment_iou(length=short)"],
    "moment_map": ["moment_map", "moment_map(keep=3)", "moment_map(length=long, iou=0.3+0.5)"],
    "highlight_map": ["highlight_map", "highlight_map(fair)", "highlight_map(good)"],
    "highlight_hit": ["highlight_hit", "highlight_hit(fair)", "highlight_hit(good)"],
    "shot_recall": ["shot_recall", "shot_recall(5)"],
}


def case(spec: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Metric, Queries]:
    return registry.parse(spec), queries()


def queries(count: int = 40) -> Queries:
    rng = np.random.default_rng(5)
    references: list[Any] = []
    predictions: dict[str, Any] = {}
    for number in range(count):
        id, video = f"{'frågé' if number % 3 else '質問'} {(number * 17) % count}", f"film {number % 7}"
        duration = 40.0 + 20 * (number % 7)
        people = [_spans(rng, duration, int(rng.integers(1, 4))) for _ in range(int(rng.integers(1, 4)))]
        entry = {"id": id, "video": video, "query": f"number {number}", "duration": duration, "people": people}
        if number % 5:
            clips = int(duration / 2)
            entry["relevant_clip_ids"] = list(range(0, clips, 2))
            entry["saliency_scores"] = rng.integers(0, 5, (len(range(0, clips, 2)), 3)).tolist()
        if number % 4:
            entry["shots"] = [f"{video}_{k}" for k in rng.choice(6, int(rng.integers(1, 3)), replace=False)]
        references.append(entry)
        if number % 11:  # the others have no prediction at all
            offered = _spans(rng, duration, int(rng.integers(0, 14)))
            # Few different scores, so that many moments are equal.
            predictions[id] = {
                "windows": [[*span, float(rng.integers(0, 4))] for span in offered],
                "saliency": rng.integers(0, 6, int(rng.integers(1, 60))).tolist() if number % 3 else [0.0],
                "shots": [f"{video}_{k}" for k in rng.permutation(6)[: rng.integers(0, 7)]],
            }
    joined = join(read_predictions(predictions), read_references(references, {}), "zero")[0]
    train = TrainSpans(np.sort(rng.random((200, 2)), axis=1))
    return replace(joined, train=train, seed=3)


def _spans(rng: np.random.Generator, duration: float, count: int) -> list[list[float]]:
    ends = np.sort(rng.integers(0, int(duration), (count, 2)), axis=1)
    return [[float(start), float(end + 1)] for start, end in ends]
