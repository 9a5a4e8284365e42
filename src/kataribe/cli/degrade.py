"""`kataribe degrade narration REF --cast CAST -o FILE`: references made worse in a known way."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Commands, Given, build, declared_parameters, group_of, parameter, take_options
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.narration.degraded import Degraded

HELP = "Spoil references - names removed or replaced, nouns and verbs replaced - to see who or what notices."


def command() -> Any:
    from kataribe.narration.degraded import DegradeOptions

    references = typer.Argument(
        metavar="REF", help="The narrations to spoil: JSON, JSONL, CSV, TSV, VTT, SRT, ASS; gz."
    )
    cast = typer.Option(metavar="CAST", help="The films' roles in billing order: JSON, JSONL, CSV, TSV; repeatable.")
    output = typer.Option("-o", "--output", metavar="FILE", help="Write them here: .json, .jsonl or .csv.")
    parameters = [
        parameter("references", list[Path], references),
        parameter("cast", list[Path], cast),
        *declared_parameters(DegradeOptions),
        parameter("output", Path, output),
        common.silence(),
        common.quiet(),
    ]
    return build("narration", HELP, parameters, _degrade)


def _degrade(given: Given) -> None:
    from kataribe.films.casts import read_casts
    from kataribe.formats.output import write_whole
    from kataribe.narration.degraded import DegradeOptions, cautions, degrade
    from kataribe.narration.files import read_narrations
    from kataribe.narration.output import check_kind, format_narrations

    output: Path = given["output"]
    options = DegradeOptions(**take_options(DegradeOptions, given))
    check_kind(output)
    check_outputs([output], given["references"], given["cast"])
    with progress_bar(given["quiet"]) as progress, reporting(progress or silent):
        casts = read_casts(given["cast"])
        degraded = degrade(read_narrations(given["references"]).values(), casts, options)
    write_whole(output, format_narrations(degraded.lines, output.suffix))
    warn_of(cautions(degraded), given["silence"], given["quiet"])
    print(f"{output}: {_summary(degraded)}; seed {options.seed}")


def _summary(degraded: Degraded) -> str:
    from kataribe.core.errors import counted

    parts = [f"{degraded.changed:,} of {counted(len(degraded.lines), 'line')} changed"]
    parts += [f"{counted(degraded.names, 'name')}"] if degraded.names else []
    parts += [f"{counted(degraded.words, 'word')}"] if degraded.words else []
    return ", ".join(parts)


app = typer.Typer(
    cls=group_of(Commands(lambda: ["narration"], lambda name: HELP, lambda name: command())),
    help="Spoil references in a known way.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
