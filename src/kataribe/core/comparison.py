"""Systems side by side: which differences in score are significant?

Results keep the statistics behind their scores, so that bootstrap and permutation re-measure sums and score nothing
again. Only like is compared with like: signatures must agree in every field that can move the number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, count
from typing import Any

import numpy as np

from kataribe.core.caution import Caution, distinct
from kataribe.core.comparable import IncomparableError, incomparable, missing_policy
from kataribe.core.errors import UsageError, nearest, shorten
from kataribe.core.groups import Groups
from kataribe.core.metric import Metric
from kataribe.core.paired_rows import PairedRows, PairedTest, json_number
from kataribe.core.progress import Progress, silent
from kataribe.core.result import Result
from kataribe.core.run import few_items
from kataribe.core.signature import parse_signature
from kataribe.core.unit import Direction, Unit
from kataribe.stats.bootstrap import FEWEST_ITEMS, INTERVAL
from kataribe.stats.correction import CORRECTIONS

# Warnings about one system that make a comparison with others unfair.
_UNFAIR = ("given-segments", "references-as-predictions")
# With fewer items than this there is a warning: tests on them find large differences only.
_FEW_ITEMS = 10


@dataclass(frozen=True)
class ComparisonOptions:
    """What was asked for, so that the same call gives the same answer."""

    baseline: str | None = None
    replicates: int = 10_000
    seed: int = 0
    correction: str = "holm"
    alpha: float = 0.05


@dataclass(frozen=True)
class Comparison:
    """Scores by metric and system, and the tests between systems.

    `warnings` are what a reader should know; `forced` are those of them that say why the results should not have been
    compared at all. `lower_is_better` names the metrics of which the smaller value wins, `units` say how each
    metric's values are shown. `items` were drawn and swapped, or whatever `drawn` says: videos with all their queries.
    """

    task: str
    systems: tuple[str, ...]
    scores: Mapping[str, Mapping[str, float]]
    signatures: Mapping[str, str]
    tests: tuple[PairedTest, ...]
    options: ComparisonOptions
    items: int
    units: Mapping[str, Unit]
    lower_is_better: tuple[str, ...] = ()
    warnings: tuple[Caution, ...] = ()
    drawn: str = "item"

    @property
    def forced(self) -> tuple[Caution, ...]:
        return tuple(warning for warning in self.warnings if warning.id == "incomparable")

    def is_significant(self, test: PairedTest) -> bool:
        return test.corrected <= self.options.alpha

    def beaten_by(self, system: str, metric: str) -> list[str]:
        """The systems that `system` is significantly better than."""
        beaten = []
        for test in self.tests:
            if test.metric == metric and system in (test.one, test.other) and self.is_significant(test):
                one_wins = (test.difference > 0) != (metric in self.lower_is_better)
                winner, loser = (test.one, test.other) if one_wins else (test.other, test.one)
                if winner == system:
                    beaten.append(loser)
        return beaten

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "systems": list(self.systems),
            "items": self.items,
            "settings": asdict(self.options),
            "interval": INTERVAL,
            "scores": {
                metric: {system: json_number(value) for system, value in values.items()}
                for metric, values in self.scores.items()
            },
            "signatures": dict(self.signatures),
            "tests": [test.to_dict() | {"significant": self.is_significant(test)} for test in self.tests],
            "warnings": [warning.to_dict() for warning in self.warnings],
            "forced": [str(reason) for reason in self.forced],
            "lower_is_better": list(self.lower_is_better),
            "units": dict(self.units),
        }


def compare(
    results: Mapping[str, Result],
    metrics: Sequence[str] | None = None,
    *,
    baseline: str | None = None,
    replicates: int = 10_000,
    seed: int = 0,
    correction: str = "holm",
    alpha: float = 0.05,
    force: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Test every pair of systems, or every system against the baseline, on the metrics that all results have.

    >>> import kataribe
    >>> references = {"1": ["a dog runs fast"], "2": ["a cat sleeps"], "3": ["rain falls"]}
    >>> def scored(*captions):
    ...     return kataribe.evaluate("captions", dict(zip("123", captions)), references, ["rouge_l(tok=none)"])
    >>> one, other = scored("a dog runs", "a cat sleeps", "rain falls"), scored("dog", "a cat", "rain")
    >>> test, = compare({"good": one, "short": other}).tests
    >>> test.one, round(test.difference, 3), test.permutation, test.outcomes.wins
    ('good', 0.358, 0.25, 3)
    """
    options = ComparisonOptions(baseline, replicates, seed, correction, alpha)
    _check_call(results, options)
    chosen, left_out = _choose_metrics(results, metrics)
    forced = _refuse_unlike(results, chosen, force)
    pairs = _pairs(results, baseline)
    groups = next(iter(results.values())).groups
    step = _progress_of(len(pairs) * len(chosen), progress or silent)
    compared = [
        _compare_one(PairedRows.of(name, {s: r[name] for s, r in results.items()}, groups), pairs, options, step)
        for name in chosen
    ]
    tests = [test for metric in compared for test in metric.tests]
    items = compared[-1].items
    cautions = [
        *forced,
        *left_out,
        *_unfair(results),
        *_missing(results, chosen),
        *_few_items({metric.name: metric.formula for metric in compared}, items),
        *_few_groups(groups),
        *_undefined(tests),
    ]
    return Comparison(
        task=next(iter(results.values())).task,
        systems=tuple(results),
        scores={metric.name: metric.scores for metric in compared},
        signatures={metric: next(iter(results.values()))[metric].signature for metric in chosen},
        tests=_corrected(tests, options),
        options=options,
        items=items,
        drawn=groups.kind if groups and len(groups.names) >= FEWEST_ITEMS else "item",
        units={metric.name: metric.unit for metric in compared},
        lower_is_better=tuple(metric.name for metric in compared if metric.direction == "lower"),
        warnings=distinct(cautions),
    )


