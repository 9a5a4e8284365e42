"""What can be done to a film's narration without making it any better. Each attack: lines in, lines out.

The lines are those of one film, in time order. Where nobody is in the cast, attacks on names leave them as they are.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kataribe.core.types import Cast, Segment
from kataribe.films.names import Names
from kataribe.narration.degraded import DegradeOptions, exchange_names, joined
from kataribe.narration.word_kinds import names_apart
from kataribe.text.scripts import is_mostly_unspaced

Attack = Callable[[Sequence[str], Cast], list[str]]


def whole_cast(lines: Sequence[str], cast: Cast) -> list[str]:
    """Every line followed by the names of everybody in the film.

    >>> from kataribe.core.types import Role
    >>> whole_cast(["She waits."], Cast("f", (Role("Maria"), Role("Odysseus"))))
    ['She waits. Maria, Odysseus']
    """
    return [_join(line, _list(cast.names)) for line in lines]


def first_billed(lines: Sequence[str], cast: Cast) -> list[str]:
    """Every name becomes that of the first-billed role, and a line without names is given it."""
    if not cast.roles:
        return list(lines)
    names = Names.of_cast(cast)
    always = dict.fromkeys(cast.names, cast.first_billed)
    return [_renamed(line, names, always) if names.in_text(line) else _join(cast.first_billed, line) for line in lines]


def no_names(lines: Sequence[str], cast: Cast) -> list[str]:
    """Every name is taken out.

    >>> from kataribe.core.types import Role
    >>> no_names(["Here Maria waits."], Cast("f", (Role("Maria"),)))
    ['Here waits.']
    """
    names = Names.of_cast(cast)
    return [_renamed(line, names, {}) for line in lines]


def swapped_roles(lines: Sequence[str], cast: Cast) -> list[str]:
    """Everybody does what the role billed before them does; a cast of one cannot be swapped.

    >>> from kataribe.core.types import Role
    >>> swapped_roles(["Maria waits for Ulysses."], Cast("f", (Role("Maria"), Role("Odysseus", ("Ulysses",)))))
    ['Odysseus waits for Maria.']
    """
    names = Names.of_cast(cast)
    others = dict(zip(cast.names, [*cast.names[1:], *cast.names[:1]], strict=True))
    return [_renamed(line, names, others) for line in lines]


def previous_line(lines: Sequence[str], cast: Cast) -> list[str]:
    """Every line comes one gap too late; the last one begins the film, so that none is lost."""
    return [*lines[-1:], *lines[:-1]]


def said_twice(lines: Sequence[str], cast: Cast) -> list[str]:
    return [_join(line, line) for line in lines]


def with_neighbours(lines: Sequence[str], cast: Cast) -> list[str]:
    """Every line between the one before and the one after it."""
    around = [*lines[:1], *lines, *lines[-1:]]
    return [_join(*around[at : at + 3]) for at in range(len(lines))]


ATTACKS: Mapping[str, Attack] = {
    "whole cast": whole_cast,
    "first billed": first_billed,
    "no names": no_names,
    "swapped roles": swapped_roles,
    "previous line": previous_line,
    "said twice": said_twice,
    "with neighbours": with_neighbours,
}

# Attacks that draw at random, from the words of all lines together: what `kataribe degrade narration` does.
DEGRADED: Mapping[str, DegradeOptions] = {
    "other names": DegradeOptions(names="replace"),
    "other words": DegradeOptions(words="nouns,verbs"),
}

# Attacks that leave every line with its clip and change when it is told: seen only by who reads the film as a whole.
SHUFFLED = "shuffled clips"


def shuffled_times(film: str, times: Sequence[Segment], seed: int) -> list[Segment]:
    """When the clips of a film, given in the order of time, are told instead: in any order, drawn for the film.

    >>> shuffled_times("f", [Segment(0, 4), Segment(5, 8), Segment(9, 12)], seed=1)
    [Segment(start=9, end=12), Segment(start=5, end=8), Segment(start=0, end=4)]
    """
    drawn = np.random.default_rng([seed, zlib.crc32(film.encode("utf-8", "surrogatepass"))])
    return [times[place] for place in drawn.permutation(len(times)).tolist()]


def _renamed(text: str, names: Names, others: Mapping[str, str]) -> str:
    """The text with each name replaced by what `others` has for its role; names of others are taken out."""
    return joined(exchange_names(names_apart(text, names), others))


def _join(*texts: str) -> str:
    return ("" if is_mostly_unspaced(texts) else " ").join(text for text in texts if text)


def _list(names: Sequence[str]) -> str:
    return ("、" if is_mostly_unspaced(names) else ", ").join(names)
