"""Learned metrics: training on and scoring a large corpus, beside BERTScore on the same encoder."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench import data
from bench.process import in_child, peak_memory
from bench.report import Options, Row, Section

ITEMS = 100_000
# Captioners repeat themselves: of so many captions only a part are different.
DISTINCT = 0.1
REFERENCES = 2
EPOCHS = 1


class Corpus(NamedTuple):
    """Captions that keep some words of their first reference; `ratings` are the shares that they keep."""

    candidates: list[str]
    references: list[list[str]]
    ratings: list[float]

    @property
    def distinct(self) -> int:
        return len({*self.candidates, *(text for texts in self.references for text in texts)})


class Run(NamedTuple):
    seconds: float
    memory: int
    encoded: int = 0


def measure(options: Options) -> Section:
    described, texts = data.sentences()
    corpus = make_corpus(texts, max(400, round(ITEMS * options.fraction)), seed=0)
    items = len(corpus.candidates)
    with tempfile.TemporaryDirectory() as place:
        model, cache = Path(place) / "model", Path(place) / "cache"
        trained = in_child(_train, corpus, str(model), str(cache))
        again = in_child(_train, corpus, str(model), str(cache))
        learned, plain = [], []
        for _ in range(options.repeats):  # in turn, so that both meet the same other work on the machine
            for metric, runs in ((f"suisei({model})", learned), ("bertscore", plain)):
                with tempfile.TemporaryDirectory() as empty:
                    runs.append(in_child(_score, corpus, metric, empty))
        with tempfile.TemporaryDirectory() as kept:
            warm = {}
            for metric in (f"suisei({model})", "bertscore"):
                in_child(_score, corpus, metric, kept)
                warm[metric] = in_child(_score, corpus, metric, kept)
    ours, theirs = min(learned), min(plain)
    ours_again, theirs_again = warm.values()
    rows = [
        Row(f"training on {items:,} captions, nothing encoded before", items / trained.seconds, None, "items/s"),
        Row("the same, texts encoded before", items / again.seconds, None, "items/s"),
        Row("the same, peak memory of the process", again.memory, None, "B"),
        Row(
            f"scoring {items:,} captions, nothing encoded before",
            items / ours.seconds,
            items / theirs.seconds,
            "items/s",
        ),
        Row("the same, once more", items / ours_again.seconds, items / theirs_again.seconds, "items/s"),
        Row("the same, peak memory of the process", ours.memory, theirs.memory, "B", higher_is_better=False),
    ]
    notes = [
        "Beside SuiSei's residual head stands BERTScore of this package, with the same encoder (all-MiniLM-L6-v2) in "
        f"the same run: scoring costs {ours.seconds / theirs.seconds:.2f} times as much with nothing encoded before, "
        f"{ours_again.seconds / theirs_again.seconds:.2f} times once more.",
        f"Corpus: {items:,} captions with {REFERENCES} references each, drawn from {described} and varied; "
        f"{corpus.distinct:,} different texts; {ours.encoded:,} were encoded, each once.",
        f"Training: one network, {EPOCHS} epoch; start of the program, reading of vectors and validation included.",
        f"Scoring: each in a process of its own, the best of {options.repeats}, in turn.",
    ]
    return Section("Learned metrics", rows, notes)


def make_corpus(texts: Sequence[str], items: int, seed: int) -> Corpus:
    """Real captions, repeated and varied: some words are replaced by words of another caption."""
    rng = random.Random(seed)
    written = rng.sample(list(texts), min(len(texts), max(10, round(REFERENCES * DISTINCT * items))))
    varied: dict[str, list[tuple[str, float]]] = {}
    candidates, references, ratings = [], [], []
    for _ in range(items):
        chosen = rng.choices(written, k=REFERENCES)
        known = varied.setdefault(chosen[0], [])
        if len(known) < 1:
            known.append(_varied(chosen[0], rng.choice(written), rng))
        candidate, rating = rng.choice(known)
        candidates.append(candidate)
        references.append(chosen)
        ratings.append(rating)
    return Corpus(candidates, references, ratings)


def _varied(text: str, other: str, rng: random.Random) -> tuple[str, float]:
    words, strange = text.split(), other.split()
    changed = rng.sample(range(len(words)), rng.randint(0, len(words)))
    for place in changed:
        words[place] = rng.choice(strange or ["something"])
    return " ".join(words), 1 - len(changed) / max(1, len(words))


def _train(corpus: Corpus, model: str, cache: str) -> Run:
    start = time.perf_counter()
    os.environ["KATARIBE_CACHE"] = cache
    from kataribe.captions.rated import RatedExamples
    from kataribe.captions.suisei.material import RatedSet
    from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
    from kataribe.captions.suisei.training import train

    ids = [str(row) for row in range(len(corpus.candidates))]
    groups = [texts[0] for texts in corpus.references]
    nothing = [None] * len(ids)
    examples = RatedExamples(
        ids, groups, corpus.candidates, corpus.references, np.array(corpus.ratings), nothing, 0.0, 1.0
    )
    options = TrainingOptions(seeds=1, epochs=EPOCHS, held_out=0.0, split="picture", device="cpu")
    train(RatedSet("corpus", examples), ModelOptions(), options).write(Path(model))
    return Run(time.perf_counter() - start, peak_memory() or 0)


def _score(corpus: Corpus, metric: str, cache: str) -> Run:
    start = time.perf_counter()
    os.environ["KATARIBE_CACHE"] = cache
    import kataribe

    encoded: list[int] = []

    def count(stage: str, done: int, total: int) -> None:
        if stage.startswith("encoding") and done == total:  # of one shard
            encoded.append(total)

    ids = [str(row) for row in range(len(corpus.candidates))]
    kataribe.evaluate(
        "captions",
        dict(zip(ids, corpus.candidates, strict=True)),
        dict(zip(ids, corpus.references, strict=True)),
        [metric],
        progress=count,
    )
    return Run(time.perf_counter() - start, peak_memory() or 0, sum(encoded))
