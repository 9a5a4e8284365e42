"""How long clips are, how large casts, how long names, as counted in Movie101's public files; the world draws from it.

Counted once from the published validation split (2,768 clips G, 1,416 clips N) and cast list (92 films, 645 roles):
nothing here reads those files. `G_SECONDS` are the deciles of a clip's length in seconds, from the shortest to the
longest; `CLIPS_PER_N` says how many clips G one clip N holds; `CAST_SIZES` are deciles too; `NAME_LENGTHS` counts the
characters of role names; `GENRES` counts the ten most common genres among 203 films of version 2.

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from kataribe.films.world.actions import Genre

Item = TypeVar("Item")

G_SECONDS = (1.0, 5.0, 6.0, 7.0, 8.0, 9.0, 11.0, 14.0, 18.0, 23.0, 53.0)  # mean 11.93
N_SECONDS = (5.0, 7.0, 8.0, 9.5, 12.0, 14.0, 18.0, 23.0, 30.0, 43.0, 100.0)  # mean 20.42
CLIPS_PER_N: Mapping[int, int] = {1: 924, 2: 269, 3: 110, 4: 56, 5: 34, 6: 9, 7: 6, 8: 5, 9: 1, 10: 1, 12: 1}
# Characters for each second of a clip.
CHARACTERS_PER_SECOND = (1.1, 2.7, 3.4, 4.0, 4.4, 4.6, 4.8, 5.1, 5.4, 5.8, 11.0)  # mean 4.47
CAST_SIZES = (1.0, 2.1, 4.0, 5.0, 5.0, 6.0, 7.0, 8.0, 10.8, 12.0, 24.0)  # mean 7.01
NAME_LENGTHS: Mapping[int, int] = {2: 284, 3: 272, 4: 44, 5: 20, 6: 12, 7: 7, 8: 1, 9: 1, 11: 2, 13: 2}
GENRES: Mapping[Genre, int] = {
    "comedy": 65,
    "romance": 61,
    "action": 31,
    "crime": 26,
    "mystery": 23,
    "fantasy": 20,
    "costume": 20,
    "family": 12,
    "youth": 11,
    "country": 10,
}
GENRES_PER_FILM: Mapping[int, int] = {1: 48, 2: 96, 3: 46, 4: 6}  # 7 more films name none
# Appendix A of the paper: gaps between dialogues that have narration, and the share of their time that it fills.
GAPS_FILLED, TIME_FILLED = 0.953, 0.929


def from_deciles(deciles: Sequence[float], rng: np.random.Generator) -> float:
    """A value with this distribution: even between two neighbouring deciles, but in the last tenth, where few are long.

    >>> from_deciles((1.0, 1.0), np.random.default_rng(0))
    1.0
    """
    tenth, within = divmod(float(rng.uniform(0, len(deciles) - 1)), 1.0)
    low, high = deciles[int(tenth)], deciles[int(tenth) + 1]
    return low + (high - low) * (within**2 if int(tenth) == len(deciles) - 2 else within)


def from_counts(counts: Mapping[Item, int], rng: np.random.Generator) -> Item:
    """One of the keys, as often as it was counted."""
    weights = np.array(list(counts.values()), dtype=np.float64)
    return list(counts)[int(rng.choice(len(weights), p=weights / weights.sum()))]
