"""`kataribe resources status|build|clear|idf`: the data that metrics keep on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar
from kataribe.core.errors import UsageError, shorten

app = typer.Typer(help="The data that metrics keep on disk.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def status() -> None:
    """Where METEOR's compiled data is and whether it is whole; what encoders and the parser keep."""
    from kataribe.captions.meteor_resource import status as resource_status
    from kataribe.core.cache import cache_folder
    from kataribe.encoders import store
    from kataribe.text.scene_graph.cache import files as graph_files

    resource = resource_status()
    state = f"ready, {resource.size / 1e6:.1f} MB" if resource.is_ready else resource.problem
    print(f"meteor    {state}  {resource.path}")
    encoded, parsed = (sum(file.stat().st_size for file in found) for found in (store.files(), graph_files()))
    print(f"encoders  {encoded / 1e6:,.1f} of {store.limit() / 1e6:,.0f} MB  {store.folder()}")
    print(f"graphs    {parsed / 1e6:,.1f} MB  {cache_folder()}")


@app.command()
def build(
    force: Annotated[bool, typer.Option(help="Build again even if it is there.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Compile METEOR's data now instead of on first use."""
    from kataribe.captions.meteor_resource import build as build_resource

    with progress_bar(quiet) as report:
        path = build_resource(
            force=force, progress=(lambda done, total: report("METEOR data", done, total)) if report else None
        )
    print(path)


@app.command()
def clear(
    what: Annotated[str, typer.Argument(metavar="[WHAT]", help="meteor, encoders, graphs or all.")] = "all",
) -> None:
    """Remove what was compiled, encoded or parsed; it is made again when needed."""
    from kataribe.captions.meteor_resource import clear as clear_resource
    from kataribe.encoders import store
    from kataribe.text.scene_graph.cache import clear as clear_graphs

    kinds = ("meteor", "encoders", "graphs", "all")
    if what not in kinds:
        raise UsageError(f"nothing is kept under the name {shorten(what)!r}", hint=f"there are: {', '.join(kinds)}")
    removed: list[str] = []
    if what in ("meteor", "all") and (path := clear_resource()):
        removed.append(str(path))
    if what in ("encoders", "all") and (freed := store.clear()):
        removed.append(f"{freed / 1e6:,.1f} MB in {store.folder()}")
    if what in ("graphs", "all"):
        removed += map(str, clear_graphs())
    for each in removed:
        print(f"removed {each}")
    if not removed:
        print("nothing to remove")


@app.command()
def idf(
    references: Annotated[
        Path, typer.Argument(metavar="REFS", help="Reference captions in any format of `score captions`.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The table; .gz is packed.")],
    tok: Annotated[str, typer.Option(help="The tokenizer that counts.")] = "ptb",
) -> None:
    """Count the document frequencies of REFS, so that cider(idf=TABLE) makes small test sets comparable."""
    from kataribe.captions.cider import count_idf
    from kataribe.captions.files import read_references
    from kataribe.captions.idf import write_idf

    check_outputs([output], references)
    table = count_idf(read_references(references), tok)
    write_idf(table, output)
    print(f"{output}: {len(table.frequencies):,} n-grams of {table.documents:,} items, tok:{table.tok}")
