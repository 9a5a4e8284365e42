"""`kataribe agree SCORES... --human RATINGS` and `kataribe agree DATASET`: metrics against people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, call_context, declared_parameters, parameter, take_options, written_options
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.errors import UsageError
from kataribe.core.spec import split_specs
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.core.progress import Progress
    from kataribe.people.examples import Shown
    from kataribe.people.options import AgreementOptions
    from kataribe.people.ratings import Ratings
    from kataribe.people.result import Agreement, Text
    from kataribe.people.scores import Scores

HELP = "How well do metrics agree with people? Correlations, accuracy, tests between metrics, the human ceiling."


def command() -> Any:
    from kataribe.people.options import AgreementOptions

    page = typer.Option("--report", help="Write a page to look at here, an HTML file.")
    parameters = [
        call_context(),
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
    preset = typer.Option(metavar="STUDY", help="Read the judgements as this study did: movie101 or soda.")
    fit = typer.Option(metavar="MIXTURE", help="Fit the weights of this mixture of metrics to the judgements: mnscore.")
    return [
        parameter("scores", list[str], scores),
        parameter("human", list[Path] | None, human, None),
        parameter("metric", list[str] | None, metric, None),
        parameter("without", list[str] | None, without, None),
        parameter("lower", list[str] | None, lower, None),
        parameter("preset", str | None, preset, None),
        parameter("fit", str | None, fit, None),
        parameter("tok", str | None, typer.Option(help="Of a data set: the tokenizer for all metrics."), None),
        parameter("protocol", str, typer.Option(help="Of a data set: official or paper."), "official"),
        *_of_data_sets(),
    ]


def _of_data_sets() -> list[Parameter]:
    """What belongs to a data set of rated captions and may stand beside it."""
    references = typer.Option("-r", "--references", metavar="FILE", help="Of a data set: references it does not hold.")
    images = typer.Option(metavar="FOLDER", help="Of a data set: its pictures, named as it names them or by item.")
    features = typer.Option(metavar="FILE", help="Of a data set: vectors of its pictures: npz, safetensors, hdf5.")
    examples = typer.Option(metavar="N", help="Show the N texts of best and of worst agreement of each metric.")
    return [
        parameter("references", Path | None, references, None),
        parameter("images", Path | None, images, None),
        parameter("features", Path | None, features, None),
        parameter("explain", int, examples, 0),
    ]


def _agree(given: Given) -> None:
    from kataribe.people.agreement import agree
    from kataribe.people.examples import check_count, explain
    from kataribe.people.fitting import fit_mixture
    from kataribe.people.mixture import find_mixture, find_parts
    from kataribe.people.presets import check_kind
    from kataribe.report.agreement import check_format, render_agreement
    from kataribe.report.html import render_agreement_page
    from kataribe.report.thumbnails import thumbnails

    output, page = given["output"], given["page"]
    mixture = find_mixture(given["fit"]) if given["fit"] is not None else None
    if mixture is not None and not given["human"]:
        raise UsageError(
            "--fit needs scores and --human RATINGS", hint=f"score several systems with -m {mixture.name} -o"
        )
    check_format(given["format"])
    check_count(given["explain"])
    reads = [given["scores"], given["human"], given["references"], given["images"], given["features"]]
    check_outputs([output, page], *reads, metrics=given["metric"])
    options = _options(given)
    with progress_bar(given["quiet"]) as progress:
        judged = _read_or_score(given, progress)
        scores, ratings = judged.scores.lowered(given["lower"] or ()), judged.ratings.without(given["without"] or ())
        if given["preset"] is not None:
            check_kind(given["preset"], ratings)
        parts = find_parts(mixture, scores, judged.metrics or None) if mixture else None
        agreement = agree(scores, ratings, metrics=judged.metrics or None, options=options, progress=progress)
        if parts is not None:
            fit = fit_mixture(parts, ratings, options, progress)
            agreement = replace(agreement, fit=fit, warnings=(*agreement.warnings, *fit.warnings))
    agreement = explain(agreement, judged.shown, given["explain"])
    small = thumbnails(_pictures_of_examples(agreement, judged.files) if page is not None else {})
    agreement = replace(agreement, warnings=(*agreement.warnings, *small.warnings))
    if output is not None:
        write_whole(output, render_agreement(agreement, "json"))
    if page is not None:
        write_whole(page, render_agreement_page(agreement, pictures=small.images))
    warn_of(agreement.warnings, given["silence"], given["quiet"])
    print(render_agreement(agreement, given["format"]))


def _options(given: Given) -> AgreementOptions:
    """What was written on the command line goes before what a preset says, and that before the defaults."""
    from kataribe.people.options import AgreementOptions
    from kataribe.people.presets import preset_options

    options = take_options(AgreementOptions, given)
    if given["preset"] is None:
        return AgreementOptions(**options)
    written = written_options(given["context"])
    return preset_options(given["preset"], {name: options[name] for name in written if name in options})


class _Judged(NamedTuple):
    """Texts that both metrics and people judged; no `metrics` means all that there are.

    `shown` are the texts themselves, where they are known, and `files` their pictures.
    """

    scores: Scores
    ratings: Ratings
    metrics: list[str]
    shown: Mapping[Text, Shown]
    files: Mapping[Text, tuple[Path, ...]]


def _read_or_score(given: Given, progress: Progress | None) -> _Judged:
    """Files of scores and ratings are read; the captions of a data set, which holds ratings too, are scored."""
    from kataribe.people.examples import shown_of_scores
    from kataribe.people.ratings import read_ratings
    from kataribe.people.scores import read_scores

    chosen = [spec for text in given["metric"] or () for spec in split_specs(text)]
    if not given["human"]:
        return _score(given, chosen, progress)
    for name in ("references", "images", "features"):
        if given[name] is not None:
            raise UsageError(f"--{name} belongs to a data set of rated captions", hint="leave it out beside --human")
    scores, ratings = read_scores(given["scores"]), read_ratings(given["human"])
    shown = shown_of_scores(scores) if given["explain"] else {}
    if given["explain"] and not shown:
        hint = "give a data set of rated captions, or results of captions"
        raise UsageError("--explain shows texts, and tables of scores hold none", hint=hint)
    return _Judged(scores, ratings, chosen, shown, {})


def _score(given: Given, metrics: list[str], progress: Progress | None) -> _Judged:
    from kataribe.captions.task import DEFAULT_METRICS, CaptionOptions
    from kataribe.core.options import RunOptions, make
    from kataribe.engines.local import LocalEngine
    from kataribe.people.examples import shown_of_rated
    from kataribe.people.metaevaluation import score_rated
    from kataribe.people.pictures import find_pictures
    from kataribe.people.rated import read_rated

    files = given["scores"]
    if len(files) > 1:
        hint = "or give one data set of rated captions"
        raise UsageError("several files of scores need --human RATINGS", hint=hint)
    rated = read_rated(files[0], references=given["references"])
    pictures = find_pictures(rated, given["images"]) if given["images"] is not None else {}
    options = make(CaptionOptions, {"tok": given["tok"], "protocol": given["protocol"]}, owner="captions")
    scores, ratings = score_rated(
        rated,
        metrics or DEFAULT_METRICS,
        images=pictures or None,
        features=given["features"],
        options=options,
        run=RunOptions(engine=LocalEngine(), progress=progress),
    )
    return _Judged(scores, ratings, list(scores.values), shown_of_rated(rated), pictures)


def _pictures_of_examples(agreement: Agreement, files: Mapping[Text, tuple[Path, ...]]) -> dict[Text, Path]:
    """What the examples describe; of a clip its first frame."""
    examples = (each for found in agreement.dimensions.values() for each in found.examples.values())
    texts = (example.text for each in examples for example in (*each.best, *each.worst))
    return {text: files[text][0] for text in texts if text in files}
