"""`kataribe agree SCORES... --human RATINGS` and `kataribe agree DATASET`: metrics against people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kataribe.cli.output import check_outputs
from kataribe.cli.progress import Silence, progress_bar, warn_of
from kataribe.core.errors import UsageError
from kataribe.core.spec import split_specs
from kataribe.formats.output import write_whole


def agree(
    scores: Annotated[
        list[str],
        typer.Argument(
            metavar="SCORES",
            help="With --human: result files (FILE or NAME=FILE, one for each system) or a table of scores. "
            "Without: a data set of rated captions, which are scored here.",
        ),
    ],
    human: Annotated[
        list[Path] | None,
        typer.Option(
            "--human", metavar="RATINGS", help="Ratings, rankings or votes: CSV, TSV, JSONL; gz. Repeatable: joined."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", "--metrics", help="Only these metrics; commas between several; repeatable."),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="RATER", help="Leave this rater out; repeatable.")
    ] = None,
    lower: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC", help="Of a table: lower values of this metric are better; repeatable."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Test by pearson, spearman, tau_b, tau_c or accuracy; default: tau_c of ratings, else accuracy."
        ),
    ] = None,
    against: Annotated[str, typer.Option(help="each: every judgement is a row; mean: every text is.")] = "each",
    per_item: Annotated[
        bool,
        typer.Option("--per-item", help="Correlate within each item, then average; rankings and votes always."),
    ] = False,
    ties: Annotated[str, typer.Option(help="A pair that a metric ties counts half, wrong or not: drop.")] = "half",
    tok: Annotated[str | None, typer.Option(help="Of a data set: the tokenizer for all metrics.")] = None,
    protocol: Annotated[str, typer.Option(help="Of a data set: official or paper.")] = "official",
    bootstrap: Annotated[int, typer.Option(help="Draws of items, swaps of metrics; 0: no intervals, no tests.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    correction: Annotated[str, typer.Option(help="For many tests: holm, bh or none.")] = "holm",
    alpha: Annotated[float, typer.Option(help="The level of significance.")] = 0.05,
    format: Annotated[str, typer.Option("--format", "-f", help="table, json, csv, markdown or latex.")] = "table",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the answer as JSON here.")] = None,
    page: Annotated[Path | None, typer.Option("--report", help="Write a page to look at here, an HTML file.")] = None,
    silence: Silence = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")] = False,
) -> None:
    """How well do metrics agree with people? Correlations, accuracy, tests between metrics, the human ceiling."""
    from kataribe.captions.task import DEFAULT_METRICS, CaptionOptions
    from kataribe.core.options import RunOptions, make
    from kataribe.engines.local import LocalEngine
    from kataribe.people.agreement import agree as agree_with
    from kataribe.people.metaevaluation import score_rated
    from kataribe.people.ratings import read_ratings
    from kataribe.people.result import AgreementOptions
    from kataribe.people.scores import read_scores
    from kataribe.report.agreement import check_format, render_agreement
    from kataribe.report.html import render_agreement_page

    check_format(format)
    check_outputs([output, page], scores, human, metrics=metric)
    chosen_options = (by, against, per_item, ties, bootstrap, seed, correction, alpha)
    asked = AgreementOptions(*chosen_options)  # type: ignore[arg-type]
    asked.check()
    chosen = [spec for text in metric or () for spec in split_specs(text)]
    with progress_bar(quiet) as progress:
        if human:
            scored, ratings = read_scores(scores), read_ratings(human)
        elif len(scores) > 1:
            raise UsageError(
                "several files of scores need --human RATINGS", hint="or give one data set of rated captions"
            )
        else:
            options = make(CaptionOptions, {"tok": tok, "protocol": protocol}, owner="captions")
            run = RunOptions(engine=LocalEngine(), progress=progress)
            scored, ratings = score_rated(scores[0], chosen or DEFAULT_METRICS, options=options, run=run)
            chosen = list(scored.values)
        scored = scored.lowered(lower or ())
        ratings = ratings.without(without or ())
        agreement = agree_with(scored, ratings, metrics=chosen or None, options=asked, progress=progress)
    if output is not None:
        write_whole(output, render_agreement(agreement, "json"))
    if page is not None:
        write_whole(page, render_agreement_page(agreement))
    warn_of(agreement.warnings, silence, quiet)
    print(render_agreement(agreement, format))
