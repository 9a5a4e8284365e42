"""How much of a world to make, in which language, and with which sound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kataribe.core.options import Options, RunOptions, option, same_as

WorldSize = Literal["smoke", "small", "train"]
Language = Literal["zh", "en"]
Sound = Literal["narrated", "dialogue", "silent"]
Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = ("train", "val", "test")

FILMS: dict[WorldSize, int] = {"smoke": 3, "small": 8, "train": 48}
# Gaps between dialogues in one film.
GAPS: dict[WorldSize, int] = {"smoke": 2, "small": 8, "train": 14}
# The longest clip in seconds, and the most clips in a gap: a smoke test has no time for the long ones.
LONGEST: dict[WorldSize, tuple[float, int]] = {"smoke": (9.0, 2), "small": (60.0, 12), "train": (60.0, 12)}


@dataclass(frozen=True)
class WorldOptions(Options):
    """Everything that the films depend on; the number of processes is no part of it."""

    size: WorldSize = option(
        "small", "smoke: 3 films of about 1 minute, small: 8 of 4 minutes, train: 48 of 7 minutes.", noun="size"
    )
    language: Language = option("zh", "Chinese (zh) or English (en).", noun="language")
    seed: int = same_as(RunOptions, "seed")
    films: int | None = option(
        None,
        "How many films; default: as the size says.",
        minimum=3,
        hint="each of the three splits has one",
        metavar="N",
    )
    sound: Sound = option(
        "narrated",
        "narrated: actors and a narrator speak; dialogue: only actors; silent: nobody (needs no espeak-ng).",
        noun="sound",
    )

    @property
    def film_count(self) -> int:
        return self.films or FILMS[self.size]

    @property
    def gap_count(self) -> int:
        return GAPS[self.size]

    @property
    def longest_clip(self) -> float:
        return LONGEST[self.size][0]

    @property
    def most_clips(self) -> int:
        return LONGEST[self.size][1]

    def split_of(self, film: int) -> Split:
        """The last tenth of the films, one at least, is for testing, the tenth before for validation.

        >>> [WorldOptions("smoke").split_of(film) for film in range(3)]
        ['train', 'val', 'test']
        """
        held_out = max(1, self.film_count // 10)
        if film >= self.film_count - held_out:
            return "test"
        return "val" if film >= self.film_count - 2 * held_out else "train"


Stream = Literal["people", "cast", "plot", "words", "pixels", "sound"]
_STREAMS: dict[Stream, int] = {"people": 0, "cast": 1, "plot": 2, "words": 3, "pixels": 4, "sound": 5}


def random_stream(seed: int, stream: Stream, number: int = 0) -> np.random.Generator:
    """Random numbers of a film for one purpose: more draws for one leave the others as they are."""
    return np.random.default_rng([seed, _STREAMS[stream], number])
