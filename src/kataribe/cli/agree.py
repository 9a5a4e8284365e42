"""`kataribe agree SCORES... --human RATINGS` and `kataribe agree DATASET`: metrics against people."""

from __future__ import annotations

from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.errors import UsageError
from kataribe.core.spec import split_specs
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.core.progress import Progress
    from kataribe.people.ratings import Ratings
    from kataribe.people.scores import Scores

HELP = "How well do metrics agree with people? Correlations, accuracy, tests between metrics, the human ceiling."


def command() -> Any:
    from kataribe.people.options import AgreementOptions

    page = typer.Option("--report", help="Write a page to look at here, an HTML file.")
    parameters = [
        *_inputs(),
        *declared_parameters(AgreementOptions),
        common.format("table, json, csv, markdown or latex."),
        common.output("Write the answer as JSON here."),
        parameter("page", Path | None, page, None),
        common.silence(),
        common.quiet(),
    ]
    return build("agree", HELP, parameters, _agree)


def _inputs() -> list[Parameter]:
    """What is compared, and how much of it."""
    scores = typer.Argument(
        metavar="SCORES",
        help="With --human: result files (FILE or NAME=FILE, one for each system) or a table of scores. "
        "Without: a data set of rated captions, which are scored here.",
    )
    human = typer.Option(
        "--human", metavar="RATINGS", help="Ratings, rankings or votes: CSV, TSV, JSONL; gz. Repeatable: joined."
    )
    metric = typer.Option("-m", "--metric", "--metrics", help="Only these metrics; commas between several; repeatable.")
    without = typer.Option(metavar="RATER", help="Leave this rater out; repeatable.")
    lower = typer.Option(metavar="METRIC", help="Of a table: lower values of this metric are better; repeatable.")
    return [
        parameter("scores", list[str], scores),
        parameter("human", list[Path] | None, human, None),
        parameter("metric", list[str] | None, metric, None),
        parameter("without", list[str] | None, without, None),
        parameter("lower", list[str] | None, lower, None),
        parameter("tok", str | None, typer.Option(help="Of a data set: the tokenizer for all metrics."), None),
        parameter("protocol", str, typer.Option(help="Of a data set: official or paper."), "official"),
    ]


def _agree(given: Given) -> None:
    from kataribe.people.agreement import agree
    from kataribe.people.options import AgreementOptions
    from kataribe.report.agreement import check_format, render_agreement
    from kataribe.report.html import render_agreement_page

    output, page = given["output"], given["page"]
    check_format(given["format"])
    check_outputs([output, page], given["scores"], given["human"], metrics=given["metric"])
    options = AgreementOptions(**take_options(AgreementOptions, given))
    with progress_bar(given["quiet"]) as progress:
        judged = _read_or_score(given, progress)
        scores, ratings = judged.scores.lowered(given["lower"] or ()), judged.ratings.without(given["without"] or ())
        agreement = agree(scores, ratings, metrics=judged.metrics or None, options=options, progress=progress)
    if output is not None:
        write_whole(output, render_agreement(agreement, "json"))
    if page is not None:
        write_whole(page, render_agreement_page(agreement))
    warn_of(agreement.warnings, given["silence"], given["quiet"])
    print(render_agreement(agreement, given["format"]))


class _Judged(NamedTuple):
    """Texts that both metrics and people judged; no `metrics` means all that there are."""

    scores: Scores
    ratings: Ratings
    metrics: list[str]


def _read_or_score(given: Given, progress: Progress | None) -> _Judged:
    """Files of scores and ratings are read; the captions of a data set, which holds ratings too, are scored."""
    from kataribe.captions.task import DEFAULT_METRICS, CaptionOptions
    from kataribe.core.options import RunOptions, make
    from kataribe.engines.local import LocalEngine
    from kataribe.people.metaevaluation import score_rated
    from kataribe.people.ratings import read_ratings
    from kataribe.people.scores import read_scores

    files = given["scores"]
    chosen = [spec for text in given["metric"] or () for spec in split_specs(text)]
    if given["human"]:
        return _Judged(read_scores(files), read_ratings(given["human"]), chosen)
    if len(files) > 1:
        hint = "or give one data set of rated captions"
        raise UsageError("several files of scores need --human RATINGS", hint=hint)
    options = make(CaptionOptions, {"tok": given["tok"], "protocol": given["protocol"]}, owner="captions")
    run = RunOptions(engine=LocalEngine(), progress=progress)
    scores, ratings = score_rated(files[0], chosen or DEFAULT_METRICS, options=options, run=run)
    return _Judged(scores, ratings, list(scores.values))
