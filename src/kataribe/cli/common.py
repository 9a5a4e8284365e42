"""The parameters that several commands have."""

from __future__ import annotations

from inspect import Parameter
from pathlib import Path

import typer

from kataribe.cli.build import parameter


def metrics() -> Parameter:
    info = typer.Option("-m", "--metric", help="A metric, as `kataribe metrics` lists them; repeatable.")
    return parameter("metric", list[str] | None, info, None)


def predictions(metavar: str, help: str) -> Parameter:
    return parameter("predictions", Path, typer.Argument(metavar=metavar, help=help))


def references(metavar: str, help: str, is_required: bool = True) -> Parameter:
    info = typer.Option("-r", "--references", metavar=metavar, help=help)
    if is_required:
        return parameter("references", list[Path], info)
    return parameter("references", list[Path] | None, info, None)


def format(help: str) -> Parameter:
    return parameter("format", str, typer.Option("--format", "-f", help=help), "table")


def output(help: str) -> Parameter:
    return parameter("output", Path | None, typer.Option("-o", "--output", help=help), None)


def silence() -> Parameter:
    info = typer.Option("--silence", metavar="ID", help="Do not print the warning with this id; repeatable.")
    return parameter("silence", list[str] | None, info, None)


def quiet() -> Parameter:
    return parameter("quiet", bool, typer.Option("--quiet", "-q", help="No progress, no warnings."), False)
