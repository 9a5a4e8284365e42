"""What packages register by name: ours and third parties' come through the same door, an entry-point group."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from kataribe.core.errors import UsageError, nearest, shorten


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
