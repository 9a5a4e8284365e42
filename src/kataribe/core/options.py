"""Options are declared once, as fields of a frozen dataclass: default, help and what may be chosen.

Python takes them as keywords, the command line builds its flags from them, and both are checked here.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar

from kataribe.core.engine import Engine
from kataribe.core.errors import UsageError, nearest, shorten
from kataribe.core.progress import Progress

Protocol = Literal["official", "paper"]

_KINDS: Mapping[type, tuple[type, str]] = {
    bool: (bool, "True or False"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "a text"),
}


def option(
    default: Any,
    help: str,
    *,
    noun: str = "choice",
    minimum: int | None = None,
    hint: str = "",
    metavar: str | None = None,
    many: bool = False,
) -> Any:
    """A field that is an option of the command line too.

    `noun` is what its choices are called, `hint` helps whoever goes below the `minimum`, and with `many` the flag may
    be repeated.
    """
    words = {"help": help, "noun": noun, "minimum": minimum, "hint": hint, "metavar": metavar, "many": many}
    return field(default=default, metadata=words)


def same_as(options: type[Options], name: str, **changes: Any) -> Any:
    """An option that means the same as another class's: declared there, with the same default and help."""
    (declared,) = (each for each in fields(options) if each.name == name)
    return field(default=declared.default, metadata={**declared.metadata, **changes})


@dataclass(frozen=True)
class Option:
    """One declared option.

    `type` is what the command line reads it as: str, int, float, bool or Path. In Python an option that is read as a
    path may be given otherwise too; `is_checked` says whether nothing but `type` will do.
    """

    name: str
    default: Any
    type: type
    is_checked: bool
    choices: tuple[str, ...]
    help: str
    noun: str
    minimum: int | None
    hint: str
    metavar: str | None
    many: bool

    def check(self, value: Any) -> None:
        if value is None and self.default is None:
            return
        if self.choices:
            unknown = [each for each in (value if self.many else [value]) if each not in self.choices]
            if unknown:
                listed = f"there {'are' if len(self.choices) > 1 else 'is'}: {', '.join(self.choices)}"
                raise self._refusal(f"no {self.noun} is called {shorten(unknown[0])!r}", listed)
        elif self.is_checked:
            kind, words = _KINDS[self.type]
            if not isinstance(value, kind):
                raise self._refusal(f"{shorten(value)!r} is not {words}")
        if self.minimum is not None and value < self.minimum:
            problem = "cannot be negative" if self.minimum == 0 else f"must be at least {self.minimum}"
            raise UsageError(f"<{self.name} {value}>: {problem}", hint=self.hint, options=[self.name])

    def _refusal(self, problem: str, hint: str = "") -> UsageError:
        return UsageError(f"<{self.name}>: {problem}", hint=hint, options=[self.name])


def declared(options: type[Options]) -> tuple[Option, ...]:
    """The options of a class, in the order of its fields."""
    hints = typing.get_type_hints(options)
    found = []
    for each in fields(options):
        if each.metadata:
            kinds, choices = _kinds(hints[each.name])
            is_basic = len(kinds) == 1 and kinds[0] in _KINDS
            found.append(
                Option(
                    name=each.name,
                    default=each.default,
                    type=kinds[0] if is_basic else Path,
                    is_checked=is_basic and not each.metadata["many"],
                    choices=choices,
                    **each.metadata,
                )
            )
    return tuple(found)


def _kinds(hint: Any) -> tuple[list[Any], tuple[str, ...]]:
    """The types that an option may have, None aside, and its choices where these are a closed list."""
    parts = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, UnionType) else (hint,)
    parts = tuple(part for part in parts if part is not type(None))
    if len(parts) == 1 and typing.get_origin(parts[0]) is tuple:
        parts = typing.get_args(parts[0])[:1]
    if all(typing.get_origin(part) is Literal for part in parts):
        return [str], tuple(choice for part in parts for choice in typing.get_args(part))
    return list(parts), ()


@dataclass(frozen=True)
class Options:
    """Base of all declared options; what cannot be meant is refused when they are made."""

    def __post_init__(self) -> None:
        for each in declared(type(self)):
            each.check(getattr(self, each.name))


O = TypeVar("O", bound=Options)  # noqa: E741


def make(options: type[O], given: Mapping[str, Any], owner: str, also: Iterable[str] = ()) -> O:
    """Options from keywords; an unknown name is refused with those that `owner` has, `also` being others' names."""
    known = {each.name for each in fields(options)}
    for name in given:
        if name not in known:
            raise UsageError(f"{owner} has no option {shorten(name)!r}", hint=nearest(name, {*known, *also}))
    return options(**given)


@dataclass(frozen=True)
class RunOptions(Options):
    """How an evaluation is run, whatever is evaluated. Without an engine, the calling thread computes."""

    engine: Engine | None = None
    bootstrap: int = option(
        0, "Replicates for a 95% interval; 0: none.", minimum=0, hint="1000 is usual, 0 switches it off"
    )
    seed: int = option(0, "Seed of everything random.", minimum=0, hint="any whole number from 0 on will do")
    details: bool = False
    progress: Progress | None = None


@dataclass(frozen=True)
class TaskOptions(Options):
    """What every task has."""

    protocol: Protocol = option(
        "official", "official: as the published tool prints it; paper: as the paper defines it.", noun="protocol"
    )