@dataclass(frozen=True)
class _OneMetric:
    """All that a comparison keeps of one metric; the statistics behind it are not needed any more."""

    name: str
    formula: Metric
    direction: Direction
    unit: Unit
    items: int
    scores: Mapping[str, float]
    tests: Sequence[PairedTest]


def _compare_one(
    rows: PairedRows, pairs: Sequence[tuple[str, str]], options: ComparisonOptions, step: Callable[[], None]
) -> _OneMetric:
    tests = []
    with np.errstate(invalid="ignore", divide="ignore"):  # a draw may hold no scorable item: 0/0
        drawn = rows.bootstrap(options.replicates, options.seed)
        for one, other in pairs:
            tests.append(rows.test(one, other, drawn, options.replicates, options.seed))
            step()
    scores = {system: rows.score(system) for system in rows.rows}
    return _OneMetric(rows.name, rows.formula, rows.direction, rows.unit, rows.units, scores, tests)


def _progress_of(total: int, report: Progress) -> Callable[[], None]:
    done = count(1)
    return lambda: report("comparing", next(done), total)


def _refuse_unlike(results: Mapping[str, Result], metrics: Sequence[str], force: bool) -> list[Caution]:
    """Results that should not be compared are refused; where they are compared by force, all reasons are kept."""
    reasons = [
        reason
        for metric in metrics
        for reason in incomparable({system: result[metric] for system, result in results.items()})
    ]
    if reasons and not force:
        hint = "<force> compares them nevertheless and says so on every output"
        raise IncomparableError(reasons[0], hint=hint, options=["force"])
    return [Caution("incomparable", f"not comparable: {reason}") for reason in reasons]


