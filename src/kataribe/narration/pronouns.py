"""Pronouns that stand for one person: he and she, in English, Chinese and Japanese.

A line opens with one if no name stands before it in the line: then only what was told before says who is meant. Plural
ones (they, 他们, 彼ら) and words that only look like them (吉他, a guitar; 其他, others) are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.films.names import Names

SIGNATURE = "en+zh+ja"

_PRONOUN = re.compile(
    r"\b(?:he|she|him|her|his|hers|himself|herself)\b"
    r"|(?<![吉其利])[他她](?![们人乡])"
    r"|彼女?(?![女らた達等岸方])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ReadLine:
    """Whom a line names, in order, each role once for each time, and whether it opens with a pronoun."""

    roles: tuple[str, ...]
    opens_with_pronoun: bool


def read_line(text: str, names: Names) -> ReadLine:
    """
    >>> from kataribe.core.types import Cast, Role
    >>> names = Names.of_cast(Cast("f", (Role("Anna"), Role("老李"))))
    >>> read_line("She waits. Anna, his wife, waits.", names)
    ReadLine(roles=('Anna',), opens_with_pronoun=True)
    >>> read_line("老李抱着吉他，他笑了。", names).opens_with_pronoun
    False
    """
    mentions = list(names.mentions(text))
    pronoun = _PRONOUN.search(text)
    opens = pronoun is not None and (not mentions or pronoun.start() < mentions[0].start)
    return ReadLine(tuple(mention.role for mention in mentions), opens)


def who_is_meant(lines: Sequence[ReadLine]) -> list[tuple[str, ...]]:
    """Whom each line of a film, in order, is about: whoever it names, and whoever an opening pronoun stands for.

    That is taken to be the last one who was named before.

    >>> who_is_meant([ReadLine(("Anna",), False), ReadLine(("Tom",), True), ReadLine((), False)])
    [('Anna',), ('Anna', 'Tom'), ()]
    """
    meant: list[tuple[str, ...]] = []
    last: tuple[str, ...] = ()
    for line in lines:
        meant.append(tuple(dict.fromkeys((*(last if line.opens_with_pronoun else ()), *line.roles))))
        last = line.roles[-1:] or last
    return meant
