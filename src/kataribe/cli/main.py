"""The `kataribe` command: the answer on standard output, everything else on standard error.

Exit codes: 0 done, 1 a failure of ours, 2 a mistake in the input or the call, 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
from typing import Any

import typer

import kataribe
from kataribe.cli import (
    agree,
    audit,
    compare,
    degrade,
    demo,
    detect,
    doctor,
    features,
    ground,
    index,
    judge,
    media,
    metrics,
    movie,
    narrate,
    parse,
    report,
    resources,
    score,
    shapes,
    train,
    world,
)
from kataribe.cli.build import built_when_called
from kataribe.cli.flags import flag
from kataribe.cli.interrupted import INTERRUPTED
from kataribe.cli.once import refuse_repeats
from kataribe.core.errors import KataribeError

# Typer carries its own copy of click, whose base of all usage errors it does not export.
_CallError: type[Any] = typer.BadParameter.__mro__[2]


def _built_later() -> None:
    """What Typer registers for a command that is built when it is called."""


build_app = typer.Typer(help="Build data sets.", no_args_is_help=True, rich_markup_mode=None)
build_app.command("features", help=features.HELP, cls=built_when_called(features.command))(_built_later)
build_app.command("movie", help=movie.HELP, cls=built_when_called(movie.command))(_built_later)
build_app.command("shapes", help=shapes.HELP, cls=built_when_called(shapes.command))(_built_later)
build_app.command("world", help=world.HELP, cls=built_when_called(world.command))(_built_later)

app = typer.Typer(
    name="kataribe",
    help="How well does this text tell what happens in this video or picture?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(score.app, name="score")
app.add_typer(audit.app, name="audit")
app.add_typer(degrade.app, name="degrade")
app.add_typer(resources.app, name="resources")
app.add_typer(train.app, name="train")
app.add_typer(judge.app, name="judge")
app.add_typer(build_app, name="build")
app.add_typer(media.app, name="media")
app.command("compare")(compare.compare)
app.command("agree", help=agree.HELP, cls=built_when_called(agree.command))(_built_later)
app.command("report")(report.report)
app.command("metrics")(metrics.metrics)
app.command("detect", help=detect.HELP, cls=built_when_called(detect.command))(_built_later)
app.command("narrate", help=narrate.HELP, cls=built_when_called(narrate.command))(_built_later)
app.command("index", help=index.HELP, cls=built_when_called(index.command))(_built_later)
app.command("ground", help=ground.HELP, cls=built_when_called(ground.command))(_built_later)
app.command("parse")(parse.parse)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
refuse_repeats(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"kataribe {kataribe.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    try:
        code = app(arguments, standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # Typer hears Ctrl-C first and returns this
            return _interrupted()
        return code if isinstance(code, int) else 0
    except KataribeError as error:
        return _complain(error.line(flag))
    except _CallError as error:
        message = error.format_message()
        return _complain(f"{message} See `kataribe {_command(arguments)}--help`.") if message else 2
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except SystemExit as left:
        # Typer leaves with 1 when the reader, `head` say, has seen enough; that is no failure.
        return 0 if isinstance(left.__context__, BrokenPipeError) else int(left.code or 0)
    except MemoryError:
        return _complain("not enough memory for this input")
    except Exception:
        traceback.print_exc()
        print("kataribe: this is a failure of ours, please report it with the lines above", file=sys.stderr)
        return 1


def _interrupted() -> int:
    print("kataribe: interrupted; nothing was written", file=sys.stderr)
    return INTERRUPTED


def _complain(message: str) -> int:
    print(f"kataribe: {' '.join(message.split())}", file=sys.stderr)
    return 2


def _command(arguments: list[str]) -> str:
    """The words of the call that name a command: `score captions ` of `score captions pred.json --typo`."""
    words = [word for word in arguments[:2] if word.isalpha()]
    return " ".join(words) + " " if words else ""
