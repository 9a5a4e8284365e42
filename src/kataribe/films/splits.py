"""Splits by film with well mixed genres, by a rule that anybody can repeat.

Movie101 holds out 10 films each for validation and test, chosen by hand so that many genres are in both. Here: of
1,000 seeded random draws the one is taken whose held-out parts resemble the whole most. A part's distance from the
whole is the sum over genres of the difference between the share of its films that have the genre and the share of all
films that have it; the draw with the smallest sum of both distances wins, the first of equals. The rule looks at
film ids in alphabetical order, so the order of the input does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kataribe.core.errors import Location, UsageError, counted, shorten, some
from kataribe.core.types import Floats, Int64s
from kataribe.formats.source import check_id, read_json

DRAWS = 1000
PARTS = ("train", "val", "test")

Split = Mapping[str, Sequence[str]]


def usual_size(films: int) -> int:
    """A tenth of the films, but one at least as soon as something is left to train on.

    >>> [usual_size(films) for films in (1, 2, 3, 20, 101)]
    [0, 0, 1, 2, 10]
    """
    return max(1, round(films / 10)) if films >= len(PARTS) else 0


def split_films(
    genres: Mapping[str, Sequence[str]], val: int | None = None, test: int | None = None, seed: int = 0
) -> dict[str, list[str]]:
    """The films of each part, by the genres of each film.

    >>> films = {f"f{number}": ["drama" if number % 2 else "comedy"] for number in range(8)}
    >>> {name: len(part) for name, part in split_films(films, val=2, test=2).items()}
    {'train': 4, 'val': 2, 'test': 2}
    >>> sorted(films[film][0] for film in split_films(films, val=2, test=2)["test"])
    ['comedy', 'drama']
    """
    films = sorted(genres)
    held = [usual_size(len(films)) if size is None else size for size in (val, test)]
    together = sum(held)
    if 0 < together >= len(films):
        raise UsageError(
            f"<val> and <test> hold out {counted(together, 'film')} of {len(films)}",
            hint="leave one to train on",
            options=["val", "test"],
        )
    kinds = sorted({genre for film in films for genre in genres[film]})
    has = np.array([[genre in genres[film] for genre in kinds] for film in films], dtype=float).reshape(len(films), -1)
    rng = np.random.default_rng(seed)
    draws = [rng.permutation(len(films)) for _ in range(DRAWS)]
    order = draws[int(np.argmin([_distance(has, draw, held) for draw in draws]))]
    ends = np.cumsum(held)
    parts = {"train": order[ends[1] :], "val": order[: ends[0]], "test": order[ends[0] : ends[1]]}
    return {name: sorted(films[row] for row in rows) for name, rows in parts.items()}


def read_split(path: Path) -> dict[str, list[str]]:
    """A split that somebody made: {"train": [...], "val": [...], "test": [...]}; no film is in two parts."""
    data = read_json(path)
    location = Location(path)
    if not isinstance(data, dict) or not all(isinstance(members, list) for members in data.values()):
        raise location.error("is no split", hint='write {"train": ["film", ...], "val": [...], "test": [...]}')
    part_of: dict[str, str] = {}
    for part, members in data.items():
        if not part.isidentifier():  # it names files
            raise location.error(f"a part is called {shorten(part)!r}", hint="use letters, digits and _")
        for film in (check_id(member, location.within(part)) for member in members):
            if part_of.setdefault(film, part) != part:
                raise location.at(id=film).error(f"is in {part_of[film]} and in {part}", hint="keep one")
    return {part: [film for film, its_part in part_of.items() if its_part == part] for part in data}


def only(split: Split, films: Sequence[str], path: Path) -> dict[str, list[str]]:
    """The parts of these films, each of which has one."""
    known = {film for members in split.values() for film in members}
    missing = [film for film in films if film not in known]
    if missing:
        problem = f"has no part for {counted(len(missing), 'film')}: {some(missing)}"
        raise Location(path).error(problem, hint="add them")
    return {part: [film for film in members if film in set(films)] for part, members in split.items()}


def _distance(has: Floats, draw: Int64s, held: Sequence[int]) -> float:
    whole, total, start = has.mean(axis=0), 0.0, 0
    for size in held:
        if size:
            total += float(np.abs(has[draw[start : start + size]].mean(axis=0) - whole).sum())
        start += size
    return round(total, 9)  # equal draws stay equal whatever the order of the sums
