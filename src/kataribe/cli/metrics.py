"""`kataribe metrics [NAME]`: what there is, with formulas."""

from __future__ import annotations

import inspect
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from kataribe.cli.progress import warn
from kataribe.core.errors import UsageError

if TYPE_CHECKING:
    from kataribe.core.metric import Metric


def metrics(
    name: Annotated[str | None, typer.Argument(help="One metric, to see its formula, quirks and options.")] = None,
) -> None:
    """List the metrics, or explain one."""
    from kataribe.core import registry

    if name is None:
        for registered in registry.names():
            try:
                metric = registry.load(registered)
            except UsageError as error:  # one broken plug-in must not hide the others
                warn(str(error))
                continue
            print(f"{metric.name:<20}{metric.task:<12}{_headline(metric)}")
        print("\n`kataribe metrics NAME` shows formula, citation, quirks and options.")
    else:
        _explain(registry.load(name.partition("(")[0]))


def _documentation(metric: type[Metric]) -> str:
    """A metric's module starts with its formula, its citation and its quirks."""
    return inspect.cleandoc(sys.modules[metric.__module__].__doc__ or metric.__doc__ or metric.title)


def _headline(metric: type[Metric]) -> str:
    return " ".join(_documentation(metric).partition("\n\n")[0].split())


def _explain(metric: type[Metric]) -> None:
    print(_documentation(metric))
    hints = get_type_hints(metric)
    print("\nOptions:")
    width = max([9, *(len(field.name) for field in fields(metric))]) + 1
    for field in fields(metric):
        choices = _choices(hints[field.name])
        listed = f" ({', '.join(map(str, choices))})" if choices else ""
        shown = str(field.default).lower() if isinstance(field.default, bool) else field.default or "none"
        default = f"; default {shown}" if field.default is not None else ""
        print(f"  {field.name:<{width}}{field.metadata['help']}{listed}{default}")
    for protocol, preset in metric.protocols.items():
        print(f"\n--protocol {protocol}: {', '.join(f'{key}={value}' for key, value in preset.items())}")


def _choices(hint: Any) -> list[str | int]:
    """What an option may be, where that is a closed list."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [choice for inner in get_args(hint) if get_origin(hint) is not tuple for choice in _choices(inner)]
