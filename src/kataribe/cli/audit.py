"""`kataribe audit boundaries`: can the metric be gamed?"""

from __future__ import annotations

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
    """Keeps `boundaries` a command of its own while it is the only one."""


@app.command("boundaries")
def boundaries(
    references: Annotated[
        Path, typer.Option("-r", "--references", metavar="TRUTH", help="The annotators' boundaries.")
    ],
    systems: Annotated[
        list[Path] | None, typer.Argument(metavar="[PRED...]", help="Systems to show beside the blind players.")
    ] = None,
    most: Annotated[int, typer.Option(help="The largest number of boundaries per video.")] = 15,
    trials: Annotated[int, typer.Option(help="Draws of Random.")] = 20,
    tolerance: Annotated[str, typer.Option(help="0.05 of the duration, or 0.5s.")] = "0.05",
    min_consistency: Annotated[float, typer.Option(help="Skip videos whose annotators agree less.")] = 0.3,
    plots: Annotated[Path | None, typer.Option(help="A folder for the pictures, as PNG and SVG.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write everything here, as JSON.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="table or json.")] = "table",
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Read every measure for Random and Uniform guessing with 1 to 15 boundaries, beside people and systems."""
    import msgspec

    from kataribe.audit.boundaries import audit
    from kataribe.report import boundary_audit

    if format not in ("table", "json"):
        raise UsageError(f"no format is called {format!r}", hint="there are: table, json")
    if output is not None:
        check_writable(output)
    if plots is not None:
        boundary_audit.new_figure(1, 1)
        if not plots.is_dir():
            raise OutputError(f"{plots}: there is no such folder", hint="create it first")
    named = {path.name.partition(".")[0]: path for path in systems or ()}
    with progress_bar(quiet) as progress, reporting(progress or silent):
        result = audit(
            references,
            named,
            most=most,
            trials=trials,
            tolerance=tolerance,
            min_consistency=min_consistency,
            seed=seed,
        )
    json = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2)
    if output is not None:
        write_whole(output, json)
    if plots is not None:
        for name, draw in boundary_audit.pictures(result).items():
            for kind in ("png", "svg"):
                write_whole(plots / f"{name}.{kind}", draw(kind))
    print(json.decode() if format == "json" else boundary_audit.table(result))
