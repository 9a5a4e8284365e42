"""`kataribe parse TEXT`: the scene graph of a Japanese caption, as text, JSON and a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kataribe.cli.output import check_outputs
from kataribe.cli.progress import warn
from kataribe.core.errors import InputError, UsageError, nearest
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.text.scene_graph.graph import SceneGraph

FORMATS = ("text", "json")


def parse(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A caption in Japanese.")],
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
    svg: Annotated[Path | None, typer.Option(help="Draw the graph here, as SVG.")] = None,
    model: Annotated[str, typer.Option(help="The GiNZA model.")] = "ja_ginza",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No warnings.")] = False,
) -> None:
    """Parse a Japanese caption into the objects, attributes and relations that `jaspice` compares."""
    from kataribe.formats.source import MAX_CAPTION_CHARACTERS, has_only_characters
    from kataribe.text.scene_graph.ginza import has_japanese, open_parser
    from kataribe.text.scene_graph.picture import draw

    if format not in FORMATS:
        raise UsageError(f"no format is called {format!r}", hint=nearest(format, FORMATS))
    if not text.strip():
        raise InputError("the caption is empty", hint="give a sentence")
    if not has_only_characters(text):
        raise InputError("the caption is not text in the encoding of this terminal", hint="write it as UTF-8")
    if len(text) > MAX_CAPTION_CHARACTERS:
        raise InputError(f"the caption has {len(text):,} characters, more than {MAX_CAPTION_CHARACTERS:,}")
    check_outputs([svg])
    [graph] = open_parser(model).graphs([text])
    if svg is not None:
        write_whole(svg, draw(graph, text))
    if not has_japanese(text):
        warn("the caption has no Japanese character", quiet)
    print(json.dumps(graph.to_dict(), ensure_ascii=False, indent=2) if format == "json" else _listed(graph))


def _listed(graph: SceneGraph) -> str:
    from kataribe.text.scene_graph.graph import tuple_text

    sides = {
        "objects": [(thing,) for thing in graph.objects],
        "attributes": graph.attributes,
        "relations": graph.relations,
    }
    lines = []
    for name, entries in sides.items():
        for index, entry in enumerate(entries):
            lines.append(f"{name if index == 0 else '':<12}{tuple_text(entry)}")
    return "\n".join(lines) or "no tuples"
