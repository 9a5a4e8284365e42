"""Commands built from declared options: the one place where the fields of option classes become flags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from kataribe.cli.flags import flag
from kataribe.cli.once import OnceCommand
from kataribe.cli.progress import warn
from kataribe.core.errors import UsageError

if TYPE_CHECKING:
    from kataribe.core.options import Option, Options

# A call's values by the names of its parameters.
Given = dict[str, Any]


def parameter(name: str, type: Any, info: Any, default: Any = Parameter.empty) -> Parameter:
    """One parameter of a command; without a default it is required."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[type, info])


def declared_parameters(options: type[Options]) -> list[Parameter]:
    """A flag for each option of a class."""
    from kataribe.core.options import declared

    return [_declared_parameter(option) for option in declared(options)]


def _declared_parameter(option: Option) -> Parameter:
    # What is on by default needs a flag that switches it off.
    off = f"/--no-{flag(option.name).removeprefix('--')}" if option.default is True else ""
    info = typer.Option(flag(option.name) + off, help=option.help, metavar=option.metavar)
    kind: Any = list[option.type] if option.many else option.type  # type: ignore[name-defined]
    return parameter(option.name, kind | None if option.default is None else kind, info, option.default)


def take_options(options: type[Options], given: Given) -> Given:
    """The values of a class's options, taken out of a call; lists of nothing are nothing."""
    from kataribe.core.options import declared

    return {
        each.name: given.pop(each.name) or None if each.many else given.pop(each.name) for each in declared(options)
    }


def call_context() -> Parameter:
    """Tells a command how it was called: what `written_options` asks."""
    return Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)


def written_options(context: typer.Context) -> list[str]:
    """The parameters that the command line names, rather than leaving them to their defaults."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]


def paths_in(values: Mapping[str, Any]) -> list[Path]:
    """The files and folders among the values of options."""
    listed = (value if isinstance(value, list) else [value] for value in values.values())
    return [path for paths in listed for path in paths if isinstance(path, Path)]


def build(name: str, help: str, parameters: Sequence[Parameter], run: Callable[[Given], None]) -> Any:
    """A command that hands what was given to `run`."""

    def command(**given: Any) -> None:
        run(given)

    # Typer reads a command's parameters from its function's signature.
    command.__dict__["__signature__"] = Signature(parameters)
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=help, cls=OnceCommand)(command)
    return typer.main.get_command(app)


def built_when_called(build: Callable[[], Any]) -> type[TyperCommand]:
    """The class of a command that is known by its name and help, and whose options are only built when it is called.

    They are declared beside what they are for, so building them imports it: nothing that a list of commands needs.
    """

    class Command(TyperCommand):
        def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
            return build().make_context(info_name, args, parent, **extra)

    return Command


class Commands(Mapping[str, Any]):
    """Commands that are built when they are called: whoever wants one should not wait for the others.

    `help` is the help of the command with a name.
    """

    def __init__(
        self, names: Callable[[], Sequence[str]], help: Callable[[str], str], build: Callable[[str], Any]
    ) -> None:
        self._names, self._help, self._build = names, help, build

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __getitem__(self, name: str) -> Any:
        if name not in self._names():
            raise KeyError(name)
        return built_when_called(partial(self._build, name))(name, help=self._help(name))


def group_of(commands: Commands) -> type[TyperGroup]:
    """The class of a group that has these commands."""

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands: Any = commands

        def list_commands(self, ctx: Any) -> list[str]:
            return [name for name in self.commands if _is_known(self.commands, name)]

    return Group


def _is_known(commands: Commands, name: str) -> bool:
    """One broken plug-in must not hide the others."""
    try:
        return commands[name] is not None
    except UsageError as error:
        warn(error.line(flag))
        return False
