"""`kataribe demo`: the main jobs on bundled data."""

from __future__ import annotations

import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from kataribe.cli.progress import progress_bar


def demo(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page to write; default: a new temporary folder.")
    ] = None,
) -> None:
    """Score bundled captions and a bundled dense caption file, and write a page to look at the latter."""
    from kataribe.api import evaluate
    from kataribe.core.side_by_side import side_by_side
    from kataribe.formats.output import check_writable, write_whole
    from kataribe.report.data import page_data
    from kataribe.report.html import render_page

    page = output or Path(tempfile.mkdtemp(prefix="kataribe-demo-")) / "stories.html"
    check_writable(page)
    with as_file(files("kataribe") / "samples") as samples, progress_bar() as progress:
        captions = evaluate(
            "captions",
            samples / "captions_pred.json",
            samples / "captions_refs.json",
            bootstrap=1000,
            progress=progress,
        )
        stories = evaluate(
            "stories",
            samples / "stories_pred.json",
            [samples / "stories_one.json", samples / "stories_two.json"],
            ["soda(c)"],
            anchors=True,
            details=True,
            progress=progress,
        )
    write_whole(page, render_page(page_data(side_by_side({"bundled stories": stories}), title="Bundled stories")))
    print("Captions of pictures: one sentence each, against several references\n")
    print(captions.table())
    print("\nStories: dense captions of videos, beside what people and chance score\n")
    print(stories.table())
    print(f"\nOpen {page} in a browser to look at every story.")
