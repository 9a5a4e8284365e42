"""Searching libraries: time and memory of a query against the number of shots, what faiss finds; training a retriever.

Vectors are made: a library of films, each a centre with its shots round it, because shots of one film resemble each
other; 256 numbers each. Queries are shots with noise.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.data import ROOT
from bench.process import in_child, peak_memory
from bench.report import Options, Row, Section
from kataribe.grounding.retrieval.library import About, FilmEntry, Library

PAGE = ROOT / "docs" / "retrieval.md"
WIDTH, SHOTS_OF_FILM = 256, 360
SIZES = (10_000, 100_000, 1_000_000, 4_000_000)
SORTED = 1_000_000
# Queries are about as far from their shots (cosine 0.4) as texts are.
QUERIES, TOP, NOISE = 20, 10, 0.15
PAIRS, FRAMES = 1_000, 8


class Searched(NamedTuple):
    """`seconds` of a processor that a query took, and the memory of the process that is no file."""

    seconds: float
    memory: int
    rows: list[list[int]]


def measure(options: Options) -> Section:
    rows = []
    sizes = [max(1_000, round(size * options.fraction)) for size in SIZES]
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            for precision in ("float32", "float16"):
                place = Path(folder) / f"{size}-{precision}"
                make_library(place, size, precision)
                found = in_child(_search, place, True, options.repeats)
                hours = size * 20 / 3600
                what = f"{size:,} shots ({hours:,.0f} hours), {precision}: a query"
                rows.append(Row(what, found.seconds, None, "s", agreement=f"memory {found.memory / 1e6:,.0f} MB"))
                if size == max(1_000, round(SORTED * options.fraction)) and precision == "float32":
                    rows += _sorted(place, found, options)
    rows.append(Row("training: an epoch of 1,000 pairs, 8 frames each", _epoch(options), None, "s"))
    notes = [
        f"A query is a text's vector against every shot of a memory-mapped library, {WIDTH} numbers each, top {TOP}: "
        f"mean of {QUERIES} one after the other, best of {options.repeats}, files in the page cache. Encoding the text "
        "comes on top: about 10 ms with MiniLM or e5.",
        "Times are those of a processor, not of a clock, because they are the same on a busy machine.",
        "Time grows with the number of shots, memory does not: given is what is no page of a file; a block of 64 MB "
        "comes on top while it is looked at. float16 takes half the space and four times as long, because every number "
        "is turned into single precision first.",
        "Sorted: faiss, inverted lists in half precision, 256 of 4 sqrt(n) lists looked into, exact scores of 40 "
        "candidates. Recall: of the ten best shots of exact search, how many are found, by queries as far from their "
        "shots as texts are (cosine 0.4); by queries near to a shot (0.8) all are.",
    ]
    return Section("Retrieval", rows, notes)


def _sorted(place: Path, exact: Searched, options: Options) -> list[Row]:
    from importlib.util import find_spec

    if find_spec("faiss") is None:
        return []
    took = in_child(_sort, place)
    found = in_child(_search, place, False, options.repeats)
    shared = [len(set(one) & set(other)) / TOP for one, other in zip(found.rows, exact.rows, strict=True)]
    size = len(_opened(place))
    said = f"recall {100 * np.mean(shared):.1f}%, memory {found.memory / 1e6:,.0f} MB"
    return [
        Row(f"{size:,} shots, sorted: a query", found.seconds, exact.seconds, "s", False, said),
        Row(f"{size:,} shots: sorting them", took, None, "s"),
    ]


def make_library(place: Path, size: int, precision: str) -> None:
    """A library on disk, written in portions."""
    import msgspec

    place.mkdir()
    rng = np.random.default_rng(0)
    dtype = np.float32 if precision == "float32" else np.float16
    films = []
    with (place / "vectors.bin").open("wb") as vectors, (place / "spans.bin").open("wb") as spans:
        for start in range(0, size, SHOTS_OF_FILM):
            count = min(SHOTS_OF_FILM, size - start)
            centre = rng.standard_normal(WIDTH, dtype=np.float32)
            found = centre + 1.2 * rng.standard_normal((count, WIDTH), dtype=np.float32)
            found /= np.linalg.norm(found, axis=1, keepdims=True)
            vectors.write(found.astype(dtype).tobytes())
            starts = 20.0 * np.arange(count)
            spans.write(np.column_stack([starts, starts + 20]).tobytes())
            films.append(FilmEntry(f"f{start}", "", {}, start, count))
    about = About(model="made", width=WIDTH, precision=precision, length=20.0, films=films)  # type: ignore[arg-type]
    (place / "library.json").write_bytes(msgspec.json.encode(about))


def _opened(place: Path) -> Library:
    from kataribe.grounding.retrieval.library import open_library

    return open_library(place)


def _search(place: Path, exact: bool, repeats: int) -> Searched:
    library = _opened(place)
    rng = np.random.default_rng(1)
    chosen = np.sort(rng.integers(0, len(library), QUERIES))
    queries = np.asarray(library.vectors[chosen], dtype=np.float32) + NOISE * rng.normal(size=(QUERIES, WIDTH))
    queries = (queries / np.linalg.norm(queries, axis=1, keepdims=True)).astype(np.float32)
    library.nearest(queries[:1], TOP, exact=exact)
    times = []
    for _ in range(repeats):
        started = time.process_time()
        rows = [library.nearest(query[None], TOP, exact=exact).rows[0].tolist() for query in queries]
        times.append((time.process_time() - started) / QUERIES)
    return Searched(min(times), own_memory(), rows)


def own_memory() -> int:
    """Bytes that are no pages of files, which the system may take back at any time; all memory where it cannot tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    found = next((line for line in lines if line.startswith("RssAnon")), None)
    return int(found.split()[1]) * 1024 if found else peak_memory() or 0


