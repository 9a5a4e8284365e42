"""Rating files by rule: a caption keeps some words of its first reference, and is rated by the share that it keeps."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from tests.encoders.tiny import WORDS

PLAIN_WORDS = [word for word in WORDS if word.isalpha()]
JAPANESE_PARTS = [
    "犬が",
    "猫が",
    "男の人が",
    "女の人が",
    "草の上を",
    "机の下で",
    "赤いボールを",
    "走る",
    "眠る",
    "持つ",
    "弾く",
]


def write_ratings(
    path: Path,
    pictures: int = 30,
    *,
    seed: int = 0,
    raters: int = 2,
    images: Path | None = None,
    japanese: bool = False,
) -> Path:
    """Two captions for each picture, each rated 1 to 5. With `images`, a picture that is brighter is liked more."""
    rng = np.random.default_rng(seed)
    words, space = (JAPANESE_PARTS, "") if japanese else (PLAIN_WORDS, " ")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["image", "caption", "reference_1", "reference_2", *(f"rating_{n + 1}" for n in range(raters))])
        for number in range(pictures):
            name = f"{path.stem}{number}.png"
            bright = rng.random()
            if images is not None:
                _paint(images / name, bright)
            references = [rng.choice(words, 7).tolist() for _ in range(2)]
            for _ in range(2):
                caption, changed = list(references[0]), int(rng.integers(1, 8))
                for place in rng.permutation(7)[:changed].tolist():
                    caption[place] = str(rng.choice(words))
                liked = 1 - changed / 7 if images is None else (1 - changed / 7 + bright) / 2
                said = [int(np.clip(round(1 + 4 * liked + 0.4 * rng.normal()), 1, 5)) for _ in range(raters)]
                writer.writerow([name, space.join(caption), *(space.join(text) for text in references), *said])
    return path


def _paint(path: Path, bright: float) -> None:
    from PIL import Image

    path.parent.mkdir(exist_ok=True)
    Image.new("RGB", (32, 32), (int(255 * bright),) * 3).save(path)
