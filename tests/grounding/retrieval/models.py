"""A retriever that was never trained: random projections of histograms and MiniLM, enough to search with."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kataribe.encoders.dual import KIND
from kataribe.learning.folder import Card, write_model
from tests.grounding.retrieval.corpora import ENCODER, WIDTH

TEXT_WIDTH = 384


def random_retriever(folder: Path, *, seed: int = 0, width: int = 16) -> Path:
    from kataribe.encoders.text import open_text

    rng = np.random.default_rng(seed)
    tensors = {}
    for side, inputs in (("frames", WIDTH), ("texts", TEXT_WIDTH)):
        tensors[f"{side}.weight"] = rng.normal(size=(width, inputs)).astype(np.float32)
        tensors[f"{side}.bias"] = np.zeros(width, np.float32)
    options = {
        "text": "minilm",
        "text_signature": open_text("minilm").signature,
        "pictures": ENCODER,
        "pictures_signature": ENCODER,
        "width": width,
        "rate": 1.0,
        "length": 20.0,
    }
    write_model(folder, Card(kind=KIND, title="random", options=options), tensors)
    return folder
