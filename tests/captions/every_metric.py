"""Captions for `tests/test_every_metric.py`: repeated, empty, odd ones, and some whose cut depends on the next."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kataribe.captions.items import Captions
from kataribe.captions.media import read_media
from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.material import RatedSet
from kataribe.captions.suisei.options import GIVEN, ModelOptions, TrainingOptions
from kataribe.captions.suisei.training import train
from kataribe.core import registry
from kataribe.core.metric import Metric
from tests.encoders.tiny import SENTENCES, tiny_bert, tiny_clip

VARIANTS = {
    "bleu": ["bleu", "bleu(2, smooth=none)"],
    "rouge_l": ["rouge_l", "rouge_l(refs=best)"],
    "cider": ["cider", "cider(plain)", "cider(tok=none)"],
    "meteor": ["meteor", "meteor(other)"],
    "div": ["div", "div(corpus)", "div(corpus, per=ngrams)"],
    "ppl": ["ppl", "ppl(order=2, over=corpus)"],
    "bertscore": ["bertscore", "bertscore({bert}, idf=true, rescale=own)", "bertscore({bert}, refs=best)"],
    "sentence_cosine": ["sentence_cosine", "sentence_cosine({bert}, refs=mean)"],
    "clipscore": ["clipscore({clip})"],
    "refclipscore": ["refclipscore({clip})"],
    "emscore": ["emscore(model={clip})", "emscore(refs=best, model={clip})", "emscore(movie101, model={clip})"],
    "comet": ["comet", "comet(refs=mean)"],
    "jaspice": ["jaspice"],
    "suisei": ["suisei({seeing}, uncertainty=ensemble)", "suisei({reading}, uncertainty=dropout)", "suisei({blend})"],
}

# The first four are cut differently before "The", before a number and at the end.
ODD = ["Plan A.", "He scored no.", "See fig.", "we're", "", "  ", "Ünïcode cafés!", "a dog " * 40, "5 dogs, 3 1/2 cats"]
JAPANESE = [
    "赤い車が道を走っている。",
    "男の人がギターを弾いている。",
    "犬が走る。",
    "白い猫が机の下で寝ている。",
    "",
    "dog",
]


def case(spec: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Metric, Captions]:
    metric = registry.parse(spec.format(**tiny_models()) if "{" in spec else spec)
    if metric.vectors:  # nothing that was encoded before may answer for what a shard encodes
        monkeypatch.setenv("KATARIBE_CACHE", str(folder))
    if metric.name == "comet":
        pretend_comet(monkeypatch, folder)
    return metric, captions(JAPANESE if metric.name == "jaspice" else [*SENTENCES, *ODD])


def captions(texts: list[str], count: int = 40) -> Captions:
    rng = np.random.default_rng(5)
    draw = lambda: texts[int(rng.integers(len(texts)))]  # noqa: E731
    ids = [f"item {number}" for number in range(count)]
    references = [[draw() for _ in range(int(rng.integers(1, 4)))] for _ in ids]
    features = {id: rng.normal(size=(int(rng.integers(1, 4)), 24)) for id in ids}
    return Captions(ids, [draw() for _ in ids], references, read_media(ids, None, features, None))


@cache
def tiny_models() -> dict[str, str]:
    pytest.importorskip("transformers", reason="needs kataribe[models]")
    folder = Path(mkdtemp(prefix="kataribe-models-"))
    bert, clip = tiny_bert(folder / "tiny-bert"), tiny_clip(folder / "tiny-clip")
    return {"bert": bert, "clip": clip, **learned_metrics(folder, bert)}


def learned_metrics(folder: Path, encoder: str) -> dict[str, str]:
    """Models that learned a little from made-up ratings: with pictures, without them, and without a network."""
    items = captions(SENTENCES)
    ratings = np.random.default_rng(3).uniform(1, 5, len(items))
    nothing = [None] * len(items)
    examples = RatedExamples(items.ids, items.ids, items.candidates, items.references, ratings, nothing, 1.0, 5.0)
    training = TrainingOptions(epochs=1, seeds=2, split="picture")
    kinds = {
        "seeing": ModelOptions(head="suisei", encoder=encoder, picture_encoder=GIVEN),
        "reading": ModelOptions(head="residual", encoder=encoder, combine="mean"),
        "blend": ModelOptions(head="blend"),
    }
    for name, model in kinds.items():
        rated = RatedSet(name, examples, items.media if name == "seeing" else None)
        train(rated, model, training, metrics=["rouge_l", "cider"]).write(folder / name)
    return {name: str(folder / name) for name in kinds}


def pretend_comet(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A package of the same name that scores by length."""
    pytest.importorskip("torch", reason="needs kataribe[models]")
    checkpoint = folder / "hub.ckpt"
    checkpoint.write_bytes(b"weights")

    def predict(entries: list[dict[str, str]], **options: Any) -> Any:
        return SimpleNamespace(scores=[len(entry["mt"]) - len(entry["ref"]) / 3 for entry in entries])

    module: Any = ModuleType("comet")
    module.download_model = lambda name: str(checkpoint)
    module.load_from_checkpoint = lambda path: SimpleNamespace(predict=predict)
    monkeypatch.setitem(sys.modules, "comet", module)
