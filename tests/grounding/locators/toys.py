"""Toy films: each piece of four seconds shows one action by one person, and queries say who does what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kataribe.core.types import Cast, Role, Segment
from kataribe.films.feature_file import FORMAT
from kataribe.films.frames import FrameVectors
from kataribe.films.seen import SeenFilm
from kataribe.grounding.locators.queries import Asked, AskedFilms
from kataribe.media.faces import Faces

NAMES = ("Anna", "Boris", "Chloe", "Dmitri")
ACTIONS = ("sweeps", "paints", "juggles", "kneels")
PIECE, PIECES = 4, 6
FRAME_WIDTH, FACE_WIDTH = 6, 5
RECIPES = {"frames": {"encoder": "toy-1", "rate": 1.0}, "faces": {"finder": "toy", "rate": 1.0}}


def toy_film(number: int, pieces: int = PIECES) -> tuple[SeenFilm, list[tuple[str, Segment]]]:
    """A film, and the text and span of each of its pieces. Every film has a cast of its own."""
    rng = np.random.default_rng(number)
    name = f"f{number}"
    portraits = rng.normal(size=(len(NAMES), FACE_WIDTH)).astype(np.float32)
    shown = np.random.default_rng(99).normal(size=(len(ACTIONS), FRAME_WIDTH))
    told, frames, who = [], [], []
    for piece in range(pieces):
        person, action = int(rng.integers(len(NAMES))), int(rng.integers(len(ACTIONS)))
        told.append((f"{NAMES[person]} {ACTIONS[action]}.", Segment(piece * PIECE, (piece + 1) * PIECE)))
        frames += [shown[action] + 0.1 * rng.normal(size=FRAME_WIDTH) for _ in range(PIECE)]
        who += [person] * PIECE
    time = np.arange(len(frames), dtype=float)
    vectors = portraits[who] + 0.05 * rng.normal(size=(len(who), FACE_WIDTH)).astype(np.float32)
    boxes, ones, tracks = np.zeros((len(time), 4)), np.ones(len(time)), np.zeros(len(time), dtype=np.int64)
    film = SeenFilm(
        film=name,
        genres=(),
        cast=Cast(name, tuple(map(Role, NAMES))),
        portraits=portraits,
        has_portrait=np.ones(len(NAMES), dtype=bool),
        frames=FrameVectors(time, np.array(frames, dtype=np.float32)),
        faces=Faces(time, time, boxes, ones, vectors.astype(np.float32), tracks),
        dialogue=(),
        recipes=RECIPES,
    )
    return film, told


def toy_films(learned: int = 4, others: int = 2, window: float = 12.0) -> AskedFilms:
    made = [toy_film(number) for number in range(learned + others)]
    whole = Segment(0, PIECE * PIECES)

    def asked(some: Sequence[tuple[SeenFilm, list[tuple[str, Segment]]]]) -> tuple[Asked, ...]:
        plain = [
            Asked(f"{film.film}-{span.start:g}", film.film, text, span, span)
            for film, told in some
            for text, span in told
        ]
        return tuple(
            Asked(each.id, each.film, each.text, each.span, each.drawn_window(whole, window, 0)) for each in plain
        )

    return AskedFilms(
        films={film.film: film for film, _ in made},
        spans={film.film: whole for film, _ in made},
        learned=asked(made[:learned]),
        validated=asked(made[learned : learned + 1]),
        tested={"clips": asked(made[learned + 1 :])},
    )


def write_features(path: Path, seconds: int, encoder: str = "toy", width: int = FRAME_WIDTH) -> None:
    """The feature file of a film that shows nothing in particular, with one portrait."""
    rng = np.random.default_rng(seconds)
    stages = {"frames": {"encoder": encoder, "rate": 1.0}, "faces": {"finder": "toy", "rate": 1.0}}
    time = np.arange(float(seconds))
    np.savez(
        path,
        header=np.array(
            json.dumps({"format": FORMAT, "kataribe": "0", "video": {"name": path.stem}, "stages": stages})
        ),
        **{"frames.time": time, "frames.vector": rng.normal(size=(seconds, width)).astype(np.float32)},
        **{"faces.seen": time, "faces.time": time, "faces.box": np.zeros((seconds, 4)), "faces.score": time},
        **{"faces.vector": rng.normal(size=(seconds, 5)).astype(np.float32)},
        **{"faces.track": np.zeros(seconds, dtype=np.int64)},
        **{"portraits.name": np.array(["Nora"]), "portraits.vector": np.ones((1, 5), dtype=np.float32)},
    )
