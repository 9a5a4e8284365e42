"""`python -m bench retrieval-world`: retrievers of the film world, on casts that they have never seen.

How often a text finds its shot, by what was learned from; and whether EMScore and CLIPScore with the trained folder
prefer the true text of a clip to that of another one. It takes a world of size train with its corpus and features,
which `KATARIBE_WORLD` names (WORLD/corpus, WORLD/features), or makes them first: about an hour on two cores.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.data import ROOT
from bench.report import Options, Results
from kataribe.captions.greedy import Weighted, harmonic_mean, match
from kataribe.encoders.dual import DualEncoder, pooled
from kataribe.encoders.encoded import encode_texts
from kataribe.films.movie101 import read_movie101
from kataribe.grounding.retrieval.options import RetrieverOptions
from kataribe.grounding.retrieval.pairs import TEST, Pair, PairedFilms, read_pairs, spread
from kataribe.grounding.retrieval.training import train
from kataribe.learning.result import Trial, summarise

PAGE = ROOT / "docs" / "retrieval.md"
SEEDS = 3
FRAMES = 10
VARIANTS = {
    "shots and clips": RetrieverOptions(),
    "shots alone": RetrieverOptions(learn="shots"),
    "clips alone": RetrieverOptions(learn="clips"),
}


class Shares(NamedTuple):
    """How often the true text scores more than that of another clip."""

    same_film: float
    other_film: float


def measure(options: Options) -> Results:
    with _world(options) as (corpus, features), tempfile.TemporaryDirectory() as folder:
        trials, shares, chance, seconds = [], [], {}, {}
        for name, chosen in VARIANTS.items():
            paired = read_pairs(corpus, features, chosen.learn)
            for seed in range(SEEDS):
                started = time.perf_counter()
                trained = train(paired, replace(chosen, seed=seed, device="cpu"))
                seconds[name] = time.perf_counter() - started
                found = trained.recalls[TEST]
                chance = found.chance
                trials.append(Trial(name, seed, found.values))
                if name == "shots and clips":
                    place = Path(folder) / f"model-{seed}"
                    trained.save(place, {})
                    shares.append(preferred(DualEncoder(place), test_clips(corpus), paired))
    rows = [["learned from", *chance, "seconds"]]
    for summary in summarise(trials):
        cells = []
        for measure, mean in summary.means.items():
            low, high = summary.intervals.get(measure, (mean, mean))
            cells.append(f"{100 * mean:.1f} [{100 * low:.1f}, {100 * min(high, 1):.1f}]")
        rows.append([summary.variant, *cells, f"{seconds[summary.variant]:.0f}"])
    rows.append(["chance", *(f"{100 * value:.1f}" for value in chance.values()), ""])
    told = [["", "of the same film", "of another film"]]
    for metric in ("EMScore", "CLIPScore"):
        means = [np.mean([getattr(each[metric], part) for each in shares]) for part in Shares._fields]
        told.append([metric, *(f"{100 * mean:.1f}" for mean in means)])
    notes = [
        f"{found.films} test films, {found.texts} texts; mean over films, then over {SEEDS} seeds with 95% intervals.",
        f"Second table: share of pairs of clips in which the true text scores more; {FRAMES} frames of each clip.",
    ]
    return Results([("Texts find their shots", rows), ("The true text against that of another clip", told)], notes)


def test_clips(corpus: Path) -> list[Pair]:
    clips = read_movie101(corpus).g[TEST]
    return [Pair(clip.film, clip.segment, clip.text) for clip in clips if clip.film and clip.segment]


def preferred(encoder: DualEncoder, clips: Sequence[Pair], paired: PairedFilms) -> dict[str, Shares]:
    """EMScore (movie101) and CLIPScore of every text beside every clip."""
    encoded = encode_texts(encoder, [clip.text for clip in clips], "tokens")
    rows = np.arange(len(clips))
    texts = [Weighted(tokens.vectors, np.ones(len(tokens.ids))) for tokens in encoded.tokens(rows)]
    sentences = encoded.sentences(rows)
    films = np.array([clip.film for clip in clips])
    fine, coarse = np.zeros((len(clips), len(clips))), np.zeros((len(clips), len(clips)))
    for row, clip in enumerate(clips):
        film = paired.films[clip.film]
        frames = encoder.frames(film.vectors[spread(film.during(clip.span), FRAMES)])
        shown = Weighted(frames, np.ones(len(frames)))
        fine[row] = harmonic_mean(*match(texts, [shown] * len(texts)))
        coarse[row] = sentences @ pooled(frames)
    return {"EMScore": _shares(fine, films), "CLIPScore": _shares(coarse, films)}


def _shares(scores: np.ndarray, films: np.ndarray) -> Shares:
    wins = scores.diagonal()[:, None] > scores
    same = films[:, None] == films
    others = ~np.eye(len(films), dtype=bool)
    return Shares(float(wins[same & others].mean()), float(wins[~same].mean()))


@contextmanager
def _world(options: Options) -> Iterator[tuple[Path, Path]]:
    """A corpus and its features."""
    if named := os.environ.get("KATARIBE_WORLD"):
        yield Path(named) / "corpus", Path(named) / "features"
        return
    with tempfile.TemporaryDirectory() as folder:
        world, corpus, features = (Path(folder) / name for name in ("world", "corpus", "features"))
        size = ["--size", "train"] if options.fraction == 1 else ["--size", "small"]
        features.mkdir()
        subprocess.run(["kataribe", "build", "world", world, *size, "-q"], check=True)
        given = ["--cast", world / "cast.json", "--split", world / "splits.json"]
        subprocess.run(["kataribe", "build", "movie", world / "films.json", "-o", corpus, *given, "-q"], check=True)
        for video in sorted((world / "videos").iterdir()):
            call = ["media", "frames", video, "-o", features / f"{video.stem}.npz", "--encoder", "efficientnet-lite0"]
            subprocess.run(["kataribe", *call, "-q"], check=True)
        yield corpus, features
