"""An option that takes one value is given once: of two values, the last one would otherwise win without a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand

from kataribe.core.errors import UsageError


class OnceCommand(TyperCommand):
    """A command that refuses a repeated option, unless the option collects values or is a switch."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(given).items():
            collects = option.param_type_name != "option" or option.multiple or getattr(option, "is_flag", False)
            if times > 1 and not collects:
                name = max(option.opts, key=len)
                raise UsageError(f"{name} takes one value and is given {times}", hint="keep one")
        return super().parse_args(ctx, args)


def refuse_repeats(app: typer.Typer) -> None:
    """Make every command of the app, and of the apps in it, such a command, unless it has a class of its own."""
    for command in _commands(app):
        if command.cls is TyperCommand:
            command.cls = OnceCommand


def _commands(app: typer.Typer) -> Iterator[Any]:
    yield from app.registered_commands
    for group in app.registered_groups:
        if group.typer_instance is not None:
            yield from _commands(group.typer_instance)
