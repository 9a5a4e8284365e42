"""`kataribe judge`: collect human judgements."""

from __future__ import annotations

import typer

from kataribe.cli import study

app = typer.Typer(help="Collect human judgements.", no_args_is_help=True, rich_markup_mode=None)
app.command("new")(study.new)
app.command("serve")(study.serve)
app.command("invite")(study.invite)
app.command("export")(study.export)
