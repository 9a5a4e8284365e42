"""Result files, several at once, each with the name its system goes by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kataribe.core.errors import UsageError
from kataribe.core.result import Result
from kataribe.formats.source import open_text


def read_results(paths: Sequence[Path]) -> dict[str, Result]:
    """Results by the name of their system, in the order given."""
    return {name: read_result(path) for name, path in zip(system_names(paths), paths, strict=True)}


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
