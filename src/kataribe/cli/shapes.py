"""`kataribe build shapes DIR`: rated pictures of shapes, to test metrics that look at pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.progress import progress_bar
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.people.shapes.dataset import ShapeSet

HELP = "Draw pictures of shapes with captions, right and wrong, and ratings by rule and simulated raters."


def command() -> Any:
    from kataribe.people.shapes.dataset import ShapesOptions

    folder = typer.Argument(metavar="DIR", help="The folder to write; a set that was built there is replaced.")
    parameters = [parameter("folder", Path, folder), *declared_parameters(ShapesOptions), common.quiet()]
    return build("shapes", HELP, parameters, _shapes)


def _shapes(given: Given) -> None:
    from kataribe.core.folders import check_folder
    from kataribe.core.need import need
    from kataribe.people.shapes.dataset import ShapesOptions, make_shapes
    from kataribe.people.shapes.files import is_ours, write_shapes

    folder = given["folder"]
    options = ShapesOptions(**take_options(ShapesOptions, given))
    need("PIL.Image", extra="models", purpose="drawing pictures")
    check_folder(folder, is_ours)
    with progress_bar(given["quiet"]) as progress, reporting(progress or silent):
        made = make_shapes(options)
        write_shapes(folder, made)
    _print_summary(folder, made)


def _print_summary(folder: Path, made: ShapeSet) -> None:
    from kataribe.people.shapes.summary import summarise

    summary, options = summarise(made), made.options
    captions = sum(part.captions for part in summary.parts.values())
    print(
        f"{folder}: {len(made.pictures):,} pictures, {captions:,} captions, language {options.language}, "
        f"seed {options.seed}\n"
    )
    print(f"{'kind':<14}  captions  rule  rated\n{'-' * 14}  --------  ----  -----")
    for kind, found in summary.kinds.items():
        print(f"{kind:<14}  {found.captions:>8,}  {found.rule:>4.2f}  {found.rating:>5.2f}")
    parts = [f"{part} {found.pictures:,} pictures" for part, found in summary.parts.items()]
    print(f"\n{', '.join(parts)}; texts in both: {summary.leaked:,}; texts with two pictures: {made.shared:,}")
    print(f"Pearson: one rater with the mean of the others {summary.ceiling:.3f}, rule with all {summary.oracle:.3f}")
