"""BERTScore beside the package bert_score on the same model, and the memory of a large corpus."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple

from bench import data
from bench.process import in_child, peak_memory
from bench.report import Options, Row, Section

# Captioners repeat themselves: of so many captions only a part are different.
CAPTIONS = 20_000
DISTINCT = 1_500
LARGE = 100_000
# So many captions are also scored by the original one at a time, without padding.
ALONE = 50


class Corpus(NamedTuple):
    candidates: list[str]
    references: list[list[str]]

    @property
    def texts(self) -> int:
        return len(self.candidates) + sum(map(len, self.references))

    @property
    def distinct(self) -> int:
        return len({*self.candidates, *(text for texts in self.references for text in texts)})


class Run(NamedTuple):
    seconds: float
    values: list[float]
    memory: int


def measure(options: Options) -> Section:
    described, texts = data.sentences()
    count = max(20, round(CAPTIONS * options.fraction))
    corpus = _corpus(texts, count, max(10, round(DISTINCT * options.fraction)), seed=0)
    next_epoch = Corpus(
        _corpus(texts, count, max(10, round(DISTINCT * options.fraction)), seed=1)[0], corpus.references
    )
    large = max(100, round(LARGE * options.fraction))
    theirs: Run | str = "bert_score is not installed"
    colds, originals = [], []
    for _ in range(options.repeats):  # in turn, so that both meet the same other work on the machine
        with tempfile.TemporaryDirectory() as folder:
            colds.append(in_child(_ours, corpus, folder))
        if find_spec("bert_score"):
            originals.append(in_child(_theirs, corpus))
    cold = min(colds)
    if originals:
        theirs = min(originals)
    with tempfile.TemporaryDirectory() as folder:
        in_child(_ours, corpus, folder)
        again = in_child(_ours, next_epoch, folder)
        warm = in_child(_ours, corpus, folder)
    many = data.meteor_sets()[-1].head(options.fraction)
    dense = Corpus(many.candidates, many.references)
    with tempfile.TemporaryDirectory() as folder:
        dense_ours = in_child(_ours, dense, folder)
    dense_theirs = in_child(_theirs, dense) if find_spec("bert_score") else None
    with tempfile.TemporaryDirectory() as folder:
        crowd = in_child(_ours, _corpus(texts, large, large // 10, seed=2, references=1), folder)
    original = theirs if isinstance(theirs, str) else corpus.texts / theirs.seconds
    agreement = ""
    if not isinstance(theirs, str):
        part = Corpus(corpus.candidates[:ALONE], corpus.references[:ALONE])
        alone = in_child(_theirs, part, 1)
        worst = max(abs(a - b) for a, b in zip(cold.values[:ALONE], alone.values, strict=True))
        batched = max(abs(a - b) for a, b in zip(cold.values, theirs.values, strict=True))
        agreement = f"largest difference of an item {worst:.1g}; {batched:.1g} where the original pads"
    rows = [
        Row("BERTScore, nothing encoded before", corpus.texts / cold.seconds, original, "texts/s", agreement=agreement),
        Row("the same, next epoch: new candidates", corpus.texts / again.seconds, original, "texts/s"),
        Row("the same, once more", corpus.texts / warm.seconds, original, "texts/s"),
        Row(
            "peak memory of the process",
            cold.memory,
            theirs if isinstance(theirs, str) else theirs.memory,
            "B",
            higher_is_better=False,
        ),
        Row(
            "BERTScore of a dense captioner, nothing encoded before",
            many.pairs / dense_ours.seconds,
            many.pairs / dense_theirs.seconds if dense_theirs else original,
            "pairs/s",
        ),
        Row(f"BERTScore of {large:,} captions", crowd.seconds, None, "s"),
        Row("the same, peak memory of the process", crowd.memory, None, "B"),
    ]
    notes = [
        f"Corpus: {len(corpus.candidates):,} candidates with two references each, drawn with repeats from {described}; "
        f"{corpus.texts:,} texts, {corpus.distinct:,} of them different.",
        "Both: all-MiniLM-L6-v2, last layer, the same number of cores, in a process of its own, start of the program "
        f"and loading of the model included. With nothing encoded before: each the best of {options.repeats}, in turn "
        f"({_seconds(colds)}; the original {_seconds(originals)}).",
        "In the original a token whose best cosine is negative counts 0 if its batch is padded; without padding (the "
        f"first {ALONE} captions, one at a time) it does not.",
        f"The dense captioner: {many.description}; {many.pairs:,} pairs of {dense.distinct:,} different texts, each "
        "scorer once.",
        f"The large corpus: {large:,} candidates with one reference each, a tenth of them different.",
    ]
    return Section("Encoders", rows, notes)


def _seconds(runs: Sequence[Run]) -> str:
    return ", ".join(f"{run.seconds:.1f}" for run in runs) + " s" if runs else "not run"


def _corpus(texts: Sequence[str], items: int, distinct: int, seed: int, references: int = 2) -> Corpus:
    rng = random.Random(seed)
    predicted = rng.sample(list(texts), min(distinct, len(texts)))
    written = rng.sample(list(texts), min(2 * distinct, len(texts)))
    return Corpus(rng.choices(predicted, k=items), [rng.choices(written, k=references) for _ in range(items)])


def _ours(corpus: Corpus, cache: str) -> Run:
    start = time.perf_counter()
    os.environ["KATARIBE_CACHE"] = cache
    import kataribe

    ids = [str(row) for row in range(len(corpus.candidates))]
    result = kataribe.evaluate(
        "captions",
        dict(zip(ids, corpus.candidates, strict=True)),
        dict(zip(ids, corpus.references, strict=True)),
        ["bertscore"],
    )
    return Run(time.perf_counter() - start, result["bertscore"].item_values.tolist(), peak_memory() or 0)


def _theirs(corpus: Corpus, batch_size: int = 64) -> Run:
    start = time.perf_counter()
    import bert_score

    from kataribe.encoders.loading import DEFAULT, locate

    _, _, f = bert_score.score(
        corpus.candidates,
        corpus.references,
        model_type=locate(DEFAULT),
        num_layers=6,
        device="cpu",
        batch_size=batch_size,
    )
    return Run(time.perf_counter() - start, f.tolist(), peak_memory() or 0)
