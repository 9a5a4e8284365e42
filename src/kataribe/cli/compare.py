"""`kataribe compare RESULT RESULT...`: significance between systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kataribe.cli.output import check_outputs
from kataribe.cli.progress import Silence, progress_bar, warn_of
from kataribe.formats.output import write_whole


def compare(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT", help="Two or more files that `kataribe score ... -o` wrote: FILE or NAME=FILE."
        ),
    ],
    metric: Annotated[
        list[str] | None, typer.Option("-m", "--metric", help="Compare by this metric only; repeatable.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Test against this system (its file's name without ending) only.")
    ] = None,
    replicates: Annotated[int, typer.Option(help="Draws of the bootstrap, swaps of the permutation test.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    correction: Annotated[
        str, typer.Option(help="For many tests: holm, bh (Benjamini and Hochberg) or none.")
    ] = "holm",
    alpha: Annotated[float, typer.Option(help="The level of significance.")] = 0.05,
    force: Annotated[
        bool, typer.Option("--force", help="Compare what is not comparable, and say so on every output.")
    ] = False,
    format: Annotated[str, typer.Option("--format", "-f", help="table, json, csv, markdown or latex.")] = "table",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the comparison as JSON here.")] = None,
    silence: Silence = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")] = False,
) -> None:
    """Compare systems: differences, intervals, p-values, effect sizes, wins and losses, from stored statistics."""
    from kataribe.core.comparison import compare as compare_results
    from kataribe.formats.results import read_results
    from kataribe.report.comparison import check_format, render_comparison

    check_format(format)
    check_outputs([output], results)
    with progress_bar(quiet) as progress:
        comparison = compare_results(
            read_results(results),
            metric,
            baseline=baseline,
            replicates=replicates,
            seed=seed,
            correction=correction,
            alpha=alpha,
            force=force,
            progress=progress,
        )
    if output is not None:
        write_whole(output, render_comparison(comparison, "json"))
    warn_of(comparison.warnings, silence, quiet)
    print(render_comparison(comparison, format))
