"""Coreference functions for CRITIC: a simple one, and some that are broken."""

from __future__ import annotations

import re

NAMES = ("Maria", "Odysseus", "Ulysses", "Anna", "Tom", "李白龙", "李白")
_MENTION = re.compile("|".join([*NAMES, r"\b[Ss]he\b", r"\b[Hh]e\b", "他"]))

NOT_A_FUNCTION = 7


def names_and_pronouns(text: str) -> list[list[tuple[int, int]]]:
    """A cluster for each name; a pronoun belongs to the name before it."""
    clusters: dict[str, list[tuple[int, int]]] = {}
    last = ""
    for mention in _MENTION.finditer(text):
        last = mention[0] if mention[0] in NAMES else last
        if last:
            clusters.setdefault(last, []).append(mention.span())
    return list(clusters.values())


def one_for_all(text: str) -> list[list[tuple[int, int]]]:
    return [[mention.span() for mention in _MENTION.finditer(text)]]


def versioned(text: str) -> list[list[tuple[int, int]]]:
    return names_and_pronouns(text)


versioned.signature = "model2.1"  # type: ignore[attr-defined]


def failing(text: str) -> list[list[tuple[int, int]]]:
    raise RuntimeError("out of\nmemory")


def shapeless(text: str) -> list[str]:
    return ["Anna"]


def outside(text: str) -> list[list[tuple[int, int]]]:
    return [[(0, 4), (len(text), len(text) + 3)]]
