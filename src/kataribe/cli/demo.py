"""`kataribe demo`: the main job on bundled data."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Annotated

import typer

from kataribe.cli.progress import progress_bar


def demo(
    format: Annotated[str, typer.Option("--format", "-f", help="table, json, csv, markdown or latex.")] = "table",
) -> None:
    """Score a dozen bundled captions with BLEU, METEOR, ROUGE-L and CIDEr."""
    from kataribe.captions.task import evaluate
    from kataribe.report.tables import check_format

    check_format(format)
    with as_file(files("kataribe") / "samples") as samples, progress_bar() as progress:
        result = evaluate(
            samples / "captions_pred.json", samples / "captions_refs.json", bootstrap=1000, progress=progress
        )
    print(result.table(format))
