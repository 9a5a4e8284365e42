"""`kataribe train MODEL ...`: one command for each model that can be trained, each in a module of its own."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer

from kataribe.cli.build import Commands, group_of

# The module of each command and its help: a list of them loads none.
_MODELS = {
    "suisei": (
        "kataribe.cli.train_suisei",
        "Train a metric of captions on ratings: SuiSei, COMET, Polos, a blend, ...",
    ),
    "boundaries": ("kataribe.cli.train_boundaries", "Train `pc`, which finds event boundaries, on annotated videos."),
    "narrator": (
        "kataribe.cli.train_narrator",
        "Train a narrator of films (VT, OVP, RMN) on a corpus and what is seen in it.",
    ),
    "retriever": ("kataribe.cli.train_retriever", "Train a model that finds shots of films by text, on a corpus."),
    "locator": ("kataribe.cli.train_locator", "Train a model that finds moments by text in windows of films."),
}


def _command(name: str) -> Any:
    return import_module(_MODELS[name][0]).command(_MODELS[name][1])


app = typer.Typer(
    cls=group_of(Commands(lambda: list(_MODELS), lambda name: _MODELS[name][1], _command)),
    help="Train models.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
