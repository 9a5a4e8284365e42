"""Small corpora for the tests of this room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kataribe.boundaries.files import read_predictions, read_truth
from kataribe.boundaries.items import Videos
from kataribe.boundaries.join import join

Times = Sequence[float]


def truth_of(annotators: Mapping[str, Sequence[Times]], duration: float = 10.0, fps: float = 30.0) -> dict:
    return {
        id: {"duration": duration, "fps": fps, "annotators": list(map(list, lists))} for id, lists in annotators.items()
    }


def videos_of(predictions: Mapping[str, Times], annotators: Mapping[str, Sequence[Times]], **shape: float) -> Videos:
    truth = read_truth(truth_of(annotators, **shape))
    return join(read_predictions(dict(predictions)), truth, "zero", "seconds", 0.0)[0]


def random_corpus(rng: np.random.Generator, videos: int = 12) -> tuple[dict, dict]:
    """Annotators who more or less agree, and a prediction that is somewhat like them."""
    annotators, predictions = {}, {}
    for number in range(videos):
        scene = np.sort(rng.uniform(0, 10, rng.integers(1, 8)))
        annotators[f"v{number}"] = [
            np.sort(np.clip(scene[rng.random(len(scene)) < 0.8] + rng.normal(0, 0.2), 0, 10)).tolist()
            for _ in range(rng.integers(2, 6))
        ]
        predictions[f"v{number}"] = np.sort(rng.uniform(0, 10, rng.integers(0, 9))).tolist()
    return predictions, annotators
