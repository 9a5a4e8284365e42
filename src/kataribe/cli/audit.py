"""`kataribe audit TASK`: can the metric be gamed?"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from kataribe.cli.progress import progress_bar
from kataribe.core.errors import OutputError, UsageError
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import check_writable, write_whole

app = typer.Typer(help="Find out whether a metric can be gamed.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _audit() -> None:
    """Keeps each task a command of its own, be there one only."""


@app.command("stories")
def stories(
    predictions: Annotated[Path, typer.Argument(metavar="PRED", help="The submission to attack.")],
    references: Annotated[
        list[Path], typer.Option("-r", "--references", metavar="REF", help="One annotator's stories; repeatable.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", help="A metric, as `kataribe metrics` lists them; repeatable."),
    ] = None,
    protocol: Annotated[str, typer.Option(help="official or paper.")] = "official",
    by: Annotated[
        str, typer.Option(help="Numbers of captions by ratio (to the references) or by count (in each video).")
    ] = "ratio",
    surplus: Annotated[
        str, typer.Option(help="Where captions are too few: jitter (copies) or strangers (of other videos).")
    ] = "jitter",
    attack: Annotated[
        list[str] | None, typer.Option(help="Only this attack, by its name in the table; repeatable.")
    ] = None,
    draws: Annotated[int, typer.Option(help="Draws of everything random; scores are their mean.")] = 5,
    videos: Annotated[int | None, typer.Option(help="Only so many random videos, for a quick look.")] = None,
    plots: Annotated[Path | None, typer.Option(help="A folder for the pictures, as PNG and SVG.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write everything here, as JSON.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="table, markdown or json.")] = "table",
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Attack a submission - more, fewer, doubled, shuffled, long captions - and read every metric each time."""
    from kataribe.audit.stories import ATTACKS, DEFAULT_METRICS, audit
    from kataribe.report import story_audit

    if format not in (*story_audit.FORMATS, "json"):
        raise UsageError(f"no format is called {format!r}", hint=f"there are: {', '.join(story_audit.FORMATS)}, json")
    check_places(output, plots)
    with progress_bar(quiet) as progress, reporting(progress or silent):
        result = audit(
            predictions,
            references,
            metric or DEFAULT_METRICS,
            protocol=protocol,
            by=by,
            surplus=surplus,
            only=attack or ATTACKS,
            draws=draws,
            videos=videos,
            seed=seed,
        )
    text = json.dumps(result.to_dict(), indent=2, ensure_ascii=False)
    if output is not None:
        write_whole(output, text)
    if plots is not None:
        write_pictures(story_audit.pictures(result), plots)
    print(text if format == "json" else story_audit.FORMATS[format](result))


def check_places(output: Path | None, plots: Path | None) -> None:
    """What can be refused before the work starts is refused before the work starts."""
    from kataribe.report.figures import new_figure

    if output is not None:
        check_writable(output)
    if plots is not None:
        new_figure(1, 1)
        if not plots.is_dir():
            raise OutputError(f"{plots}: there is no such folder", hint="create it first")


def write_pictures(pictures: Mapping[str, Callable[[str], bytes]], folder: Path) -> None:
    for name, draw in pictures.items():
        for kind in ("png", "svg"):
            write_whole(folder / f"{name}.{kind}", draw(kind))
