"""Rated captions by rule, and quick ways to train on them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.captions.media import Media, read_media
from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.material import RatedSet
from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
from kataribe.captions.suisei.training import Trained, train
from tests.encoders.tiny import WORDS

PLAIN_WORDS = [word for word in WORDS if word.isalpha()]
PICTURE_WIDTH = 6


def sentence(rng: np.random.Generator, length: int = 7) -> str:
    """Long enough that no two are alike."""
    return " ".join(rng.choice(PLAIN_WORDS, length).tolist())


def rated(
    count: int = 48,
    *,
    seed: int = 0,
    of_picture: int = 2,
    references: int = 2,
    pictures: bool = False,
    noise: float = 0.0,
    name: str = "made",
) -> RatedSet:
    """Captions that keep some words of their first reference; the rating, 1 to 5, is the share they keep.

    With `pictures`, the first number of a picture's vector says how much its captions are liked.
    """
    rng = np.random.default_rng(seed)
    groups = [f"{name}{number // of_picture}" for number in range(count)]
    written = {group: [sentence(rng) for _ in range(references)] for group in dict.fromkeys(groups)}
    shown = {group: rng.normal(size=PICTURE_WIDTH) for group in written}
    candidates, kept = [], []
    for group in groups:
        words = written[group][0].split() if references else sentence(rng).split()
        changed = rng.integers(0, len(words) + 1)
        for place in rng.permutation(len(words))[:changed]:
            words[place] = str(rng.choice(PLAIN_WORDS))
        candidates.append(" ".join(words))
        kept.append(1 - changed / len(words))
    liked = np.array(kept)
    if pictures:
        liked = 0.5 * liked + 0.5 / (1 + np.exp(-2 * np.array([shown[group][0] for group in groups])))
    liked = (liked + noise * rng.normal(size=count)).clip(0, 1)
    ids = [f"{group}#{number}" for number, group in enumerate(groups)]
    examples = RatedExamples(
        ids, groups, candidates, [written[group] for group in groups], 1 + 4 * liked, [None] * count, 1.0, 5.0
    )
    media = features({id: shown[group] for id, group in zip(ids, groups, strict=True)}) if pictures else None
    return RatedSet(name, examples, media)


def features(vectors: Mapping[str, Any]) -> Media | None:
    return read_media(list(vectors), None, vectors, None)


def quick(**options: Any) -> TrainingOptions:
    return TrainingOptions(**{"epochs": 2, "seeds": 1, "device": "cpu", **options})


def learned(
    folder: Path, model: ModelOptions, of: RatedSet, *, metrics: Any = ("rouge_l", "cider"), **options: Any
) -> str:
    """The folder of a model that learned a little."""
    trained: Trained = train(of, model, quick(**options), metrics=metrics)
    trained.write(folder)
    return str(folder)
