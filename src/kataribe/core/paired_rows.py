"""One metric's statistics of several systems, row by row on the same items, and the tests between two systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from kataribe.core import registry
from kataribe.core.comparable import IncomparableError, scored_items
from kataribe.core.groups import Groups, drawn_rows
from kataribe.core.metric import Metric
from kataribe.core.result import MetricResult
from kataribe.core.types import Array, Floats
from kataribe.core.unit import Direction, Unit
from kataribe.stats.paired import (
    Outcomes,
    bootstrap_values,
    effect_size,
    jackknife_error,
    outcomes,
    paired_bootstrap,
    paired_permutation,
)


@dataclass(frozen=True)
class PairedTest:
    """One system against another on one metric; a positive difference is in favour of `one`, unless lower is better.

    `permutation` and `bootstrap` are p-values as they are, `corrected` is the permutation's after correction for all
    tests of the comparison. What cannot be computed is NaN, and null in JSON.
    """

    metric: str
    one: str
    other: str
    difference: float
    interval: tuple[float, float]
    permutation: float
    is_exact: bool
    corrected: float
    bootstrap: float
    effect: float
    outcomes: Outcomes

    def to_dict(self) -> dict[str, Any]:
        fields = {name: json_number(value) for name, value in asdict(self).items()}
        interval = [json_number(end) for end in self.interval]
        return fields | {
            "interval": None if None in interval else interval,
            "outcomes": self.outcomes._asdict(),
        }


@dataclass(frozen=True)
class PairedRows:
    """The statistics of several systems; row i of each belongs to ids[i].

    `drawn` are the rows that are drawn and swapped: the same, or those of whole groups of items.

    Each system brings its own formula; direction and unit are the first system's. They are all the same unless the
    comparison of unlike results is forced.
    """

    name: str
    direction: Direction
    unit: Unit
    metrics: Mapping[str, Metric]
    ids: tuple[str, ...]
    rows: Mapping[str, Array]
    item_values: Mapping[str, Floats]
    drawn: Mapping[str, Array]

    @classmethod
    def of(cls, metric_name: str, results: Mapping[str, MetricResult], groups: Groups | None = None) -> PairedRows:
        metrics = {name: registry.parse(result.spec) for name, result in results.items()}
        columns = tuple(next(iter(metrics.values())).columns)
        for name, result in results.items():
            if result.columns != columns or tuple(metrics[name].columns) != columns:
                raise IncomparableError(
                    f"{name}: its statistics of {metric_name} are not those of the others or of this version",
                    hint="score it again",
                )
        shared = {id for id, _ in set.intersection(*(scored_items(result) for result in results.values()))}
        ids = tuple(id for id in next(iter(results.values())).ids if id in shared)
        if not ids:
            raise IncomparableError("the results have no item in common", hint="score them on the same data")
        first = next(iter(results.values()))
        rows = {name: _rows_of(result.ids, ids) for name, result in results.items()}
        statistics = {name: result.statistics[rows[name]] for name, result in results.items()}
        return cls(
            metric_name,
            first.direction,
            first.unit,
            metrics,
            ids,
            statistics,
            {name: result.item_values[rows[name]] for name, result in results.items()},
            {name: drawn_rows(table, ids, groups) for name, table in statistics.items()},
        )

    @property
    def units(self) -> int:
        """How many rows are drawn."""
        return len(next(iter(self.drawn.values())))

    @property
    def formula(self) -> Metric:
        """The first system's; what it says of itself is true of all."""
        return next(iter(self.metrics.values()))

    def score(self, system: str) -> float:
        return float(self.metrics[system].reduce(self.rows[system]))

    def difference(self, one: str, other: str, weights: Floats) -> Floats:
        """Between two systems, under each row of weights."""
        values, others = (self.metrics[name].replicates(self.drawn[name], weights) for name in (one, other))
        return values - others

    def bootstrap(self, replicates: int, seed: int) -> dict[str, Floats]:
        """Each system's value under the same draws of items or groups."""
        systems = [partial(self.metrics[name].replicates, rows) for name, rows in self.drawn.items()]
        drawn = bootstrap_values(systems, self.units, replicates, np.random.default_rng(seed))
        return dict(zip(self.rows, drawn, strict=True))

    def test(self, one: str, other: str, drawn: Mapping[str, Floats], replicates: int, seed: int) -> PairedTest:
        """Every pair is swapped from the same seed, so that a test does not depend on which others are made."""
        stacked = np.concatenate([self.drawn[one], self.drawn[other]])
        difference = self.score(one) - self.score(other)
        items = self.units
        bootstrap = paired_bootstrap(difference, drawn[one], drawn[other], items)
        permutation = paired_permutation(
            partial(self.metrics[one].replicates, stacked),
            partial(self.metrics[other].replicates, stacked),
            items,
            replicates,
            np.random.default_rng(seed),
        )
        # Wins first: of a metric whose lower values are better, the smaller value wins.
        better, worse = (other, one) if self.direction == "lower" else (one, other)
        return PairedTest(
            metric=self.name,
            one=one,
            other=other,
            difference=difference,
            interval=bootstrap.interval,
            permutation=permutation.p,
            is_exact=permutation.is_exact,
            corrected=permutation.p,
            bootstrap=bootstrap.p,
            effect=effect_size(difference, jackknife_error(partial(self.difference, one, other), items), items),
            outcomes=outcomes(self.item_values[better], self.item_values[worse]),
        )


def _rows_of(ids: Sequence[str], wanted: Sequence[str]) -> list[int]:
    row_of = {id: row for row, id in enumerate(ids)}
    return [row_of[id] for id in wanted]


def json_number(value: Any) -> Any:
    """JSON has no NaN and no infinity; what is not defined is null there."""
    return None if isinstance(value, float) and not np.isfinite(value) else value
