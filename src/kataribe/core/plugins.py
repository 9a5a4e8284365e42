"""What packages register by name: ours and third parties' come through the same door, an entry-point group."""

from __future__ import annotations

import ast
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kataribe.core.errors import UsageError, nearest, shorten

TASKS = "kataribe.tasks"


@cache
def registered(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, in the order in which packages declare them."""
    return {point.name: point for point in entry_points(group=group)}


def load(group: str, name: str, kind: str) -> Any:
    """What is registered under a name, which may be written with capitals and dashes; `kind` is for messages."""
    points = registered(group)
    plain = name.lower().replace("-", "_")
    point = points.get(name) or points.get(plain)
    if point is None:
        raise UsageError(f"no {kind} is called {shorten(name)!r}", hint=nearest(plain, points))
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        owner = point.dist.name if point.dist else point.module
        raise UsageError(f"the {kind} {point.name!r} cannot be loaded ({error})", hint=f"reinstall {owner}") from None


def written_argument(group: str, name: str, keyword: str) -> str:
    """A text that a registered object is made with, read from its source: importing its module would take long.

    `TASK = Task(help="Score captions.")` has the help "Score captions."; nothing where it is not written like this.

    >>> written_argument("kataribe.tasks", "captions", "help")[:14]
    'Score captions'
    """
    point = registered(group)[name]
    try:
        spec = find_spec(point.module)
    except ImportError:
        return ""
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return ""
    for statement in ast.parse(Path(spec.origin).read_bytes()).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=point.attr)], value=ast.Call(keywords=arguments))
                | ast.AnnAssign(target=ast.Name(id=point.attr), value=ast.Call(keywords=arguments))
            ):
                given = next((each.value for each in arguments if each.arg == keyword), None)
                return given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""
    return ""
