"""COMET: a model trained on human judgements of translations, run through the package unbabel-comet.

    COMET(c, r) = the checkpoint's score of the hypothesis c with the reference r, and a source
    value       = the best (or the mean) over the references; the corpus value is the mean over items

Rei, R., Stewart, C., Farinha, A. C., Lavie, A. (2020). COMET: a neural framework for MT evaluation. EMNLP.

Quirks. A caption has no source text: the checkpoint is given an empty one (`src=empty`) or the reference once more
(`src=reference`); neither is what it was trained on. The scale is the checkpoint's own. unbabel-comet is not part of
`kataribe[models]`, because it asks for old versions of other packages.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.captions.items import Captions
from kataribe.core.errors import ResourceError, UsageError, shorten
from kataribe.core.memo import keep_open
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats
from kataribe.encoders.loading import short_name

DEFAULT = "Unbabel/wmt22-comet-da"

_BATCH = 16

Predict = Callable[[list[dict[str, str]]], Floats]


@dataclass(frozen=True)
class _Checkpoint:
    signature: str
    predict: Predict = field(repr=False)


@dataclass(frozen=True)
class Comet(Metric):
    name: ClassVar[str] = "comet"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "COMET"
    columns: ClassVar[tuple[str, ...]] = ("items", "comet")

    model: str = option(DEFAULT, "a checkpoint file, or a name of the hub", positional=True)
    src: Literal["empty", "reference"] = option("empty", "what stands for the source text")
    refs: Literal["best", "mean"] = option("best", "the best reference, or the mean over all")

    def conclude(self, references: None, predictions: None) -> str:
        return open_checkpoint(self.model).signature

    def prepare(self, items: Captions, facts: str) -> _Checkpoint:
        return open_checkpoint(self.model)

    def stats(self, items: Captions, context: _Checkpoint) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        captions = items.uncut()
        texts = captions.sentences.texts
        pairs, where = np.unique(np.column_stack(captions.pairs), axis=0, return_inverse=True)
        scores = context.predict([self._entry(texts[c], texts[r]) for c, r in pairs.tolist()])[where.reshape(-1)]
        of_items = captions.of_pairs(scores)
        values = of_items.max() if self.refs == "best" else of_items.mean()
        return np.column_stack([np.ones(len(items)), values])

    def _entry(self, candidate: str, reference: str) -> dict[str, str]:
        return {"src": reference if self.src == "reference" else "", "mt": candidate, "ref": reference}

    def measure(self, totals: Floats) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})

    def signature(self, facts: str) -> dict[str, str]:
        return {"model": facts, "src": self.src, "refs": self.refs}


@keep_open(1)
def open_checkpoint(model: str) -> _Checkpoint:
    """A checkpoint, loaded by unbabel-comet from a file or, by name, from the hub."""
    try:
        import comet
        import torch
    except ImportError:
        raise UsageError(
            "comet runs through the package unbabel-comet, which is not installed", hint="pip install unbabel-comet"
        ) from None
    try:
        path = Path(model) if Path(model).is_file() else Path(comet.download_model(model))
        loaded = comet.load_from_checkpoint(str(path))
    except Exception as error:  # files, hubs and networks fail in many ways
        raise ResourceError(
            f"the COMET checkpoint {shorten(model, 200)!r} cannot be loaded ({shorten(error, 120)})",
            hint="give the path of a .ckpt file, or a name while the hub can be reached",
        ) from None
    lock = threading.Lock()

    def predict(entries: list[dict[str, str]]) -> Floats:
        with lock:  # its trainer is not made for several threads
            output: Any = loaded.predict(
                entries, batch_size=_BATCH, gpus=int(torch.cuda.is_available()), progress_bar=False
            )
        return np.asarray(output["scores"] if isinstance(output, dict) else output.scores, dtype=np.float64)

    return _Checkpoint(f"{short_name(_name(model))}-{_file_fingerprint(path)}", predict)


def _name(model: str) -> str:
    return Path(model).stem if Path(model).is_file() else model


def _file_fingerprint(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=4)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
