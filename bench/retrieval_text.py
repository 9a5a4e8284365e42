"""`python -m bench retrieval-text`: real sentences retrieve the captions of their own shots, by text alone.

The queries are the clips of Movie101-G (validation films), the documents the captions of Movie101-GSR: what is told in
20 seconds, joined. No picture is looked at, and nothing is trained: this says how well the offline encoders cope with
real narration, not how well films are searched. A shot's caption holds the words of its own clips, so letters alone
find most of them. In the second table these words are taken out, and what is left is what else is told in those
20 seconds.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, log
from pathlib import Path

import numpy as np

from bench.data import ROOT
from bench.report import Options, Results
from kataribe.core.types import Float32s
from kataribe.encoders.encoded import encode_texts
from kataribe.encoders.text import open_text
from kataribe.films.movie101 import Movie101, read_movie101
from kataribe.films.shots import belongs
from kataribe.grounding.retrieval.recall import CUTS, FilmRanks, recalled

PAGE = ROOT / "docs" / "retrieval.md"
ENCODERS = {"minilm": "minilm (English)", "e5": "e5"}
LETTERS = "tf-idf of two letters"


@dataclass(frozen=True)
class Search:
    """A film: texts, documents, and for each text the documents that are right."""

    queries: Sequence[str]
    documents: Sequence[Sequence[str]]  # for each query, since its own words may be taken out
    right: Sequence[frozenset[int]]


def movie101() -> Path | None:
    roots = [os.environ.get("KATARIBE_DATA"), ROOT.parent / "shared" / "data"]
    folders = [Path(root) / "movie101" for root in roots if root]
    return next((folder for folder in folders if (folder / "GSR" / "val.json").is_file()), None)


def measure(options: Options) -> Results:
    folder = movie101()
    if folder is None:
        raise SystemExit("bench: the real-text experiment needs Movie101 (G/val.json, GSR/val.json) in KATARIBE_DATA")
    data = read_movie101(folder)
    films = list(data.gsr["val"])[: max(1, round(len(data.gsr["val"]) * options.fraction))]
    whole = {film: searched(data, film, without_own=False) for film in films}
    others = {film: searched(data, film, without_own=True) for film in films}
    others = {film: search for film, search in others.items() if search.queries}
    tables = [("Captions with the query's own words", _table(whole)), ("Without them", _table(others))]
    return Results(tables, [f"Movie101, {len(films)} validation films; 95% intervals over queries."])


def searched(data: Movie101, film: str, *, without_own: bool) -> Search:
    """The clips of a film that belong to a shot; without their own words, those whose shots tell something else too."""
    shots = data.gsr["val"][film]
    queries, documents, right = [], [], []
    for clip in data.g["val"]:
        if clip.film != film or clip.segment is None:
            continue
        own = [row for row, shot in enumerate(shots) if belongs(clip.segment, shot.segment)]
        texts = [shot.text for shot in shots]
        if without_own:
            for row in own:
                texts[row] = texts[row].replace(clip.text, "", 1)
            own = [row for row in own if texts[row].strip() and texts[row] != shots[row].text]
        if own:
            queries.append(clip.text)
            documents.append(texts)
            right.append(frozenset(own))
    return Search(queries, documents, right)


def _table(films: Mapping[str, Search]) -> list[list[str]]:
    count = sum(len(search.queries) for search in films.values())
    shots = np.mean([len(search.documents[0]) for search in films.values()])
    rows = [["encoder", *(f"R@{k}" for k in CUTS), "MRR"]]
    for name in (LETTERS, *ENCODERS):
        found = recalled(
            {film: FilmRanks(_ranks(search, name), len(search.documents[0])) for film, search in films.items()}
        )
        cells = []
        for measure, value in found.values.items():
            low, high = found.intervals.get(measure, (value, value))
            cells.append(f"{100 * value:.1f} [{100 * low:.1f}, {100 * high:.1f}]")
        rows.append([ENCODERS.get(name, name), *cells])
    chance = [f"{100 * np.mean([_chance(search, k) for search in films.values()]):.1f}" for k in CUTS]
    rows.append([f"chance ({count:,} queries, {shots:.0f} shots a film)", *chance, ""])
    return rows


def _ranks(search: Search, name: str) -> np.ndarray:
    """The rank of the best right document of each query; equal scores count against it."""
    texts = list(dict.fromkeys([*search.queries, *(text for texts in search.documents for text in texts)]))
    index = {text: row for row, text in enumerate(texts)}
    vectors = _letter_vectors(texts) if name == LETTERS else _encoded(texts, name)
    ranks = []
    for query, documents, right in zip(search.queries, search.documents, search.right, strict=True):
        scores = vectors[[index[text] for text in documents]] @ vectors[index[query]]
        best = max(scores[row] for row in right)
        wrong = [row for row in range(len(documents)) if row not in right]
        ranks.append(1 + int((scores[wrong] >= best).sum()))
    return np.array(ranks)


def _encoded(texts: Sequence[str], name: str) -> Float32s:
    return encode_texts(open_text(name), texts, "sentences").sentences(np.arange(len(texts)))


def _letter_vectors(texts: Sequence[str]) -> Float32s:
    """What anybody would try first: tf-idf over pairs of letters, vectors of length 1."""
    counts = [Counter(text[at : at + 2] for at in range(len(text) - 1)) for text in texts]
    known = Counter(pair for count in counts for pair in count)
    column = {pair: number for number, pair in enumerate(known)}
    vectors = np.zeros((len(texts), len(column)), dtype=np.float32)
    for row, count in enumerate(counts):
        for pair, times in count.items():
            vectors[row, column[pair]] = times * log(len(texts) / known[pair])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def _chance(search: Search, k: int) -> float:
    """With several right shots of N: 1 - C(N - right, k) / C(N, k)."""
    found = []
    for documents, right in zip(search.documents, search.right, strict=True):
        count = len(documents)
        found.append(1 - comb(count - len(right), min(k, count)) / comb(count, min(k, count)))
    return float(np.mean(found))
