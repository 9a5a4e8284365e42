"""Learned metrics: training on and scoring a large corpus, beside BERTScore on the same encoder."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
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
# Networks over frozen vectors: the paper's head, and the one that corrects the cosine.
HEADS = ("residual", "suisei")


class Corpus(NamedTuple):
    """Captions that keep some words of their first reference; `ratings` are the shares that they keep."""

    candidates: list[str]
    references: list[list[str]]
    ratings: list[float]

    @property
    def distinct(self) -> int:
        return len({*self.candidates, *(text for texts in self.references for text in texts)})


class Run(NamedTuple):
    """`processor` is the processor time of all its threads: other work on the machine hardly changes it."""

    seconds: float
    processor: float
    memory: int
    encoded: int = 0


def measure(options: Options) -> Section:
    described, texts = data.sentences()
    corpus = make_corpus(texts, max(400, round(ITEMS * options.fraction)), seed=0)
    items = len(corpus.candidates)
    with tempfile.TemporaryDirectory() as place:
        cache = str(Path(place) / "cache")
        models = {head: str(Path(place) / head) for head in HEADS}
        first = in_child(_train, corpus, HEADS[0], models[HEADS[0]], cache)
        again = {head: in_child(_train, corpus, head, models[head], cache) for head in HEADS}
        metrics = {"bertscore": "bertscore", **{head: f"suisei({model})" for head, model in models.items()}}
        cold = _scored(corpus, metrics, options.repeats, before=False)
        warm = _scored(corpus, metrics, 1, before=True)
    rows = [
        Row(
            f"training {HEADS[0]} on {items:,} captions, nothing encoded before", items / first.seconds, None, "items/s"
        )
    ]
    for head, run in again.items():
        rows += [
            Row(f"training {head}, texts encoded before", items / run.seconds, None, "items/s"),
            Row("the same, peak memory of the process", run.memory, None, "B"),
        ]
    for head in HEADS:
        rows += [
            _beside(f"scoring {items:,} captions with {head}, nothing encoded before", items, cold, head),
            _beside("the same, texts encoded before", items, warm, head),
            Row(
                "the same, peak memory of the process",
                cold[head].memory,
                cold["bertscore"].memory,
                "B",
                higher_is_better=False,
            ),
        ]
    costs = [f"{head} {cold[head].processor / cold['bertscore'].processor:.2f}" for head in HEADS]
    notes = [
        "Beside SuiSei's heads stands BERTScore of this package, with the same encoder (all-MiniLM-L6-v2) in the same "
        f"run. With nothing encoded before, scoring takes so many times the processor time: {', '.join(costs)}.",
        f"Corpus: {items:,} captions with {REFERENCES} references each, drawn from {described} and varied; "
        f"{corpus.distinct:,} different texts; {cold[HEADS[0]].encoded:,} were encoded, each once.",
        f"Training: one network, {EPOCHS} epoch; start of the program, reading of vectors and validation included.",
        f"Scoring: each in a process of its own, in turn, the best of {options.repeats}; once with encoded texts.",
    ]
    return Section("Learned metrics", rows, notes)


def _scored(corpus: Corpus, metrics: Mapping[str, str], repeats: int, before: bool) -> dict[str, Run]:
    """The best run of each metric, in turn, so that all meet the same other work on the machine."""
    runs: dict[str, list[Run]] = {name: [] for name in metrics}
    for _ in range(repeats):
        for name, metric in metrics.items():
            with tempfile.TemporaryDirectory() as cache:
                if before:
                    in_child(_score, corpus, metric, cache)
                runs[name].append(in_child(_score, corpus, metric, cache))
    return {name: min(found) for name, found in runs.items()}


def _beside(measured: str, items: int, runs: Mapping[str, Run], head: str) -> Row:
    return Row(measured, items / runs[head].seconds, items / runs["bertscore"].seconds, "items/s")


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


def _train(corpus: Corpus, head: str, model: str, cache: str) -> Run:
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
    train(RatedSet("corpus", examples), ModelOptions(head=head), options).write(Path(model))
    return Run(time.perf_counter() - start, time.process_time(), peak_memory() or 0)


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
    return Run(time.perf_counter() - start, time.process_time(), peak_memory() or 0, sum(encoded))
