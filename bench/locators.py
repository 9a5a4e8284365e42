"""Locators: seconds of processor for an epoch of training, and for a query, on windows of 200 seconds."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from bench.report import Options, Row, Section
from kataribe.core.types import Cast, Role, Segment
from kataribe.films.frames import FrameVectors
from kataribe.films.seen import SeenFilm
from kataribe.grounding.locators.model import open_locator
from kataribe.grounding.locators.options import LocatorOptions
from kataribe.grounding.locators.queries import Asked, AskedFilms
from kataribe.grounding.locators.training import Material, Trained, train
from kataribe.media.faces import Faces

SECONDS, QUERIES, FRAME_WIDTH, FACE_WIDTH = 600, 128, 1280, 128
NETWORKS = ("2d-tan", "ia-net", "rnl")


def measure(options: Options) -> Section:
    asked = _asked(max(8, round(QUERIES * options.fraction)))
    material = Material.of(asked)
    rows = []
    for network in NETWORKS:
        own = LocatorOptions(model=network, epochs=1, batch=32)
        for every in (1, 2):
            if network == "2d-tan" and every > 1:
                continue
            seconds, trained = _trained(material, replace(own, every=every))
            what = f"{network}, every {'frame' if every == 1 else 'second frame'}"
            rows.append(Row(f"{what}: an epoch of 1,000 queries", seconds * 1000 / len(asked.learned), None, "s"))
        with tempfile.TemporaryDirectory() as folder:
            trained.save(Path(folder) / "model", {})
            locator = open_locator(Path(folder) / "model")
            film, query = asked.films["f"], asked.learned[0].text
            locator.locate(film, query, Segment(0, 200))  # the text encoder is opened
            locate = partial(locator.locate, film, query, Segment(100, 300))
            best = min(_timed(locate) for _ in range(options.repeats))
            rows.append(Row(f"{network}: a query in one window", best, None, "s", higher_is_better=False))
    notes = [
        "Random vectors of real sizes; time of processors, one thread; width 64, three rounds, map of 64 clips.",
        "A search over a whole film asks once for each window; the text of a query is encoded once.",
    ]
    return Section("Locators", rows, notes)


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _trained(material: Material, options: LocatorOptions) -> tuple[float, Trained]:
    start = time.process_time()
    trained = train(material, options)
    return time.process_time() - start, trained


def _asked(count: int) -> AskedFilms:
    rng = np.random.default_rng(0)
    time_of = np.arange(SECONDS, dtype=float)
    film = SeenFilm(
        film="f",
        genres=(),
        cast=Cast("f", (Role("Anna"),)),
        portraits=rng.normal(size=(1, FACE_WIDTH)).astype(np.float32),
        has_portrait=np.ones(1, dtype=bool),
        frames=FrameVectors(time_of, rng.normal(size=(SECONDS, FRAME_WIDTH)).astype(np.float32)),
        faces=Faces(
            time_of,
            time_of,
            np.zeros((SECONDS, 4)),
            np.ones(SECONDS),
            rng.normal(size=(SECONDS, FACE_WIDTH)).astype(np.float32),
            np.zeros(SECONDS, dtype=np.int64),
        ),
        dialogue=(),
        recipes={"frames": {"encoder": "random", "rate": 1.0}, "faces": {"finder": "random", "rate": 1.0}},
    )
    whole = Segment(0, SECONDS)
    learned = []
    for number in range(count):
        start = float(rng.integers(0, SECONDS - 10))
        span = Segment(start, start + 8)
        asked = Asked(str(number), "f", f"Anna opens door number {number} and looks for her hat.", span, span)
        learned.append(replace(asked, window=asked.drawn_window(whole, 200.0, 0)))
    return AskedFilms({"f": film}, {"f": whole}, tuple(learned), (), {})
