"""What a STUDY.toml may say: every field, its type and its default."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kataribe.core.errors import InputError, nearest
from kataribe.formats.source import open_text

Language = Literal["en", "ja", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "ja", "zh")

# As many as have a digit for a key.
MOST_LABELS = 9

# One text for all raters, or one for each language.
Words = str | dict[Language, str]
Count = Annotated[int, Meta(ge=1)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]


class Label(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the classes that a text may be in; raters read `text`, or the name where there is none."""

    name: Name
    text: Words = ""


class Dimension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing to judge by; `low` and `high` say what the ends of a rating scale mean, `labels` what can be chosen."""

    name: Name
    question: Words = ""
    low: Words = ""
    high: Words = ""
    labels: list[Label] = []


class Checks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Planted tasks with an obvious answer: `count` texts of other items, or the wrong texts of a `file`."""

    count: Annotated[int, Meta(ge=0)] = 0
    file: str = ""
    dimension: str = ""
    at_most: Count = 2


class StudySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study, as its file describes it. Paths are relative to the file."""

    title: Words
    kind: Literal["pairs", "ranking", "rating", "labels"]
    texts: Literal["captions", "stories"]
    systems: dict[Name, str]
    dimensions: Annotated[list[Dimension], Meta(min_length=1)]
    instructions: Words = ""
    thanks: Words = ""
    language: Literal["", "en", "ja", "zh"] = ""
    text_language: Annotated[str, Meta(pattern="^[A-Za-z-]{0,20}$")] = ""
    seed: int = 0
    references: str = ""
    show_references: bool = False
    media: str = ""
    clips: str = ""
    context: str = ""
    items: Annotated[list[str], Meta(min_length=1)] | None = None
    sample: Count | None = None
    pairs: Annotated[list[tuple[str, str]], Meta(min_length=1)] | None = None
    equal: bool = True
    together: bool = False
    scale: Annotated[int, Meta(ge=2, le=10)] = 5
    tasks_per_rater: Count | None = None
    checks: Checks = Checks()
    database: str = "answers.sqlite"


def read_settings(path: Path) -> StudySettings:
    """The file, or one line that names the field that is wrong."""
    with open_text(path) as text:
        content = text.read()
    try:
        settings = msgspec.convert(tomllib.loads(content), StudySettings)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML ({error})", file=path, hint="see docs/judge.md for a whole example") from None
    except msgspec.ValidationError as error:
        raise _explained(error, path) from None
    _check(settings, path)
    return settings


def _explained(error: msgspec.ValidationError, path: Path) -> InputError:
    """`Expected int - at $.seed` as an error with file, field and hint."""
    what, _, location = str(error).partition(" - at ")
    unknown = re.search(r"unknown field `(.+?)`", what)
    if unknown:
        owner = next((kind for kind in (Label, Dimension, Checks) if kind.__name__.lower() in location), StudySettings)
        return InputError(
            "there is no such field", file=path, field=unknown[1], hint=nearest(unknown[1], owner.__struct_fields__)
        )
    missing = re.search(r"missing required field `(.+?)`", what)
    if missing:
        return InputError("is missing", file=path, field=missing[1], hint="every study needs it; see docs/judge.md")
    return InputError(what[:1].lower() + what[1:], file=path, field=location.strip("`").removeprefix("$.") or None)


def _check_labels(settings: StudySettings, refuse: Callable[..., None]) -> None:
    """Labels are what a classification chooses from, and nothing else has any."""
    for dimension in settings.dimensions:
        names = [label.name for label in dimension.labels]
        if settings.kind != "labels" and names:
            refuse("dimensions.labels", f'belong to kind = "labels", this study is a {settings.kind}')
        if settings.kind == "labels" and not 2 <= len(names) <= MOST_LABELS:
            refuse("dimensions.labels", f"{dimension.name!r} has {len(names)} labels", f"give 2 to {MOST_LABELS}")
        if len(set(names)) < len(names):
            refuse("dimensions.labels", f"two of {dimension.name!r} have the same name", "rename one")
    if settings.kind == "labels" and (settings.checks.count or settings.checks.file):
        refuse("checks", "no label is obviously wrong for a text of another item", "leave checks out")


def _check(settings: StudySettings, path: Path) -> None:
    """What types cannot say."""

    def refuse(field: str, message: str, hint: str = "") -> None:
        raise InputError(message, file=path, field=field, hint=hint)

    names = [dimension.name for dimension in settings.dimensions]
    if len(set(names)) < len(names):
        refuse("dimensions", "two have the same name", "rename one")
    _check_labels(settings, refuse)
    fewest = 1 if settings.kind in ("rating", "labels") else 2
    if len(settings.systems) < fewest:
        refuse("systems", f"{settings.kind} compare at least {fewest} systems, here are {len(settings.systems)}")
    if len(settings.systems) > 26:
        refuse("systems", f"{len(settings.systems)} systems are more than the 26 that letters can name")
    for pair in settings.pairs or ():
        for name in pair:
            if name not in settings.systems:
                refuse("pairs", f"no system is called {name!r}", nearest(name, settings.systems))
        if pair[0] == pair[1]:
            refuse("pairs", f"{pair[0]!r} is paired with itself")
    if len({frozenset(pair) for pair in settings.pairs or ()}) < len(settings.pairs or ()):
        refuse("pairs", "the same two systems are paired twice", "each pair is shown in random order anyway")
    if settings.pairs and settings.kind != "pairs":
        refuse("pairs", f'belongs to kind = "pairs", this study is a {settings.kind}')
    if not settings.equal and settings.kind != "pairs":
        refuse("equal", f'belongs to kind = "pairs", this study is a {settings.kind}')
    if settings.items and settings.sample:
        refuse("sample", "is given beside items", "name the items or draw them, not both")
    if settings.clips and not settings.media:
        refuse("clips", "needs media, the folder of the files it names")
    if settings.show_references and not settings.references:
        refuse("show_references", "there are no references to show", 'add references = "FILE"')
    if settings.checks.count and settings.checks.file:
        refuse("checks", "has both count and file", "draw the wrong texts or write them, not both")
    if settings.checks.dimension and settings.checks.dimension not in names:
        refuse(
            "checks.dimension",
            f"no dimension is called {settings.checks.dimension!r}",
            nearest(settings.checks.dimension, names),
        )
    if settings.checks.at_most >= settings.scale:
        refuse("checks.at_most", f"is {settings.checks.at_most}, which a scale to {settings.scale} can never fail")
