"""Scores of single texts by metric, from result files (one for each system) or from tables of anybody's numbers.

    result     what `kataribe score ... -o` wrote; its system is the file's name, or NAME of NAME=FILE
    table      CSV, TSV or JSON lines with an item column, perhaps a system column, and a column for each metric; a
               cell may be empty

A text is named by its item and its system. The system is "" where a table has no such column and no NAME was given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.captions.files import ID_FIELDS
from kataribe.core.caution import Caution
from kataribe.core.comparable import incomparable
from kataribe.core.errors import InputError, Location, UsageError, nearest, shorten
from kataribe.core.result import Result
from kataribe.core.types import Floats
from kataribe.core.unit import Unit
from kataribe.formats.results import read_result, split_name, system_names
from kataribe.formats.source import JSON_LINES, TABLES, check_id, check_number, extension, first_field, read_rows
from kataribe.people.result import Text

ITEM_FIELDS = ("item", *ID_FIELDS)


@dataclass(frozen=True)
class Scores:
    """`values[metric][row]` is the score of texts[row], NaN where there is none.

    `results` are the results behind them, by system, where they came from result files: a corpus score such as BLEU is
    not the mean of its items. `units` say how each metric's values are shown.
    """

    texts: list[Text]
    values: Mapping[str, Floats]
    signatures: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, Result] = field(default_factory=dict)
    warnings: tuple[Caution, ...] = ()
    lower_is_better: frozenset[str] = frozenset()
    units: Mapping[str, Unit] = field(default_factory=dict)

    def lowered(self, metrics: Sequence[str]) -> Scores:
        """Lower values of these metrics are better; a table cannot say so itself."""
        for metric in metrics:
            if metric not in self.values:
                raise UsageError(f"no score is called {shorten(metric)!r}", hint=nearest(metric, self.values))
        return replace(self, lower_is_better=self.lower_is_better.union(metrics))

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(text.system for text in self.texts))


def read_scores(arguments: Sequence[str | Path]) -> Scores:
    """All files as one table. Metrics that not every file has are left out, with a warning."""
    if not arguments:
        raise UsageError("no scores are given", hint="name result files or a table of scores")
    named = [split_name(argument) for argument in arguments]
    defaults = system_names([path for _, path in named])
    parts: list[Scores] = []
    for (name, path), default in zip(named, defaults, strict=True):
        if extension(path) in (*TABLES, *JSON_LINES):
            parts.append(_of_table(path, name))
        else:
            parts.append(of_result(name or default, read_result(path)))
    return _together(parts)


def of_results(results: Mapping[str, Result]) -> Scores:
    """Results by system as one table."""
    return _together([of_result(system, result) for system, result in results.items()])


def of_result(system: str, result: Result) -> Scores:
    """Every metric of a result; an item that was left out has no score."""
    items = list(dict.fromkeys(id for metric in result for id in metric.ids))
    row_of = {item: row for row, item in enumerate(items)}
    values: dict[str, Floats] = {}
    for metric in result:
        column = np.full(len(items), np.nan)
        column[[row_of[id] for id in metric.ids]] = metric.item_values
        values[metric.metric] = column
    unsure = [warning for warning in result.warnings if warning.id == "unknown-direction"]
    return Scores(
        [Text(item, system) for item in items],
        values,
        {metric.metric: metric.signature for metric in result},
        {system: result},
        tuple(warning.about(system) for warning in unsure),
        lower_is_better=frozenset(metric.metric for metric in result if metric.lower_is_better),
        units={metric.metric: metric.unit for metric in result},
    )


def _of_table(path: Path, name: str | None) -> Scores:
    texts: dict[Text, Location] = {}
    columns: dict[str, list[float]] = {}
    for location, row in read_rows(path):
        item_field = first_field(row, ITEM_FIELDS)
        if item_field is None:
            raise InputError(
                f"{location} has no column for the item (it has {', '.join(map(shorten, row))})",
                hint="name it item",
            )
        if name is not None and "system" in row:
            raise UsageError(f"{name}={path}: the table names its systems itself", hint=f"give {path} alone")
        system = str(row["system"]) if row.get("system") is not None else name or ""
        text = Text(check_id(row[item_field], location), system)
        if text in texts:
            raise InputError(
                f"{location} scores again what {texts[text].field} scores (item {shorten(text.item)!r}"
                + (f", system {shorten(text.system)!r})" if text.system else ")"),
            )
        metrics = [column for column in row if column not in (item_field, "system")]
        if texts and metrics != list(columns):
            raise InputError(f"{location} has other columns than the lines before")
        for metric in metrics:
            columns.setdefault(metric, []).append(_score(row[metric], location, metric))
        texts[text] = location
    if not texts or not columns:
        what = "metrics" if texts else "scores"
        raise Location(path).error(f"holds no {what}", hint="a column for each metric")
    values = {metric: np.array(column) for metric, column in columns.items()}
    # A table names no unit, but numbers above 1 are no fractions.
    units = {metric: _unit(column) for metric, column in values.items()}
    return Scores(list(texts), values, units=units)


def _unit(values: Floats) -> Unit:
    return "number" if (np.abs(values) > 1).any() else "fraction"


def _score(value: Any, location: Location, metric: str) -> float:
    if value is None or (isinstance(value, str) and not value.strip()):
        return math.nan
    hint = "leave the cell empty where there is no score; drop columns that are no metrics"
    return check_number(value, location.at(field=f"{location.field}: {shorten(metric)}"), hint=hint)


def _together(parts: Sequence[Scores]) -> Scores:
    texts = [text for part in parts for text in part.texts]
    if len(set(texts)) < len(texts):
        seen: set[Text] = set()
        twice = next(text for text in texts if text in seen or seen.add(text))  # type: ignore[func-returns-value]
        raise InputError(
            f"item {shorten(twice.item)!r} of system {shorten(twice.system)!r} has scores in two files",
            hint="give each system one file, or name them: NAME=FILE",
        )
    everywhere = [metric for metric in parts[0].values if all(metric in part.values for part in parts)]
    partly = dict.fromkeys(metric for part in parts for metric in part.values if metric not in everywhere)
    if not everywhere:
        raise UsageError(
            f"no metric is in all files (there are {', '.join(partly)})",
            hint="score them with the same <metrics>",
            options=["metrics"],
        )
    results = {system: result for part in parts for system, result in part.results.items()}
    warnings = [Caution("partial-metrics", f"not in every file, left out: {', '.join(partly)}")] if partly else []
    warnings += _unlike(results, everywhere) if len(results) > 1 else []
    warnings += [warning for part in parts for warning in part.warnings]
    return Scores(
        texts,
        {metric: np.concatenate([part.values[metric] for part in parts]) for metric in everywhere},
        {metric: signature for part in parts for metric, signature in part.signatures.items() if metric in everywhere},
        results if len(results) == len(parts) else {},
        tuple(warnings),
        frozenset().union(*(part.lower_is_better for part in parts)),
        {metric: _common_unit(part.units.get(metric, "fraction") for part in parts) for metric in everywhere},
    )


def _common_unit(units: Iterable[Unit]) -> Unit:
    """A table whose numbers happen to be small may be of the same metric as one whose numbers are not."""
    return "number" if "number" in units else "fraction"


def _unlike(results: Mapping[str, Result], metrics: Sequence[str]) -> list[Caution]:
    """Systems that were not scored alike are correlated nevertheless, but not silently."""
    lines = [
        line
        for metric in metrics
        for line in incomparable({name: r.metrics[metric] for name, r in results.items() if metric in r.metrics})
    ]
    return [Caution("scored-apart", f"not scored alike: {line}") for line in dict.fromkeys(lines)]
