"""`kataribe score TASK PRED -r REFS`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kataribe.cli.output import Named, check_outputs
from kataribe.cli.progress import Silence, progress_bar, warn_of
from kataribe.engines.local import parse_engine
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.core.result import Result

app = typer.Typer(help="Score predictions against references.", no_args_is_help=True, rich_markup_mode=None)

# The options that every task takes.
Metrics = Annotated[
    list[str] | None, typer.Option("-m", "--metric", help="A metric, as `kataribe metrics` lists them; repeatable.")
]
Protocol = Annotated[
    str, typer.Option(help="official: as the published tool prints it; paper: as the paper defines it.")
]
Format = Annotated[str, typer.Option("--format", "-f", help="table, json, csv, markdown or latex.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Write the full result (items, statistics) here.")]
Engine = Annotated[str, typer.Option(help="Where to compute: local.")]
Threads = Annotated[int, typer.Option(help="Threads of the local engine; 0: every core.")]
Bootstrap = Annotated[int, typer.Option(help="Replicates for a 95% interval; 0: none.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")]


@app.command("captions")
def captions(
    predictions: Annotated[
        Path, typer.Argument(metavar="PRED", help="The captions to score: JSON, JSONL, CSV, TSV; gz.")
    ],
    references: Annotated[
        list[Path] | None,
        typer.Option(
            "-r", "--references", metavar="REFS", help="The reference captions; some metrics need none. Repeatable."
        ),
    ] = None,
    metric: Metrics = None,
    protocol: Protocol = "official",
    missing: Annotated[str, typer.Option(help="References without prediction: error, zero or drop.")] = "error",
    tok: Annotated[
        str | None, typer.Option(help="Tokenizer for all metrics: ptb, ja, ja-mecab, zh, char, letters, none.")
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="A folder of pictures, or of folders of frames, named by id.")
    ] = None,
    features: Annotated[
        Path | None, typer.Option(help="Vectors of pictures or frames by id: npz, safetensors, hdf5.")
    ] = None,
    text_features: Annotated[
        Path | None, typer.Option(help="Vectors of the captions, if no model here can make them.")
    ] = None,
    format: Format = "table",
    output: Output = None,
    engine: Engine = "local",
    threads: Threads = 0,
    bootstrap: Bootstrap = 0,
    seed: Seed = 0,
    silence: Silence = None,
    quiet: Quiet = False,
) -> None:
    """Score captions of pictures or clips: BLEU, METEOR, ROUGE-L and CIDEr unless -m says otherwise."""
    from kataribe.captions.task import DEFAULT_METRICS, evaluate

    check_call(format, output, metric, predictions, references, images, features, text_features)
    with progress_bar(quiet) as progress:
        result = evaluate(
            predictions,
            references or None,
            metric or DEFAULT_METRICS,
            protocol=protocol,
            missing=missing,  # type: ignore[arg-type]
            tok=tok,
            images=images,
            features=features,
            text_features=text_features,
            engine=parse_engine(engine, threads),
            bootstrap=bootstrap,
            seed=seed,
            details=output is not None,
            progress=progress,
        )
    answer(result, format, output, silence, quiet)


@app.command("stories")
def stories(
    predictions: Annotated[
        Path,
        typer.Argument(metavar="PRED", help="The stories to score: JSON, JSONL, CSV, TSV, VTT, SRT or a folder; gz."),
    ],
    references: Annotated[
        list[Path], typer.Option("-r", "--references", metavar="REF", help="One annotator's stories; repeatable.")
    ],
    metric: Metrics = None,
    protocol: Protocol = "official",
    refs: Annotated[
        str | None, typer.Option(help="Several annotators in SODA: pooled, best or mean; default: the protocol's.")
    ] = None,
    missing: Annotated[
        str | None, typer.Option(help="Videos without prediction: zero, drop or error; default: each metric's.")
    ] = None,
    segments: Annotated[
        str, typer.Option(help="Reversed, empty or outside segments: zero (score 0) or error.")
    ] = "zero",
    anchors: Annotated[bool, typer.Option("--anchors", help="Also score people and chance on the same data.")] = False,
    format: Format = "table",
    output: Output = None,
    engine: Engine = "local",
    threads: Threads = 0,
    bootstrap: Bootstrap = 0,
    seed: Seed = 0,
    silence: Silence = None,
    quiet: Quiet = False,
) -> None:
    """Score dense video captions: SODA c, ActivityNet 2018 and localisation unless -m says otherwise."""
    from kataribe.stories.task import DEFAULT_METRICS, evaluate

    check_call(format, output, metric, predictions, references)
    with progress_bar(quiet) as progress:
        result = evaluate(
            predictions,
            references,
            metric or DEFAULT_METRICS,
            protocol=protocol,
            refs=refs,
            missing=missing,  # type: ignore[arg-type]
            segments=segments,  # type: ignore[arg-type]
            anchors=anchors,
            engine=parse_engine(engine, threads),
            bootstrap=bootstrap,
            seed=seed,
            details=output is not None,
            progress=progress,
        )
    answer(result, format, output, silence, quiet)


@app.command("boundaries")
def boundaries(
    predictions: Annotated[
        Path,
        typer.Argument(metavar="PRED", help="The boundaries to score: JSON, JSONL, CSV, TSV, npz."),
    ],
    references: Annotated[
        list[Path],
        typer.Option(
            "-r", "--references", metavar="TRUTH", help="The annotators' boundaries: pickle, JSON, CSV; repeatable."
        ),
    ],
    metric: Metrics = None,
    protocol: Protocol = "official",
    missing: Annotated[str, typer.Option(help="Videos without prediction: zero, error or drop.")] = "zero",
    unit: Annotated[str, typer.Option(help="What predicted times are: seconds or frames.")] = "seconds",
    min_consistency: Annotated[
        float, typer.Option(help="Skip videos whose annotators agree less; the published tool uses 0.3.")
    ] = 0.3,
    format: Format = "table",
    output: Output = None,
    engine: Engine = "local",
    threads: Threads = 0,
    bootstrap: Bootstrap = 0,
    seed: Seed = 0,
    silence: Silence = None,
    quiet: Quiet = False,
) -> None:
    """Score event boundaries: F1, chance-corrected F1 and average precision, beside people and blind guessing."""
    from kataribe.boundaries.task import evaluate

    check_call(format, output, metric, predictions, references)
    with progress_bar(quiet) as progress:
        result = evaluate(
            predictions,
            references,
            metric,
            protocol=protocol,
            missing=missing,  # type: ignore[arg-type]
            unit=unit,  # type: ignore[arg-type]
            min_consistency=min_consistency,
            engine=parse_engine(engine, threads),
            bootstrap=bootstrap,
            seed=seed,
            details=output is not None,
            progress=progress,
        )
    answer(result, format, output, silence, quiet)


@app.command("narration")
def narration(
    predictions: Annotated[
        Path,
        typer.Argument(metavar="PRED", help="The lines to score: JSON, JSONL, CSV, TSV, VTT, SRT, ASS; gz."),
    ],
    references: Annotated[
        list[Path], typer.Option("-r", "--references", metavar="REF", help="The reference lines; repeatable.")
    ],
    cast: Annotated[
        list[Path] | None,
        typer.Option(metavar="CAST", help="The films' roles in billing order: JSON, JSONL, CSV, TSV; repeatable."),
    ] = None,
    dialogue: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="What is said in the films: VTT, SRT, ASS, JSON, JSONL, CSV or a folder; repeatable."
        ),
    ] = None,
    images: Annotated[Path | None, typer.Option(help="A folder of folders of frames, named by id.")] = None,
    features: Annotated[Path | None, typer.Option(help="Vectors of frames by id: npz, safetensors, hdf5.")] = None,
    text_features: Annotated[
        Path | None, typer.Option(help="Vectors of the lines, if no model here can make them.")
    ] = None,
    metric: Metrics = None,
    protocol: Protocol = "official",
    missing: Annotated[str, typer.Option(help="References without prediction: error, zero or drop.")] = "error",
    tok: Annotated[
        str | None, typer.Option(help="Tokenizer for all metrics: ptb, ja, ja-mecab, zh, char, letters, none.")
    ] = None,
    format: Format = "table",
    output: Output = None,
    engine: Engine = "local",
    threads: Threads = 0,
    bootstrap: Bootstrap = 0,
    seed: Seed = 0,
    silence: Silence = None,
    quiet: Quiet = False,
) -> None:
    """Score narrations of films: RoleF1, caption metrics, speech rate and repetition unless -m says otherwise."""
    from kataribe.narration.task import evaluate

    check_call(format, output, metric, predictions, references, cast, dialogue, images, features, text_features)
    with progress_bar(quiet) as progress:
        result = evaluate(
            predictions,
            references,
            metric,
            cast=cast or None,
            dialogue=dialogue or None,
            images=images,
            features=features,
            text_features=text_features,
            protocol=protocol,
            missing=missing,  # type: ignore[arg-type]
            tok=tok,
            engine=parse_engine(engine, threads),
            bootstrap=bootstrap,
            seed=seed,
            details=output is not None,
            progress=progress,
        )
    answer(result, format, output, silence, quiet)


def check_call(format: str, output: Path | None, metrics: list[str] | None, *reads: Named) -> None:
    """What can be refused before the work starts is refused before the work starts."""
    from kataribe.core.tables import check_format

    check_format(format)
    check_outputs([output], *reads, metrics=metrics)


def answer(result: Result, format: str, output: Path | None, silence: list[str] | None, quiet: bool) -> None:
    if output is not None:
        write_whole(output, result.to_json())
    warn_of(result.warnings, silence, quiet)
    print(result.table(format))
