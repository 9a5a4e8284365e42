"""Which Japanese words mean the same: nothing, the groups in Sudachi's dictionary, or a table of the user's.

A table is UTF-8 text, one set of words on each line, separated by tabs; empty lines and lines that start with # are
skipped. Words are compared in Sudachi's normalised spelling, so ソファ in a table also stands for ソファー.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError
from kataribe.core.need import need
from kataribe.core.signature import fingerprint
from kataribe.formats.source import open_text


@dataclass(frozen=True)
class Synonyms:
    """`groups` names the sets a word belongs to; two words that share one mean the same."""

    signature: str
    groups: Callable[[str], Collection[int]]

    def among(self, words: Iterable[str]) -> Mapping[str, frozenset[str]]:
        """For each of some words those of them that mean the same, itself included.

        A predicate keeps its voice: 置く+れる means the same as 載せる+れる where 置く does as 載せる.

        >>> table = Synonyms("example", {"犬": [0], "わんこ": [0]}.get)
        >>> sorted(table.among(["犬", "わんこ"])["犬"])
        ['わんこ', '犬']
        """
        members: dict[tuple[int, str], set[str]] = defaultdict(set)
        groups_of: dict[str, list[tuple[int, str]]] = {}
        for word in words:
            base, _, voice = word.partition("+")
            groups_of[word] = [(group, voice) for group in self.groups(base) or ()]
            for group in groups_of[word]:
                members[group].add(word)
        return {
            word: frozenset({word}.union(*(members[group] for group in groups))) for word, groups in groups_of.items()
        }


def open_synonyms(name: str) -> Synonyms:
    if name == "none":
        return Synonyms("none", lambda word: ())
    if name == "sudachi":
        return Synonyms(f"sudachi-core{version('sudachidict_core')}", _sudachi_groups)
    if not Path(name).exists():
        raise InputError("there is no such file", file=name, hint="synonyms are none, sudachi or a table file")
    return _read_table(Path(name))


def _read_table(path: Path) -> Synonyms:
    groups: dict[str, list[int]] = defaultdict(list)
    sets = []
    with open_text(path) as text:
        for number, line in enumerate(text, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            words = [word.strip() for word in line.split("\t") if word.strip()]
            if len(words) < 2:
                raise InputError(
                    f"line {number} has one word, a set has two or more",
                    file=path,
                    hint="separate the words of a set by tabs; or name one of: none, sudachi",
                )
            sets.append("\t".join(words))
            for word in words:
                groups[normalise(word)].append(number)
    return Synonyms(f"{path.name}-{fingerprint(sets)}", lambda word: groups.get(word, ()))


@cache
def _sudachi() -> Any:
    sudachipy = need("sudachipy", extra="ja", purpose="comparing Japanese words")
    return sudachipy.Dictionary(dict="core").create(mode=sudachipy.SplitMode.C)


def normalise(word: str) -> str:
    """
    >>> normalise("ソファ"), normalise("いぬ")
    ('ソファー', '犬')
    """
    return "".join(morpheme.normalized_form() for morpheme in _sudachi().tokenize(word))


@cache
def _sudachi_groups(word: str) -> tuple[int, ...]:
    morphemes = list(_sudachi().tokenize(word))
    return tuple(morphemes[0].synonym_group_ids()) if len(morphemes) == 1 else ()
