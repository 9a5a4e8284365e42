"""The table of locators: 2D-TAN, IA-Net and RNL with faces here, there and everywhere, each with several seeds.

    2d-tan           no faces
    ia-net           no faces
    rnl video        faces in the frames only
    rnl query        portraits in the query only
    rnl own          both, a layer for each
    rnl              both, one layer for both

As Table 5 of Movie101 (Yue et al., 2023). Every run leaves a model folder, FOLDER/NAME-SEED; a table that is asked for
again takes those that are there, if they were trained with the same settings on the same data, and goes on with a run
that was stopped. Several processes may train seeds of one table side by side, each with `seeds` 1 and a `seed` of its
own. Intervals are of drawing seeds and queries again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kataribe.core import grid
from kataribe.core.errors import InputError, OutputError
from kataribe.core.progress import report
from kataribe.formats.output import write_whole
from kataribe.grounding.locators.model import Locator
from kataribe.grounding.locators.options import LocatorOptions
from kataribe.grounding.locators.recall import MEAN_IOU, Hits, Spread, measure_name, over_seeds
from kataribe.grounding.locators.training import Material, Trained, train
from kataribe.learning.folder import CARD, read_card

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "2d-tan": {"model": "2d-tan"},
    "ia-net": {"model": "ia-net"},
    "rnl video": {"model": "rnl", "faces": "video"},
    "rnl query": {"model": "rnl", "faces": "query"},
    "rnl own": {"model": "rnl", "faces": "both", "projection": "own"},
    "rnl": {"model": "rnl", "faces": "both", "projection": "shared"},
}
SHOWN = (measure_name(1, 0.3), measure_name(1, 0.5), measure_name(5, 0.3), measure_name(5, 0.5), MEAN_IOU)
_BASE, _STATES = "ia-net", ".states"
_FIRST = ("ia-net", "rnl")
_TABLES = {"table.txt": "table", "table.md": "markdown", "table.json": "json"}


@dataclass(frozen=True)
class LocatorTable:
    """By variant and seed, what is found of each set of queries."""

    runs: Mapping[str, Mapping[int, Mapping[str, Hits]]]

    @property
    def sets(self) -> list[str]:
        return list(dict.fromkeys(name for seeds in self.runs.values() for sets in seeds.values() for name in sets))

    def spread(self, variant: str, queries: str, measure: str) -> Spread:
        return over_seeds([sets[queries].values[measure] for sets in self.runs[variant].values()])

    def difference(self, variant: str, base: str, queries: str, measure: str) -> Spread:
        """Of the seeds that both have, seed by seed and query by query."""
        one, other = self.runs[variant], self.runs[base]
        pairs = [(one[seed][queries], other[seed][queries]) for seed in one if seed in other]
        return over_seeds([mine.values[measure] - theirs.values[measure] for mine, theirs in pairs])


def ablate(
    material: Material,
    options: LocatorOptions,
    folder: Path,
    more: Callable[[Trained], Mapping[str, bytes]] = lambda trained: {},
) -> LocatorTable:
    """Every variant with `options.seeds` seeds: the first seed of all, then the second, so that a table soon is one."""
    check_table_folder(folder)
    folder.mkdir(exist_ok=True)
    runs: dict[str, dict[int, Mapping[str, Hits]]] = {name: {} for name in VARIANTS}
    seeds = range(options.seed, options.seed + options.seeds)
    # What is compared first is trained first.
    order = [(seed, name) for seed in seeds for name in sorted(VARIANTS, key=lambda name: name not in _FIRST)]
    for number, (seed, name) in enumerate(order, start=1):
        own = replace(options, **VARIANTS[name], seed=seed, seeds=1)
        runs[name][seed] = _run(material, own, folder, f"{name.replace(' ', '-')}-{seed}", more)
        report("runs of the table", number, len(seeds) * len(VARIANTS))
    table = LocatorTable(runs)
    for file, format in _TABLES.items():
        write_whole(folder / file, render(table, format) + "\n")
    return table


def _run(
    material: Material,
    options: LocatorOptions,
    folder: Path,
    name: str,
    more: Callable[[Trained], Mapping[str, bytes]],
) -> Mapping[str, Hits]:
    place = folder / name
    if _is_of(place, material, options):
        network = Locator(place).network
        return {
            queries: material.hits(network, asked, options.every) for queries, asked in material.asked.tested.items()
        }
    state = folder / _STATES / name
    trained = train(material, options, state=state)
    trained.save(place, more(trained))
    shutil.rmtree(state, ignore_errors=True)  # of this run alone: other seeds may be at work beside it
    return trained.hits


def _is_of(place: Path, material: Material, options: LocatorOptions) -> bool:
    """Whether this model was trained so, on this; one that was not is trained again."""
    if not (place / CARD).is_file():
        return False
    try:
        card = read_card(place)
    except InputError:
        return False
    wanted = json.loads(json.dumps(Trained.settings(options), default=str))
    is_same = all(card.training.get(name) == value for name, value in wanted.items())
    return is_same and card.data[0].get("hash") == material.key


def check_table_folder(folder: Path) -> None:
    """A new or empty folder, or one in which an earlier table stands or was begun."""
    if not folder.parent.is_dir():
        raise OutputError(f"{folder}: there is no folder {folder.parent}", hint="create it first")
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; a table and its models are a folder", hint="choose another place")
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.name not in (*_TABLES, _STATES) and not (entry / CARD).is_file():
            raise OutputError(
                f"{folder}: holds other things than a table and its models ({entry.name})",
                hint="name a new or empty folder",
            )


def render(table: LocatorTable, format: str = "table") -> str:
    if format == "json":
        return json.dumps(_document(table), indent=1, ensure_ascii=False)
    parts = []
    for queries in table.sets:
        count = len(next(iter(next(iter(table.runs.values())).values()))[queries])
        header = [f"{queries} ({count:,} queries)", "seeds", *SHOWN]
        rows = [
            [name, str(len(table.runs[name])), *(_cell(table.spread(name, queries, each)) for each in SHOWN)]
            for name in table.runs
        ]
        rows += [
            [f"rnl - {_BASE}", "", *(_cell(table.difference("rnl", _BASE, queries, each)) for each in SHOWN)],
        ]
        parts.append("\n".join(_markdown(header, rows) if format == "markdown" else grid.aligned(header, rows)))
    note = "times 100; 95% intervals of drawing seeds and queries again"
    return "\n\n".join([*parts, note])


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---", *["---:"] * (len(header) - 1)]
    return ["| " + " | ".join(row) + " |" for row in (header, rule, *rows)]


def _cell(spread: Spread) -> str:
    low, high = spread.interval
    return f"{100 * spread.value:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _document(table: LocatorTable) -> dict[str, Any]:
    return {
        queries: {
            name: {
                "seeds": sorted(table.runs[name]),
                **{
                    measure: {"value": found.value, "interval": list(found.interval)}
                    for measure in next(iter(table.runs[name].values()))[queries].values
                    for found in [table.spread(name, queries, measure)]
                },
            }
            for name in table.runs
        }
        for queries in table.sets
    }
