"""Casts: who plays whom in a film, in billing order, with names, aliases, clothes and genres.

The films of a split share their people, as films share actors; no one plays in two splits, so the casts of the test
films are unseen. Sizes of casts and lengths of names are distributed as in Movie101.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kataribe.core.types import Cast, Role
from kataribe.films.world import chinese_words as zh
from kataribe.films.world import english_words as en
from kataribe.films.world import movie101
from kataribe.films.world.actions import Genre
from kataribe.films.world.bodies import Look, Outfit
from kataribe.films.world.languages import WORDS
from kataribe.films.world.options import SPLITS, Language, Split, WorldOptions, random_stream
from kataribe.films.world.people import Gender, Person, random_people

EXTRAS = 6  # passers-by of a film who have no name
LARGEST_CAST = 24
# A person plays in so many films of a split on average.
FILMS_PER_PERSON = 2.5

TOPS = {
    "red": (200, 48, 48),
    "blue": (48, 88, 186),
    "green": (48, 138, 76),
    "yellow": (226, 188, 52),
    "white": (236, 236, 232),
    "black": (38, 38, 44),
    "purple": (120, 62, 156),
    "orange": (236, 128, 40),
}
_TROUSERS = ((44, 46, 66), (80, 66, 52), (54, 58, 60), (96, 98, 106))


@dataclass(frozen=True)
class Player:
    """A role and the person who plays it, or a passer-by, whose role is None; `wears` names the colour on top."""

    role: Role | None
    person: Person
    look: Look
    wears: str

    @property
    def gender(self) -> Gender:
        return self.person.gender


@dataclass(frozen=True)
class Company:
    """All who are seen in one film."""

    film: str
    title: str
    genres: tuple[Genre, ...]
    players: tuple[Player, ...]
    extras: tuple[Player, ...]

    @property
    def cast(self) -> Cast:
        return Cast(self.film, tuple(player.role for player in self.players if player.role is not None))


def film_id(number: int) -> str:
    return f"w{number:03d}"


@lru_cache(maxsize=8)
def people_of(options: WorldOptions, split: Split) -> tuple[Person, ...]:
    """Everybody who plays in the films of a split."""
    films = sum(options.split_of(film) == split for film in range(options.film_count))
    number = max(LARGEST_CAST + EXTRAS, round(films * 7 / FILMS_PER_PERSON) + EXTRAS)
    return tuple(random_people(number, random_stream(options.seed, "people", SPLITS.index(split))))


def company_of(options: WorldOptions, number: int) -> Company:
    """The cast of a film, drawn from the people of its split."""
    rng = random_stream(options.seed, "cast", number)
    people = people_of(options, options.split_of(number))
    size = max(1, round(movie101.from_deciles(movie101.CAST_SIZES, rng)))
    chosen = [people[index] for index in rng.permutation(len(people))[: size + EXTRAS]]
    names = _Names(options.language, rng)
    # Neighbours in the billing wear different colours.
    colours = [str(colour) for colour in rng.permutation(list(TOPS))]
    dressed = {id(person): colours[number % len(colours)] for number, person in enumerate(chosen)}
    players = tuple(
        _player(person, names.role(person, people.index(person)), dressed[id(person)], rng) for person in chosen[:size]
    )
    return Company(
        film=film_id(number),
        title=_title(options.language, rng),
        genres=_genres(rng),
        players=players,
        extras=tuple(_player(person, None, dressed[id(person)], rng) for person in chosen[size:]),
    )


def _player(person: Person, role: Role | None, wears: str, rng: np.random.Generator) -> Player:
    outfit = Outfit(TOPS[wears], _TROUSERS[int(rng.integers(len(_TROUSERS)))])
    return Player(role, person, Look(person, outfit), wears)


def _genres(rng: np.random.Generator) -> tuple[Genre, ...]:
    wanted = movie101.from_counts(movie101.GENRES_PER_FILM, rng)
    genres: list[Genre] = []
    while len(genres) < wanted:
        genre = movie101.from_counts(movie101.GENRES, rng)
        if genre not in genres:
            genres.append(genre)
    return tuple(genres)


def _title(language: Language, rng: np.random.Generator) -> str:
    words = WORDS[language]
    return words.space.join(part[int(rng.integers(len(part)))] for part in words.titles)


class _Names:
    """Names of one film. No name is part of another's: whoever looks for roles in a text finds the right one."""

    def __init__(self, language: Language, rng: np.random.Generator) -> None:
        self._language, self._rng = language, rng
        self._taken: list[str] = []

    def role(self, person: Person, number: int) -> Role:
        for _ in range(1000):
            name, aliases = self._draw(person.gender)
            wanted = (name, *aliases)
            if not any(one in other or other in one for one in wanted for other in self._taken):
                self._taken += wanted
                return Role(name, aliases, f"actor {number:03d}")
        raise AssertionError("the names have run out")  # there are many more than a cast has roles

    def _draw(self, gender: Gender) -> tuple[str, tuple[str, ...]]:
        length = movie101.from_counts(movie101.NAME_LENGTHS, self._rng)
        has_alias = self._rng.random() < 0.3
        return (
            self._chinese(gender, length, has_alias)
            if self._language == "zh"
            else self._english(gender, length, has_alias)
        )

    def _chinese(self, gender: Gender, length: int, has_alias: bool) -> tuple[str, tuple[str, ...]]:
        surname, given = self._one(zh.SURNAMES), "".join(self._one(zh.GIVEN[gender]) for _ in range(2))
        if length == 2:
            return surname + given[0], (self._one(zh.NICKNAMES[gender]) + given[0],) if has_alias else ()
        if length == 3:
            return surname + given, (given,) if has_alias else ()
        if length == 4:
            return self._one(zh.DOUBLE_SURNAMES) + given, (given,) if has_alias else ()
        callings = [calling for calling in zh.CALLINGS[gender] if len(calling) == length]
        return self._one(callings or zh.CALLINGS[gender]), ()

    def _english(self, gender: Gender, length: int, has_alias: bool) -> tuple[str, tuple[str, ...]]:
        """Words stand for characters: two are one word here, three are two words, longer names have a calling."""
        first, last = self._one(en.FIRST[gender]), self._one(en.LAST)
        if length == 2:
            return first, ()
        if length == 3:
            return f"{first} {last}", (first,) if has_alias else ()
        return f"{self._one(en.CALLINGS[gender])} {first} {last}", (first,) if has_alias else ()

    def _one(self, choices: str | list[str] | tuple[str, ...]) -> str:
        return choices[int(self._rng.integers(len(choices)))]
