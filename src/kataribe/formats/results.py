"""Result files, several at once, each with the name its system goes by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kataribe.core.errors import UsageError, shorten
from kataribe.core.result import Result
from kataribe.formats.source import open_text


def read_results(arguments: Sequence[str | Path]) -> dict[str, Result]:
    """Results by the name of their system, in the order given; an argument is FILE or NAME=FILE."""
    named = [split_name(argument) for argument in arguments]
    results: dict[str, Result] = {}
    for (name, path), default in zip(named, system_names([path for _, path in named]), strict=True):
        system = name or default
        if system in results:
            raise UsageError(f"two results are called {shorten(system)!r}", hint="give each its own NAME=FILE")
        results[system] = read_result(path)
    return results


def split_name(argument: str | Path) -> tuple[str | None, Path]:
    """NAME=FILE, unless a file is really called that.

    >>> name, file = split_name("base=runs/1.json")
    >>> name, file.name
    ('base', '1.json')
    """
    text = str(argument)
    name, equals, file = text.partition("=")
    if not equals or Path(text).exists():
        return None, Path(text)
    if not name or not file:
        raise UsageError(f"{shorten(text)!r} is neither FILE nor NAME=FILE")
    return name, Path(file)


def system_names(paths: Sequence[Path]) -> list[str]:
    """The file's name without its ending; where two files have the same name, with as many folders as it takes.

    >>> system_names([Path("runs/base.json"), Path("runs/large.json")])
    ['base', 'large']
    >>> system_names([Path("runs/base/val.json"), Path("runs/large/val.json")])
    ['base/val', 'large/val']
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("the same result is given twice", hint="give each file once")
    whole = [path.resolve().with_suffix("").parts for path in paths]
    for length in range(1, max(map(len, whole), default=0) + 1):
        names = ["/".join(parts[-length:]) for parts in whole]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def read_result(path: Path) -> Result:
    with open_text(path) as text:
        return Result.from_json(text.read(), file=path)
