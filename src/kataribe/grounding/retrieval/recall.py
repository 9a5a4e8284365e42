"""How well texts find their shots: R@1, 5 and 10 in each film, then the mean over films.

    R@k = share of the texts of a film whose own shot is among the k most similar of that film's shots
    chance = k / shots of the film, 1 at most
    MRR = mean of 1 / rank

Equal scores count against the text: the rank is the number of shots that score at least as much. Intervals draw the
texts of each film again, the films stay. As in Movie101 (Yue et al., 2023, Table 4) only shots with a text are there to
be found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.core.types import Float32s, Floats, Int64s
from kataribe.stats.bootstrap import studentised_interval

CUTS = (1, 5, 10)
MRR = "MRR"
_REPLICATES = 1000


@dataclass(frozen=True, eq=False)
class FilmRanks:
    """For each text of a film the rank of its own shot, from 1, among so many."""

    ranks: Int64s
    shots: int

    @property
    def scores(self) -> dict[str, Floats]:
        """By measure, a value for each text."""
        return {f"R@{k}": (self.ranks <= k).astype(float) for k in CUTS} | {MRR: 1 / self.ranks}

    @property
    def chance(self) -> dict[str, float]:
        recalls = {f"R@{k}": min(1.0, k / self.shots) for k in CUTS}
        return recalls | {MRR: float((1 / np.arange(1, self.shots + 1)).mean())}


def ranks_of(shots: Float32s, texts: Float32s, own: Int64s) -> Int64s:
    """The rank of each text's own shot; texts, shots as vectors of length 1.

    >>> ranks_of(np.eye(2), np.array([[1.0, 0.0], [0.9, 0.1]]), np.array([0, 1])).tolist()
    [1, 2]
    """
    scores = texts @ shots.T
    mine = scores[np.arange(len(texts)), own]
    ranks: Int64s = (scores >= mine[:, None]).sum(axis=1)
    return ranks


def ranks_by_film(films: Sequence[str], shots: Float32s, texts: Float32s) -> dict[str, FilmRanks]:
    """Row i is a shot of `films[i]` and its text."""
    found: dict[str, FilmRanks] = {}
    names = np.array(films)
    for film in dict.fromkeys(films):
        rows = np.flatnonzero(names == film)
        found[film] = FilmRanks(ranks_of(shots[rows], texts[rows], np.arange(len(rows))), len(rows))
    return found


@dataclass(frozen=True)
class Recalled:
    """Means over films, beside what chance gives, with intervals where there are enough texts."""

    values: Mapping[str, float]
    chance: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    texts: int
    films: int


def means(ranks: Mapping[str, FilmRanks]) -> dict[str, float]:
    """Of each measure, in each film, then over films."""
    by_film = [film.scores for film in ranks.values()]
    return {name: float(np.mean([scores[name].mean() for scores in by_film])) for name in by_film[0]}


def recalled(ranks: Mapping[str, FilmRanks], seed: int = 0) -> Recalled:
    values, texts = means(ranks), sum(len(film.ranks) for film in ranks.values())
    rng = np.random.default_rng(seed)
    replicates: dict[str, list[Floats]] = {name: [] for name in values}
    for film in ranks.values():
        drawn = rng.integers(0, len(film.ranks), (_REPLICATES, len(film.ranks)))
        for name, scores in film.scores.items():
            replicates[name].append(scores[drawn].mean(axis=1))
    intervals = {
        name: studentised_interval(values[name], np.mean(found, axis=0), texts, (0.0, 1.0))
        for name, found in replicates.items()
    }
    chance = [film.chance for film in ranks.values()]
    return Recalled(
        values,
        {name: float(np.mean([found[name] for found in chance])) for name in values},
        {name: found for name, found in intervals.items() if found is not None},
        texts,
        len(ranks),
    )
