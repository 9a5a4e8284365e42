"""`kataribe audit TASK`: can the metric be gamed?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kataribe.cli.output import Named, check_outputs
from kataribe.cli.progress import Silence, progress_bar, warn_of
from kataribe.core.errors import OutputError, UsageError
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.formats.storytable import StoryTable

app = typer.Typer(help="Find out whether a metric can be gamed.", no_args_is_help=True, rich_markup_mode=None)


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
    stories: Annotated[
        Path | None, typer.Option(help="A folder for what each attack made (the first draw), as submissions.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write everything here, as JSON.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="table, markdown or json.")] = "table",
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    silence: Silence = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")] = False,
) -> None:
    """Attack a submission - more, fewer, doubled, shuffled, long captions - and read every metric each time."""
    from kataribe.audit.stories import ATTACKS, DEFAULT_METRICS, audit
    from kataribe.report import story_audit
    from kataribe.stories.output import spell_submission

    def write(name: str, table: StoryTable) -> None:
        if stories is not None:
            write_whole(stories / f"{name}.json", spell_submission(table))

    if format not in (*story_audit.FORMATS, "json"):
        raise UsageError(f"no format is called {format!r}", hint=f"there are: {', '.join(story_audit.FORMATS)}, json")
    check_places(output, plots, metric, predictions, references)
    if stories is not None:
        check_outputs([stories / "share-all.json"], predictions, references)
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
            keep=write,
        )
    text = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    if output is not None:
        write_whole(output, text)
    if plots is not None:
        write_pictures(story_audit.pictures(result), plots)
    warn_of(result.warnings, silence, quiet)
    print(text if format == "json" else story_audit.FORMATS[format](result))


@app.command("boundaries")
def boundaries(
    references: Annotated[
        list[Path], typer.Option("-r", "--references", metavar="TRUTH", help="The annotators' boundaries; repeatable.")
    ],
    systems: Annotated[
        list[Path] | None, typer.Argument(metavar="[PRED...]", help="Systems to show beside the blind players.")
    ] = None,
    most: Annotated[int, typer.Option(help="The largest number of boundaries per video.")] = 15,
    protocol: Annotated[
        str, typer.Option(help="official: as the published tool matches; paper: strict tolerance, 100 draws of Random.")
    ] = "official",
    trials: Annotated[int | None, typer.Option(help="Draws of Random; default: 20, paper: 100.")] = None,
    tolerance: Annotated[str, typer.Option(help="0.05 of the duration, or 0.5s.")] = "0.05",
    unit: Annotated[str, typer.Option(help="What predicted times are: seconds or frames.")] = "seconds",
    min_consistency: Annotated[float, typer.Option(help="Skip videos whose annotators agree less.")] = 0.3,
    plots: Annotated[Path | None, typer.Option(help="A folder for the pictures, as PNG and SVG.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write everything here, as JSON.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="table or json.")] = "table",
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    silence: Silence = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")] = False,
) -> None:
    """Read every measure for Random and Uniform guessing with 1 to 15 boundaries, beside people and systems."""
    from kataribe.audit.boundaries import audit
    from kataribe.report import boundary_audit

    if format not in ("table", "json"):
        raise UsageError(f"no format is called {format!r}", hint="there are: table, json")
    check_places(output, plots, None, references, systems)
    named = _named_by_file(systems or ())
    with progress_bar(quiet) as progress, reporting(progress or silent):
        result = audit(
            references,
            named,
            protocol=protocol,
            most=most,
            trials=trials,
            tolerance=tolerance,
            unit=unit,  # type: ignore[arg-type]
            min_consistency=min_consistency,
            seed=seed,
        )
    text = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    if output is not None:
        write_whole(output, text)
    if plots is not None:
        write_pictures(boundary_audit.pictures(result), plots)
    warn_of(result.warnings, silence, quiet)
    print(text if format == "json" else boundary_audit.table(result))


def _named_by_file(systems: Sequence[Path]) -> dict[str, Path]:
    """Systems go by the names of their files; two of one name could not be told apart."""
    named: dict[str, Path] = {}
    for path in systems:
        name = path.name.partition(".")[0]
        if name in named:
            raise UsageError(f"{named[name]} and {path} are both called {name}", hint="rename one of them")
        named[name] = path
    return named


@app.command("narration")
def narration(
    predictions: Annotated[Path, typer.Argument(metavar="PRED", help="The submission to attack.")],
    references: Annotated[
        list[Path], typer.Option("-r", "--references", metavar="REF", help="The reference lines; repeatable.")
    ],
    cast: Annotated[list[Path], typer.Option(metavar="CAST", help="The films' roles in billing order; repeatable.")],
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", help="A metric, as `kataribe metrics` lists them; repeatable."),
    ] = None,
    protocol: Annotated[str, typer.Option(help="official or paper.")] = "official",
    tok: Annotated[
        str | None, typer.Option(help="Tokenizer for all metrics: ptb, ja, ja-mecab, zh, char, letters, none.")
    ] = None,
    attack: Annotated[
        list[str] | None, typer.Option(help="Only this attack, by its name in the table; repeatable.")
    ] = None,
    plots: Annotated[Path | None, typer.Option(help="A folder for the picture, as PNG and SVG.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write everything here, as JSON.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="table, markdown or json.")] = "table",
    silence: Silence = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")] = False,
) -> None:
    """Attack a narration - names stuffed, removed, swapped, lines moved and lengthened - and read every metric."""
    from kataribe.audit.narration import DEFAULT_METRICS, audit
    from kataribe.audit.narration_attacks import ATTACKS
    from kataribe.report import narration_audit

    if format not in (*narration_audit.FORMATS, "json"):
        raise UsageError(
            f"no format is called {format!r}", hint=f"there are: {', '.join(narration_audit.FORMATS)}, json"
        )
    check_places(output, plots, metric, predictions, references, cast)
    with progress_bar(quiet) as progress, reporting(progress or silent):
        result = audit(
            predictions,
            references,
            cast,
            metric or DEFAULT_METRICS,
            protocol=protocol,
            tok=tok,
            only=attack or tuple(ATTACKS),
        )
    text = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    if output is not None:
        write_whole(output, text)
    if plots is not None:
        write_pictures(narration_audit.pictures(result), plots)
    warn_of(result.warnings, silence, quiet)
    print(text if format == "json" else narration_audit.FORMATS[format](result))


def check_places(output: Path | None, plots: Path | None, metrics: list[str] | None, *reads: Named) -> None:
    """What can be refused before the work starts is refused before the work starts."""
    from kataribe.report.pictures import new_figure

    check_outputs([output], *reads, metrics=metrics)
    if plots is not None:
        new_figure(1, 1)
        if not plots.is_dir():
            raise OutputError(f"{plots}: there is no such folder", hint="create it first")


def write_pictures(pictures: Mapping[str, Callable[[str], bytes]], folder: Path) -> None:
    for name, draw in pictures.items():
        for kind in ("png", "svg"):
            write_whole(folder / f"{name}.{kind}", draw(kind))
