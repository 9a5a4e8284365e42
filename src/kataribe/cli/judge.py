"""`kataribe judge ...`: collect human judgements, and see whether people agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kataribe.cli import study, study_making
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import Silence, progress_bar, warn_of
from kataribe.core.errors import UsageError
from kataribe.formats.output import write_whole

app = typer.Typer(
    help="Collect human judgements and see whether people agree.", no_args_is_help=True, rich_markup_mode=None
)
app.command("new")(study.new)
app.add_typer(study_making.app, name="make")
app.command("serve")(study.serve)
app.command("invite")(study.invite)
app.command("export")(study.export)
app.command("rehearse")(study.rehearse)


@app.command("agreement")
def agreement(
    ratings: Annotated[
        Path, typer.Argument(metavar="RATINGS", help="Ratings, rankings, votes or labels: CSV, TSV, JSONL; gz.")
    ],
    draws: Annotated[int, typer.Option(help="Shuffles that show what answering at random gives.")] = 2_000,
    alpha: Annotated[float, typer.Option(help="The level of significance.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    format: Annotated[str, typer.Option("--format", "-f", help="table, json, csv or markdown.")] = "table",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the answer as JSON here.")] = None,
    silence: Silence = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")] = False,
) -> None:
    """Do raters agree? Krippendorff's alpha, Cohen's kappa, each rater's bias, raters who answer at random."""
    from kataribe.people.labels import label_agreement
    from kataribe.people.oddities import odd_ratings
    from kataribe.people.raters import rater_agreement
    from kataribe.people.ratings import read_ratings
    from kataribe.report.labels import render_labels
    from kataribe.report.raters import check_format, render_raters

    check_format(format)
    check_outputs([output], ratings)
    if draws < 1:
        raise UsageError(f"--draws {draws}: at least 1 is needed", hint="2000 is usual")
    if not 0 < alpha < 1:
        raise UsageError(f"--alpha {alpha}: is not between 0 and 1", hint="0.05 is usual")
    read = read_ratings(ratings)
    if read.kind == "labels":
        labels = label_agreement(read)
        if output is not None:
            write_whole(output, render_labels(labels, "json"))
        print(render_labels(labels, format))
        return
    with progress_bar(quiet) as progress:
        found = rater_agreement(read, draws=draws, level=alpha, seed=seed, progress=progress)
    warnings = odd_ratings(read)
    if output is not None:
        write_whole(output, render_raters(found, "json", warnings))
    warn_of(warnings, silence, quiet)
    print(render_raters(found, format, warnings))
