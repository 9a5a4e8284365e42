"""`kataribe train boundaries VIDEO... -r TRUTH -o MODEL`: the pairwise classifier."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kataribe.cli.build import built_when_called
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.errors import OutputError, UsageError, shorten
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.boundaries.detectors.training import Label

app = typer.Typer(help="Train models.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _train() -> None:
    """Keeps `boundaries` a command of its own while it is the only one."""


SUISEI = "Train a metric of captions on ratings: SuiSei, COMET, Polos, a blend of other metrics, ..."


def _suisei() -> Any:
    from kataribe.cli import train_suisei

    return train_suisei.command(SUISEI)


@app.command("suisei", help=SUISEI, cls=built_when_called(_suisei))
def _built_later() -> None:
    """What Typer registers for a command that is built when it is called."""


@app.command("boundaries")
def boundaries(
    videos: Annotated[list[Path], typer.Argument(metavar="VIDEO...", help="Video files named after their ids.")],
    references: Annotated[Path, typer.Option("-r", "--references", metavar="TRUTH", help="Annotators' boundaries.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Where to write the model (.npz).")],
    backbone: Annotated[
        str, typer.Option(help="histogram, efficientnet-lite0, timm:NAME or transformers:NAME.")
    ] = "histogram",
    cache: Annotated[Path | None, typer.Option(help="Keep features in this folder, not in the cache folder.")] = None,
    epochs: Annotated[int, typer.Option(help="How often every window is seen.")] = 30,
    hidden: Annotated[int, typer.Option(help="Units of the hidden layer.")] = 32,
    label: Annotated[
        str | None,
        typer.Option(help="A moment is positive to the `share` of annotators near it, or fully if there is `any`."),
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="`paper` takes --label any, as published.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Train the boundary classifier `pc` on videos and their annotators' boundaries."""
    from kataribe.boundaries.detectors.network import FitOptions
    from kataribe.boundaries.detectors.training import train
    from kataribe.boundaries.files import read_truth
    from kataribe.encoders.pictures import open_pictures
    from kataribe.encoders.store import damage_said, open_store

    if epochs < 1 or hidden < 1:
        raise UsageError("--epochs and --hidden must be greater than 0")
    labels = _labels(label, protocol)
    check_outputs([output], videos, references)
    if cache is not None and not cache.is_dir():
        raise OutputError(f"{cache}: there is no such folder", hint="create it first")
    truth = read_truth(references)
    with progress_bar(quiet) as progress, reporting(progress or silent):
        encoder = open_pictures(backbone)
        store, remarks = open_store(encoder.key, cache)
        options = FitOptions(hidden=hidden, epochs=epochs, seed=seed)
        model = train(videos, truth, encoder, store=store, options=options, labels=labels)
    warn_of([*remarks, *damage_said(store, range(store.damaged_rows), videos, "videos")], quiet=quiet)
    model.save(output)
    print(f"{output}: pairwise classifier of {len(videos)} videos, backbone {backbone}, label {labels}")


def _labels(label: str | None, protocol: str | None) -> Label:
    """What the user wrote wins over the protocol."""
    if protocol not in (None, "paper"):
        raise UsageError(f"no protocol is called {shorten(protocol)!r}", hint="there is: paper")
    if label not in (None, "share", "any"):
        raise UsageError(f"no label is called {shorten(label)!r}", hint="there are: share, any")
    chosen = label or ("any" if protocol == "paper" else "share")
    return "any" if chosen == "any" else "share"
