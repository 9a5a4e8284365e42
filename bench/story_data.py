"""Stories to be scored: ActivityNet Captions' validation set, and a submission as large as they come."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.data import activitynet

# What an end-to-end transformer without any selection submits: captions for each video, and how many videos there are.
CAPTIONS_EACH = 228

Stories = dict[str, dict[str, Any]]


def references() -> list[Path]:
    folder = activitynet()
    assert folder is not None
    return [folder / "val_1.json", folder / "val_2.json"]


def model_output() -> Path:
    folder = activitynet()
    assert folder is not None
    return folder / "model_output_val_1.json"


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def head(stories: Stories, videos: Sequence[str]) -> Stories:
    return {video: stories[video] for video in videos if video in stories}


def sample(share: float, folder: Path) -> tuple[Path, list[Path], list[str]]:
    """Every so-many-th video: the model's output and the references, cut down to them, and their names."""
    annotators = [read(path) for path in references()]
    everything = list(dict.fromkeys(video for stories in annotators for video in stories))
    videos = everything[:: max(1, round(1 / share))] if share else []
    predicted = folder / "sample.json"
    predicted.write_text(json.dumps({"results": head(read(model_output())["results"], videos)}), encoding="utf-8")
    paths = []
    for stories, original in zip(annotators, references(), strict=True):
        path = folder / f"sample_{original.name}"
        path.write_text(json.dumps(head(stories, videos)), encoding="utf-8")
        paths.append(path)
    return predicted, paths, videos


def crowd(path: Path, each: int, fraction: float) -> int:
    """Write a submission of so many captions for each video: real sentences on random segments. How many in all?"""
    rng = random.Random(0)
    annotators = [read(reference) for reference in references()]
    durations = {video: story["duration"] for stories in annotators for video, story in stories.items()}
    sentences = [text for stories in annotators for story in stories.values() for text in story["sentences"]]
    sentences += [caption["sentence"] for captions in read(model_output())["results"].values() for caption in captions]
    videos = list(durations)[: max(1, round(len(durations) * fraction))]
    results = {
        video: [
            {
                "sentence": rng.choice(sentences),
                "timestamp": sorted(round(rng.uniform(0, durations[video]), 2) for _ in range(2)),
            }
            for _ in range(each)
        ]
        for video in videos
    }
    path.write_text(json.dumps({"version": "VERSION 1.0", "results": results, "external_data": {}}), encoding="utf-8")
    return each * len(videos)
