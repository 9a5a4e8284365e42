"""Which roles does a text name? By longest match or, as the published scorer does it, by substring."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kataribe.core.types import Cast
from kataribe.text.scripts import UNSPACED

# A letter of a script that puts spaces between words; beside one of these a name is part of a longer word.
_LETTER = f"[^\\W_{UNSPACED}]"


class Mention(NamedTuple):
    """Where a text names a role."""

    start: int
    end: int
    role: str


@dataclass(frozen=True)
class Names:
    """Names, each with the role it stands for.

    >>> from kataribe.core.types import Role
    >>> names = Names.of_cast(Cast("f", (Role("Sam"), Role("Sam the Elder", ("Gramps",)))))
    >>> names.in_text("The same morning, Sam the Elder sleeps. Gramps snores.")
    frozenset({'Sam the Elder'})
    >>> sorted(names.in_text("The same morning, Sam the Elder sleeps.", substring=True))
    ['Sam', 'Sam the Elder']
    """

    role_of: Mapping[str, str]

    @classmethod
    def of_cast(cls, cast: Cast, aliases: bool = True) -> Names:
        return cls({name: role.name for role in cast.roles for name in (role.names if aliases else (role.name,))})

    @classmethod
    def of_all(cls, casts: Iterable[Cast], aliases: bool = True) -> Names:
        """Of all films together. Two films' roles of one name are one, as nothing in a text tells them apart."""
        together: dict[str, str] = {}
        for cast in casts:
            together |= cls.of_cast(cast, aliases).role_of
        return cls(together)

    def without(self, banned: Iterable[str]) -> Names:
        banned = frozenset(banned)
        return Names({name: role for name, role in self.role_of.items() if name not in banned})

    def in_text(self, text: str, *, substring: bool = False) -> frozenset[str]:
        if substring:
            possible = (name for letter in set(text) for name in self._by_letter.get(letter, ()))
            return frozenset(self.role_of[name] for name in possible if name in text)
        return frozenset(mention.role for mention in self.mentions(text))

    def mentions(self, text: str) -> Iterator[Mention]:
        """Longest matches from left to right; a name inside another word or a longer name is none."""
        if self.role_of:
            for match in self._pattern.finditer(text):
                yield Mention(match.start(), match.end(), self._spellings[match[0]])

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        """Names by their first letter: a text has fewer letters than a corpus has names."""
        names: dict[str, list[str]] = {}
        for name in self.role_of:
            names.setdefault(name[0], []).append(name)
        return names

    @cached_property
    def _spellings(self) -> dict[str, str]:
        """`the conductor` is `The conductor` where a sentence begins; `Will` is never `will`."""
        return {name[0].upper() + name[1:]: role for name, role in self.role_of.items()} | dict(self.role_of)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self._spellings, key=len, reverse=True)
        return re.compile("|".join(map(_whole, longest_first)))


def _whole(name: str) -> str:
    """A pattern for a name that does not begin or end within a word, where its script has spaces between words."""
    before = f"(?<!{_LETTER})" if re.match(_LETTER, name) else ""
    after = f"(?!{_LETTER})" if re.search(f"{_LETTER}$", name) else ""
    return before + re.escape(name) + after


def nested_names(cast: Cast) -> list[tuple[str, str]]:
    """Names that are part of the name of another role, each with the longer one.

    The longest match decides which is meant; whoever reads a cast should know where it has to.

    >>> from kataribe.core.types import Role
    >>> nested_names(Cast("f", (Role("Sam"), Role("Sam the Elder"), Role("Samuel"))))
    [('Sam', 'Sam the Elder')]
    """
    role_of = Names.of_cast(cast).role_of
    return [
        (name, other)
        for name, role in role_of.items()
        for other, other_role in role_of.items()
        if role != other_role and name != other and re.search(_whole(name), other)
    ]
