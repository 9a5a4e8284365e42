"""`kataribe report RESULT... -o page.html`: one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kataribe.cli.output import check_outputs
from kataribe.cli.progress import Silence, progress_bar, warn_of
from kataribe.core.errors import UsageError, some
from kataribe.core.progress import Progress
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.core.result import Result
    from kataribe.core.types import Caption
    from kataribe.people.result import Agreement


def report(
    results: Annotated[
        list[str],
        typer.Argument(metavar="RESULT", help="Files that `kataribe score ... -o` wrote: FILE or NAME=FILE."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write, an HTML file.")],
    title: Annotated[str, typer.Option(help="The page's title; default: the systems' names.")] = "",
    figures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write the figures here, as PNG and SVG.")
    ] = None,
    videos: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Video files named by id or film, to play beside what is told."),
    ] = None,
    dialogue: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Of narrations: what is said in the films, as for `score`; repeatable."),
    ] = None,
    human: Annotated[
        list[Path] | None,
        typer.Option(
            "--human",
            metavar="RATINGS",
            help="Show how the metrics agree with these ratings, as `agree` does. Repeatable: joined.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="RATER", help="Of RATINGS: leave this rater out; repeatable.")
    ] = None,
    replicates: Annotated[int, typer.Option(help="Draws of the tests between systems; 0: no tests.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    silence: Silence = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")] = False,
) -> None:
    """Make a page to look at: scores with intervals, significance, every item, every alignment."""
    from kataribe.core.side_by_side import side_by_side
    from kataribe.formats.results import read_results
    from kataribe.report.data import page_data
    from kataribe.report.figures import check_figures, write_figures
    from kataribe.report.html import render_page
    from kataribe.report.videos import find_videos, playable
    from kataribe.report.views.films import films_of

    if without and not human:
        raise UsageError("--without says whose ratings to leave out, but there is no --human RATINGS")
    check_outputs([output], results, human, dialogue, playable(videos) if videos is not None else None)
    if figures is not None:
        check_figures(figures)
    with progress_bar(quiet) as progress:
        read = read_results(results)
        ids = [id for result in read.values() for metric in result for id in metric.ids]
        films = [film for name, result in read.items() for film in films_of(result, name)]
        groups = {id: group for result in read.values() if result.groups for id, group in result.groups.of.items()}
        found = find_videos(videos, dict.fromkeys([*ids, *films]), output, groups) if videos is not None else None
        said = _dialogue(dialogue, films) if dialogue else None
        agreement = _agreement(read, human, without or (), seed, progress) if human else None
        beside = side_by_side(read, replicates=replicates, seed=seed, progress=progress)
        data = page_data(beside, title=title, videos=found, agreement=agreement, dialogue=said)
        page = render_page(data)
    write_whole(output, page)
    if figures is not None:
        write_figures(data, figures)
    warn_of([*data.warnings, *(agreement.warnings if agreement else ())], silence, quiet)
    print(f"{output}: {len(page.encode()) / 1e6:.1f} MB, {len(data.core['ids']):,} items")


def _agreement(
    results: Mapping[str, Result], human: Sequence[Path], without: Sequence[str], seed: int, progress: Progress | None
) -> Agreement:
    """What `kataribe agree RESULT... --human RATINGS` finds."""
    from kataribe.people.agreement import agree
    from kataribe.people.options import AgreementOptions
    from kataribe.people.ratings import read_ratings
    from kataribe.people.scores import of_results

    ratings = read_ratings(human).without(without)
    return agree(of_results(results), ratings, options=AgreementOptions(seed=seed), progress=progress)


def _dialogue(files: Sequence[Path], films: Sequence[str]) -> dict[str, tuple[Caption, ...]]:
    """What is said in the films of the results."""
    from kataribe.formats.source import read_joined
    from kataribe.formats.stories import read_stories

    stories = read_joined(list(files), lambda file: {story.video: story for story in read_stories(file)})
    found = {film: story.in_time_order() for film, story in stories.items() if film in films}
    if not found:
        problem = (
            f"--dialogue is of no film of the results: it has {some(stories)}, they have {some(dict.fromkeys(films))}"
        )
        raise UsageError(problem, hint="name files by their film")
    return found
