"""Which attacks to run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kataribe.core.errors import UsageError, nearest, shorten


def chosen_attacks(asked: Sequence[str] | None, known: Collection[str]) -> Sequence[str]:
    """The attacks that were asked for, each of which must be known; all of them where none was."""
    for attack in asked or ():
        if attack not in known:
            problem = f"<attack>: {shorten(attack)!r}: there is no such attack"
            raise UsageError(problem, hint=nearest(attack, known), options=["attack"])
    return asked or tuple(known)
