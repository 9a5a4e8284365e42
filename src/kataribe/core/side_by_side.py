"""Results of one task with all that is computed of them together, ready to be drawn: tests and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.comparable import IncomparableError, incomparable
from kataribe.core.comparison import Comparison, compare
from kataribe.core.errors import InputError, UsageError
from kataribe.core.groups import Groups, drawn_rows
from kataribe.core.progress import Progress
from kataribe.core.result import MetricResult, Result
from kataribe.core.run import bootstrap_interval

Interval = tuple[float, float]

_INTERVAL_REPLICATES = 1000


@dataclass(frozen=True)
class SideBySide:
    """`intervals[system][metric]` is there for every metric that has enough items for an interval.

    `comparison` are the tests between systems; where there is none, `incomparable` says why results cannot be compared,
    if they cannot.
    """

    results: Mapping[str, Result]
    intervals: Mapping[str, Mapping[str, Interval | None]]
    comparison: Comparison | None = None
    incomparable: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[Caution, ...]:
        """About the results side by side. What is said of a single one is in its own warnings, except that nobody
        knows what its values are."""
        unknown = [
            warning.about(system)
            for system, result in self.results.items()
            for warning in result.warnings
            if warning.id == "unknown-direction"
        ]
        apart = [Caution("incomparable", f"not comparable, not tested: {reason}") for reason in self.incomparable]
        return (*unknown, *apart, *(self.comparison.warnings if self.comparison else ()))


def side_by_side(
    results: Mapping[str, Result], *, replicates: int = 10_000, seed: int = 0, progress: Progress | None = None
) -> SideBySide:
    """Test the systems against each other, and give every score an interval; without `replicates` nothing is tested."""
    _check(results)
    comparison, apart = None, []
    if len(results) > 1 and replicates:
        try:
            comparison = compare(results, replicates=replicates, seed=seed, progress=progress)
        except IncomparableError as error:
            apart = _reasons(results) or [error.message]
    intervals = {
        system: {metric.metric: metric.interval or _interval(metric, result.groups, seed) for metric in result}
        for system, result in results.items()
    }
    return SideBySide(results, intervals, comparison, tuple(apart))


def _check(results: Mapping[str, Result]) -> None:
    for name, result in results.items():
        if not result.metrics:
            raise InputError("holds no metric, so there is nothing to show", file=name)
    tasks = {result.task: name for name, result in results.items()}
    if len(tasks) > 1:
        listed = ", ".join(f"{name} scores {task}" for task, name in tasks.items())
        raise UsageError(f"one page shows one task, but {listed}", hint="make a page for each task")


def _reasons(results: Mapping[str, Result]) -> list[str]:
    """Why the results cannot be compared: every reason of every metric that all of them have."""
    first = next(iter(results.values()))
    shared = [name for name in first.metrics if all(name in result.metrics for result in results.values())]
    reasons = [line for name in shared for line in incomparable({s: r.metrics[name] for s, r in results.items()})]
    return list(dict.fromkeys(reasons))


def _interval(result: MetricResult, groups: Groups | None, seed: int) -> Interval | None:
    """For a result that was scored without a bootstrap, from its statistics; nothing is scored again.

    An older version may have counted other things, which today's formula cannot measure.
    """
    metric = registry.find(result.spec)
    if metric is None or tuple(metric.columns) != result.columns:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        return bootstrap_interval(metric, drawn_rows(result.statistics, result.ids, groups), _INTERVAL_REPLICATES, seed)
