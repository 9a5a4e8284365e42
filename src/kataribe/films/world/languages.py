"""The words of a language, and how a sentence of narration is put together from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.films.world import chinese_words, english_words
from kataribe.films.world import options as world_options
from kataribe.films.world.people import Gender


@dataclass(frozen=True)
class Words:
    """Tables of one language; every action and place has several wordings."""

    actions: Mapping[str, Sequence[str]]
    places: Mapping[str, Sequence[str]]
    manners: Sequence[Sequence[str]]
    witnesses: Sequence[str]
    witnesses_two: Sequence[str]
    then: Sequence[str]
    strangers: Mapping[str, Sequence[str]]
    pronouns: Mapping[str, str]
    wears: str
    colours: Mapping[str, str]
    genres: Mapping[str, str]
    titles: Sequence[Sequence[str]]
    the_end: str
    lines: Sequence[str]
    named_lines: Sequence[str]
    # Between words and after parts of a sentence; what ends it.
    space: str
    comma: str
    stop: str
    # Characters that are spoken in a second, and the most that one clip of narration may have.
    rate: float
    most: int
    # What the synthesiser calls the language.
    voice: str


WORDS: dict[world_options.Language, Words] = {
    "zh": Words(
        **{
            name: getattr(chinese_words, name.upper())
            for name in (
                *("actions", "places", "manners", "witnesses", "witnesses_two", "then", "strangers", "pronouns"),
                *("wears", "colours", "genres", "titles", "the_end", "lines", "named_lines"),
            )
        },
        space="",
        comma="，",
        stop="。",
        rate=4.6,
        most=100,
        voice="cmn",
    ),
    "en": Words(
        **{
            name: getattr(english_words, name.upper())
            for name in (
                *("actions", "places", "manners", "witnesses", "witnesses_two", "then", "strangers", "pronouns"),
                *("wears", "colours", "genres", "titles", "the_end", "lines", "named_lines"),
            )
        },
        space=" ",
        comma=",",
        stop=".",
        rate=14.0,
        most=300,
        voice="en",
    ),
}


@dataclass(frozen=True)
class Told:
    """What a clause says: who does what; the rest is said where there is time for it.

    `tempo` is 0 (slow), 1 or 2 (quick); `seen` are names of those who look on.
    """

    subject: str
    action: str
    target: str | None
    tempo: int
    place: str | None
    is_first: bool
    seen: tuple[str, ...] = ()


def clause(words: Words, told: Told, wish: int, rng: np.random.Generator) -> tuple[str, ...]:
    """The parts of a clause, of about `wish` characters: the sentence itself and, where there is time, who looks on.

    Parts of a sentence are told one after the other, as a recogniser of speech would hand them out.
    """
    variants = [_variant(words, told, shape, rng) for shape in range(8)]
    return min(variants, key=lambda parts: abs(sum(map(len, parts)) - wish))


def _variant(words: Words, told: Told, shape: int, rng: np.random.Generator) -> tuple[str, ...]:
    verb = _one(words.actions[told.action], rng).format(b=told.target)
    # A verb that comes with an adverb of its own takes no second one.
    manner = _one(words.manners[told.tempo], rng) if shape & 1 and "地" not in verb else ""
    place = _one(words.places[told.place], rng) if told.place else ""
    then = _one(words.then, rng) if not told.is_first and shape & 4 else ""
    main = (
        _chinese(then, place, told.subject, manner, verb)
        if not words.space
        else _english(then, place, told.subject, manner, verb)
    )
    if not told.seen or not shape & 2:
        return (main,)
    if len(told.seen) > 1:
        witness = _one(words.witnesses_two, rng).format(c=told.seen[0], d=told.seen[1])
    else:
        witness = _one(words.witnesses, rng).format(c=told.seen[0])
    return main, witness


def _chinese(then: str, place: str, subject: str, manner: str, verb: str) -> str:
    # "Then" and a place side by side would want a comma each.
    opening = f"{place}，" if place else then
    return f"{opening}{subject}{manner}{verb}"


def _english(then: str, place: str, subject: str, manner: str, verb: str) -> str:
    opening = f"{place}," if place else f"{then}," if then else ""
    return " ".join(filter(None, [opening, subject, verb, manner]))


def _one(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


def sentence(words: Words, parts: Sequence[str]) -> list[str]:
    """Parts as they stand in the text: with commas between them, a capital first and a full stop at the end.

    >>> sentence(WORDS["en"], ["in the park, Clara sings a song", "while Hugo looks on"])
    ['In the park, Clara sings a song,', 'while Hugo looks on.']
    """
    marked = [part + words.comma for part in parts[:-1]] + [parts[-1] + words.stop]
    return [marked[0][:1].upper() + marked[0][1:], *marked[1:]]


def subject_of(words: Words, gender: Gender, rng: np.random.Generator) -> str:
    """Somebody whose name nobody knows."""
    return _one(words.strangers[gender], rng)
