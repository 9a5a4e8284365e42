"""What the package bert_score knows about models: the layer it chose for each, and what unrelated texts score there.

Read from the installed package; nothing of it is copied here.
"""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from kataribe.core.errors import ResourceError, UsageError, nearest, shorten
from kataribe.core.types import Floats
from kataribe.encoders.loading import short_name

_INSTALL = "pip install bert-score==0.3.13"


def layer(model: str) -> int:
    """The layer that bert_score uses for a model by default."""
    try:
        from bert_score.utils import model2layers
    except ImportError:
        raise UsageError("layer=table is read from the package bert_score, which is not here", hint=_INSTALL) from None
    name = short_name(model)
    if name not in model2layers:
        raise UsageError(f"bert_score chose no layer for {shorten(name)!r}", hint="give layer=NUMBER or layer=last")
    return int(model2layers[name])


def baseline(model: str, lang: str, layer: int) -> Floats:
    """P, R and F of unrelated texts, as bert_score's table for this language and model has them."""
    spec = find_spec("bert_score")
    if spec is None or not spec.submodule_search_locations:
        raise UsageError("rescale=table is read from the package bert_score, which is not here", hint=_INSTALL)
    folder = Path(spec.submodule_search_locations[0]) / "rescale_baseline"
    languages = sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []
    if lang not in languages:
        raise UsageError(f"bert_score has no tables for lang={shorten(lang)}", hint=nearest(lang, languages))
    table = folder / lang / f"{short_name(model)}.tsv"
    if folder not in table.resolve().parents and folder.resolve() not in table.resolve().parents:
        raise UsageError(f"{shorten(model)!r} is not the name of a model")
    if not table.is_file():
        raise UsageError(
            f"bert_score has no {lang} table for {shorten(short_name(model))!r}",
            hint="rescale=own computes a baseline from your references",
        )
    with table.open(encoding="utf-8", newline="") as text:
        rows = {int(row["LAYER"]): row for row in csv.DictReader(text)}
    if layer not in rows:
        raise ResourceError(
            f"{table.name} of bert_score has no layer {layer}", hint=f"it has {min(rows)} to {max(rows)}"
        )
    return np.array([float(rows[layer][column]) for column in "PRF"])