def _pairs(systems: Iterable[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None:
        return list(combinations(systems, 2))
    return [(system, baseline) for system in systems if system != baseline]


def _unfair(results: Mapping[str, Result]) -> Iterator[Caution]:
    """What results say of themselves that readers of a comparison must know, with the name of the system."""
    for name, result in results.items():
        for warning in result.warnings:
            if warning.id in _UNFAIR:
                yield warning.about(name)


def _missing(results: Mapping[str, Result], metrics: Sequence[str]) -> Iterator[Caution]:
    """Predictions that were not there: the same policy for all, but not the same luck."""
    for name, result in results.items():
        absent = result.coverage.missing
        if absent:
            fields = [parse_signature(result[metric].signature)[1] for metric in metrics]
            policies = dict.fromkeys(missing_policy(field["missing"]) for field in fields if "missing" in field)
            text = f"{name}: {absent:,} of {result.coverage.references:,} references have no prediction"
            yield Caution("missing", f"{text} (policy: {', '.join(policies)})" if policies else text)


def _few_items(metrics: Mapping[str, Metric], items: int) -> list[Caution]:
    if items >= _FEW_ITEMS:
        return few_items(metrics, items)
    smallest = 2.0 ** (1 - items)
    counted = f"{items} item{'s' * (items != 1)}"
    text = f"{counted}: too few for a comparison to rely on; the permutation test's p cannot be below {smallest:.3g}"
    if items < FEWEST_ITEMS:
        text += f", and there is no interval below {FEWEST_ITEMS}"
    return [Caution("few-items", text)]


def _few_groups(groups: Groups | None) -> list[Caution]:
    if groups is None or len(groups.names) >= FEWEST_ITEMS:
        return []
    text = f"too few {groups.kind}s to be drawn: items were, and the tests say nothing about other {groups.kind}s"
    return [Caution("few-groups", text)]


def _undefined(tests: Sequence[PairedTest]) -> Iterator[Caution]:
    for test in tests:
        if np.isnan(test.permutation):
            text = f"{test.metric}: the difference between {test.one} and {test.other} is not defined, not tested"
            yield Caution("undefined-test", text)


def _check_call(results: Mapping[str, Result], options: ComparisonOptions) -> None:
    if len(results) < 2:
        raise UsageError("one result cannot be compared", hint="give two or more")
    tasks = {result.task: name for name, result in results.items()}
    if len(tasks) > 1:
        (task, name), (other_task, other), *_ = tasks.items()
        raise IncomparableError(f"{name} scores {task}, {other} scores {other_task}", hint="compare within one task")
    if options.baseline is not None and options.baseline not in results:
        raise UsageError(
            f"baseline {shorten(options.baseline)!r}: no system is called that", hint=nearest(options.baseline, results)
        )
    if options.replicates < 1:
        raise UsageError(f"replicates must be at least 1, not {options.replicates}", hint="10000 is usual")
    if options.correction not in CORRECTIONS:
        raise UsageError(
            f"no correction is called {shorten(options.correction)!r}", hint=f"there are: {', '.join(CORRECTIONS)}"
        )
    if not 0 < options.alpha < 1:
        raise UsageError(f"alpha {options.alpha} is not between 0 and 1", hint="0.05 is usual")


def _choose_metrics(results: Mapping[str, Result], wanted: Sequence[str] | None) -> tuple[list[str], list[Caution]]:
    """The metrics to compare by, and a warning about those that not every result has."""
    if wanted:
        return list(dict.fromkeys(result[metric].metric for metric in wanted for result in results.values())), []
    everywhere = [
        name for name in next(iter(results.values())).metrics if all(name in r.metrics for r in results.values())
    ]
    if not everywhere:
        raise _nothing_shared(results)
    partly = dict.fromkeys(name for result in results.values() for name in result.metrics if name not in everywhere)
    left_out = Caution("partial-metrics", f"not in every result, left out: {', '.join(partly)}")
    return everywhere, [left_out] if partly else []


def _nothing_shared(results: Mapping[str, Result]) -> IncomparableError:
    """The same metric with other options has another name; the signatures say which option it was."""
    (first, one), (second, other), *_ = results.items()
    hint = "score them with the same metrics and protocol"
    for metric in one:
        for namesake in other:
            if parse_signature(metric.signature)[0] == parse_signature(namesake.signature)[0]:
                complaint = next(incomparable({first: metric, second: namesake}))
                return IncomparableError(complaint, hint=hint)
    listed = "; ".join(f"{name}: {', '.join(result.metrics)}" for name, result in results.items())
    return IncomparableError(f"no metric is in all results ({listed})", hint=hint)


def _corrected(tests: Sequence[PairedTest], options: ComparisonOptions) -> tuple[PairedTest, ...]:
    corrected = CORRECTIONS[options.correction](np.array([test.permutation for test in tests]))
    return tuple(replace(test, corrected=p) for test, p in zip(tests, corrected.tolist(), strict=True))