def _sort(place: Path) -> float:
    from kataribe.grounding.retrieval.library import sort_library

    started = time.process_time()
    sort_library(_opened(place))
    return time.process_time() - started


def _epoch(options: Options) -> float:
    """The mean over the epochs of one run, frozen encoders with vectors of 1,280 and 384 numbers."""
    import torch

    from kataribe.core.types import Segment
    from kataribe.grounding.retrieval.network import DualNetwork, Side, contrastive_loss
    from kataribe.grounding.retrieval.options import RetrieverOptions
    from kataribe.grounding.retrieval.pairs import FilmFrames, Pair, PairedFilms, PairTable
    from kataribe.learning.fit import Learner, fit

    rng, epochs = np.random.default_rng(0), 5
    films = {
        f"f{n}": FilmFrames(np.arange(500.0), rng.normal(size=(500, 1280)).astype(np.float32), {"rate": 1.0})
        for n in range(PAIRS // 25)
    }
    pairs = [Pair(film, Segment(20.0 * n, 20.0 * n + 20), f"{film} {n}") for film in films for n in range(25)]
    table = PairTable.of(
        pairs, PairedFilms(films, {}, tuple(pairs), ""), {pair.text: n for n, pair in enumerate(pairs)}
    )
    texts = rng.normal(size=(len(pairs), 384)).astype(np.float32)

    @dataclass(frozen=True)
    class Examples:
        def __len__(self) -> int:
            return len(pairs)

        def batch(self, rows: np.ndarray) -> Any:
            frames, is_there = table.looked_at(rows, FRAMES)
            arrays: Mapping[int, np.ndarray] = {0: frames, 1: is_there, 2: texts[rows], 3: table.told_apart(rows)}
            return tuple(torch.from_numpy(arrays[number]) for number in range(4))

    network = DualNetwork(Side(films["f0"].vectors, WIDTH, 0.2), Side(texts, WIDTH, 0.2))
    started = time.process_time()
    fit(Learner(network, Examples(), contrastive_loss), RetrieverOptions(epochs=epochs, device="cpu"))
    return (time.process_time() - started) / epochs
