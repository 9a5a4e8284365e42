"""A world in numbers, beside those of Movie101 that it is made after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.films.world import movie101
from kataribe.films.world.film import FPS, Film


@dataclass(frozen=True)
class Compared:
    """One kind of number: its mean and deciles here and there."""

    what: str
    here: Sequence[float]
    movie101_mean: float
    movie101_deciles: Sequence[float]

    @property
    def mean(self) -> float:
        return float(np.mean(self.here))

    @property
    def deciles(self) -> list[float]:
        return [float(value) for value in np.quantile(self.here, np.linspace(0, 1, 11))]


@dataclass(frozen=True)
class Summary:
    films: int
    minutes: float
    roles: int
    dialogues: int
    clips: int
    long_clips: int
    events: int
    echoes: int
    gaps_filled: float
    time_filled: float
    compared: tuple[Compared, ...]


def summarise(films: Sequence[Film]) -> Summary:
    short = [(clip.end - clip.start) / FPS for film in films for clip in film.clips]
    spans = [span for film in films for span in _long_spans(film)]
    casts = [float(len(film.company.players)) for film in films]
    # A character of a Chinese name stands for a word of an English one.
    names = [
        float(len(name.split()) + 1 if name.isascii() else len(name))
        for film in films
        for name in film.company.cast.names
    ]
    gaps = [gap for film in films for gap in _gaps(film)]
    told = sum(clip.end - clip.start for film in films for clip in film.clips)
    filled = sum(len({clip.gap for clip in film.clips}) for film in films)
    counted = np.repeat(list(movie101.NAME_LENGTHS), list(movie101.NAME_LENGTHS.values()))
    lengths = np.quantile(counted, np.linspace(0, 1, 11)).tolist()
    return Summary(
        films=len(films),
        minutes=sum(film.duration for film in films) / 60,
        roles=sum(len(film.company.players) for film in films),
        dialogues=sum(len(film.dialogues) for film in films),
        clips=len(short),
        long_clips=len(spans),
        events=sum(len(film.events) for film in films),
        echoes=sum(event.echoes is not None for film in films for event in film.events),
        gaps_filled=filled / len(gaps),
        time_filled=told / sum(gaps),
        compared=(
            Compared("clip G, seconds", short, 11.93, movie101.G_SECONDS),
            Compared("clip N, seconds", spans, 20.42, movie101.N_SECONDS),
            Compared("roles of a film", casts, 7.01, movie101.CAST_SIZES),
            Compared("letters of a name", names, float(counted.mean()), lengths),
        ),
    )


def _long_spans(film: Film) -> list[float]:
    gaps = Counter(clip.gap for clip in film.clips)
    own = [[clip for clip in film.clips if clip.gap == gap] for gap in gaps]
    return [(clips[-1].end - clips[0].start) / FPS for clips in own]


def _gaps(film: Film) -> list[int]:
    return [after[0] - before[1] for before, after in zip(film.dialogues, film.dialogues[1:], strict=False)]
