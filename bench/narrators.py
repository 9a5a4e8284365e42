"""`python -m bench narrators`: how long narrators take to train and to tell, on made features of the world's sizes.

Features, names and texts are drawn at random: what is computed does not depend on what they say. Clips last 12 seconds
and have 45 characters, as the clips of Movie101 and of the film world do; casts have 8 roles.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from bench.data import ROOT
from bench.report import Options, Row, Section
from kataribe.core.types import Cast, Role, Segment
from kataribe.films.frames import FrameVectors
from kataribe.films.seen import SeenClip, SeenCorpus, SeenFilm
from kataribe.media.faces import Faces
from kataribe.narration.narrators.options import NarratorOptions, NarratorTraining, SearchOptions
from kataribe.narration.narrators.training import train

PAGE = ROOT / "docs" / "narrators.md"
_LETTERS = [chr(number) for number in range(0x4E00, 0x4E00 + 600)]
_SECONDS, _CHARACTERS, _ROLES = 12.0, 45, 8
_CLIPS_OF_FILM = 20


class _Made(SeenCorpus):
    """Clips that are cut one after the other."""

    def clips(self, part: str, kind: str = "g") -> list[SeenClip]:
        rng = np.random.default_rng(len(part))
        return [
            SeenClip(f"{film}-{number}", self.films[film], span, _text(self.films[film], rng))
            for film in self.split[part]
            for number, span in enumerate(_spans())
        ]


def measure(options: Options) -> Section:
    films = max(2, round(40 * options.fraction))
    corpus = _corpus(films)
    rows = []
    for model in ("vt", "ovp", "rmn"):
        chosen = NarratorOptions(model=model)
        started = time.process_time()
        trained = train(corpus, chosen, NarratorTraining(epochs=1))
        clips = films * _CLIPS_OF_FILM
        rows.append(Row(f"{model}: an epoch of {clips:,} clips", time.process_time() - started, None, "s", False))
        for beam in (1, 5):
            # As many steps as a text has characters: this network has not learned to end.
            search = SearchOptions(beam=beam, longest=_CHARACTERS)
            narrator = replace(trained.narrator, search=search)
            started = time.process_time()
            narrator.tell(corpus.films["val-0"], _spans())
            film = _SECONDS * _CLIPS_OF_FILM / (time.process_time() - started)
            how = "greedy" if beam == 1 else f"beam {beam}"
            rows.append(Row(f"{model}: seconds of film told in a second, {how}", film, None, ""))
    size = f"width {NarratorOptions.width}, {NarratorOptions.layers} + {NarratorOptions.layers} layers"
    notes = [
        f"Made features: clips of {_SECONDS:g} s with {_CHARACTERS} characters, casts of {_ROLES}; {size}. One thread, "
        "time of its processor. An epoch includes the validation of one film, greedily told and scored.",
        "There is no original to compare with: the published code does not train.",
    ]
    return Section("Narrators", rows, notes)


def _corpus(films: int) -> SeenCorpus:
    names = {"train": films, "val": 1}
    split = {part: tuple(f"{part}-{number}" for number in range(count)) for part, count in names.items()}
    made = {film: _film(film, number) for number, film in enumerate(film for part in split.values() for film in part)}
    return _Made(made, split, {})


def _film(name: str, number: int) -> SeenFilm:
    rng = np.random.default_rng(number)
    seconds = round(_SECONDS * _CLIPS_OF_FILM)
    time, letters = np.arange(seconds, dtype=np.float64), rng.choice(_LETTERS, (_ROLES, 3), replace=False)
    faces = rng.normal(size=(2 * seconds, 128)).astype(np.float32)
    return SeenFilm(
        film=name,
        genres=("剧情",),
        cast=Cast(name, tuple(Role("".join(each)) for each in letters)),
        portraits=rng.normal(size=(_ROLES, 128)).astype(np.float32),
        has_portrait=np.ones(_ROLES, dtype=bool),
        frames=FrameVectors(time, rng.normal(size=(seconds, 1280)).astype(np.float32)),
        faces=Faces(
            time,
            np.repeat(time, 2),
            np.zeros((len(faces), 4)),
            np.ones(len(faces)),
            faces,
            np.zeros(len(faces), dtype=np.int64),
        ),
        dialogue=(),
        recipes={"faces": {"rate": 1.0}},
    )


def _spans() -> list[Segment]:
    return [Segment(_SECONDS * number, _SECONDS * (number + 1)) for number in range(_CLIPS_OF_FILM)]


def _text(film: SeenFilm, rng: np.random.Generator) -> str:
    return str(rng.choice(film.cast.names)) + "".join(rng.choice(_LETTERS, _CHARACTERS - 4)) + "。"
