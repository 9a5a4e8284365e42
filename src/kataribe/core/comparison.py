"""Systems side by side: which differences in score are more than luck?

Results keep the statistics behind their scores, so that bootstrap and permutation re-measure sums and score nothing
again. Only like is compared with like: signatures must agree in every field that can move the number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from kataribe.core import registry
from kataribe.core.caution import Caution, distinct
from kataribe.core.comparable import incomparable, missing_policy, scored_items
from kataribe.core.errors import KataribeError, UsageError, nearest, shorten
from kataribe.core.metric import Metric
from kataribe.core.progress import Progress, silent
from kataribe.core.result import MetricResult, Result
from kataribe.core.run import few_items
from kataribe.core.signature import parse_signature
from kataribe.core.types import Array, Floats
from kataribe.stats.bootstrap import FEWEST_ITEMS, INTERVAL
from kataribe.stats.correction import CORRECTIONS
from kataribe.stats.paired import (
    Outcomes,
    bootstrap_values,
    effect_size,
    jackknife_error,
    outcomes,
    paired_bootstrap,
    paired_permutation,
)

# What was said of one system alone and makes it unfair to set it beside others.
_UNFAIR = ("given-segments", "references-as-predictions")
# Fewer items than this are said: their tests find large differences only.
_FEW_ITEMS = 10


class IncomparableError(KataribeError):
    """Two results that do not measure the same thing on the same data in the same way."""


@dataclass(frozen=True)
class PairedTest:
    """One system against another on one metric; a positive difference is in favour of `one`, unless lower is better.

    `permutation` and `bootstrap` are p-values as they are, `corrected` is the permutation's after correction for all
    tests of the comparison. What cannot be told is NaN, and null in JSON.
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
        fields = {name: _json_number(value) for name, value in asdict(self).items()}
        interval = [_json_number(end) for end in self.interval]
        return fields | {
            "interval": None if None in interval else interval,
            "outcomes": self.outcomes._asdict(),
        }


@dataclass(frozen=True)
class Settings:
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
    compared at all. `lower_is_better` names the metrics of which the smaller value wins.
    """

    task: str
    systems: tuple[str, ...]
    scores: Mapping[str, Mapping[str, float]]
    signatures: Mapping[str, str]
    tests: tuple[PairedTest, ...]
    settings: Settings
    items: int
    warnings: tuple[Caution, ...] = ()
    lower_is_better: tuple[str, ...] = ()

    @property
    def forced(self) -> tuple[Caution, ...]:
        return tuple(warning for warning in self.warnings if warning.id == "incomparable")

    def is_significant(self, test: PairedTest) -> bool:
        return test.corrected <= self.settings.alpha

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
            "settings": asdict(self.settings),
            "interval": INTERVAL,
            "scores": {
                metric: {system: _json_number(value) for system, value in values.items()}
                for metric, values in self.scores.items()
            },
            "signatures": dict(self.signatures),
            "tests": [test.to_dict() | {"significant": self.is_significant(test)} for test in self.tests],
            "warnings": [warning.to_dict() for warning in self.warnings],
            "forced": [str(reason) for reason in self.forced],
            "lower_is_better": list(self.lower_is_better),
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
    settings = Settings(baseline, replicates, seed, correction, alpha)
    _check_call(results, settings)
    names = tuple(results)
    task = next(iter(results.values())).task
    chosen, warnings = _choose_metrics(results, metrics)
    pairs = [(name, baseline) for name in names if name != baseline] if baseline else list(combinations(names, 2))
    report = progress or silent
    forced: list[Caution] = []
    scores: dict[str, dict[str, float]] = {}
    tests: list[PairedTest] = []
    formulas: dict[str, Metric] = {}
    items = 0
    for metric_name in chosen:
        found = {name: result[metric_name] for name, result in results.items()}
        complaints = list(incomparable(found))
        if complaints and not force:
            raise IncomparableError(
                complaints[0], hint="--force compares them nevertheless and says so on every output"
            )
        forced += [Caution("incomparable", f"not comparable: {line}") for line in complaints]
        paired = _PairedRows.of(metric_name, found)
        items = len(paired.ids)
        formulas[metric_name] = paired.formula
        scores[metric_name] = {name: paired.score(name) for name in names}
        with np.errstate(invalid="ignore", divide="ignore"):  # a draw may hold no scorable item: 0/0
            drawn = paired.bootstrap(settings)
            for one, other in pairs:
                tests.append(paired.test(one, other, drawn, settings))
                report("comparing", len(tests), len(pairs) * len(chosen))
    return Comparison(
        task=task,
        systems=names,
        scores=scores,
        signatures={metric: next(iter(results.values()))[metric].signature for metric in chosen},
        tests=_corrected(tests, settings),
        settings=settings,
        items=items,
        warnings=distinct(
            [
                *forced,
                *warnings,
                *_unfair(results),
                *_missing(results, chosen),
                *_few_items(formulas, items),
                *_undefined(tests),
            ]
        ),
        lower_is_better=tuple(name for name, formula in formulas.items() if formula.lower_is_better),
    )


def _unfair(results: Mapping[str, Result]) -> Iterator[Caution]:
    """What results say of themselves that readers of a comparison must know, with the name of the system."""
    for name, result in results.items():
        for warning in result.warnings:
            if warning.id in _UNFAIR:
                yield Caution(warning.id, f"{name}: {warning}")


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


def _undefined(tests: Sequence[PairedTest]) -> Iterator[Caution]:
    for test in tests:
        if np.isnan(test.permutation):
            text = f"{test.metric}: the difference between {test.one} and {test.other} is not defined, not tested"
            yield Caution("undefined-test", text)


def _check_call(results: Mapping[str, Result], settings: Settings) -> None:
    if len(results) < 2:
        raise UsageError("one result cannot be compared", hint="give two or more")
    tasks = {result.task: name for name, result in results.items()}
    if len(tasks) > 1:
        (task, name), (other_task, other), *_ = tasks.items()
        raise IncomparableError(f"{name} scores {task}, {other} scores {other_task}", hint="compare within one task")
    if settings.baseline is not None and settings.baseline not in results:
        raise UsageError(
            f"--baseline {shorten(settings.baseline)}: no system is called that",
            hint=nearest(settings.baseline, results),
        )
    if settings.replicates < 1:
        raise UsageError(f"--replicates {settings.replicates}: at least 1 is needed", hint="10000 is usual")
    if settings.correction not in CORRECTIONS:
        raise UsageError(
            f"no correction is called {shorten(settings.correction)!r}", hint=f"there are: {', '.join(CORRECTIONS)}"
        )
    if not 0 < settings.alpha < 1:
        raise UsageError(f"--alpha {settings.alpha}: is not between 0 and 1", hint="0.05 is usual")


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
    hint = "score them with the same -m and --protocol"
    for metric in one:
        for namesake in other:
            if parse_signature(metric.signature)[0] == parse_signature(namesake.signature)[0]:
                complaint = next(incomparable({first: metric, second: namesake}))
                return IncomparableError(complaint, hint=hint)
    listed = "; ".join(f"{name}: {', '.join(result.metrics)}" for name, result in results.items())
    return IncomparableError(f"no metric is in all results ({listed})", hint=hint)


@dataclass(frozen=True)
class _PairedRows:
    """The statistics of several systems; row i of each belongs to ids[i].

    Each system brings its own formula. They are all the same unless a comparison across protocols is forced.
    """

    name: str
    metrics: Mapping[str, Metric]
    ids: tuple[str, ...]
    rows: Mapping[str, Array]
    item_values: Mapping[str, Floats]

    @classmethod
    def of(cls, metric_name: str, results: Mapping[str, MetricResult]) -> _PairedRows:
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
        places = {name: _places(result.ids, ids) for name, result in results.items()}
        return cls(
            metric_name,
            metrics,
            ids,
            {name: result.statistics[places[name]] for name, result in results.items()},
            {name: result.item_values[places[name]] for name, result in results.items()},
        )

    @property
    def formula(self) -> Metric:
        """The first system's; what it says of itself is true of all."""
        return next(iter(self.metrics.values()))

    def score(self, system: str) -> float:
        return float(self.metrics[system].reduce(self.rows[system]))

    def difference(self, one: str, other: str, weights: Floats) -> Floats:
        """Between two systems, under each row of weights."""
        values, others = (self.metrics[name].replicates(self.rows[name], weights) for name in (one, other))
        return values - others

    def bootstrap(self, settings: Settings) -> dict[str, Floats]:
        """Each system's value under the same draws of items."""
        systems = [partial(self.metrics[name].replicates, rows) for name, rows in self.rows.items()]
        drawn = bootstrap_values(systems, len(self.ids), settings.replicates, np.random.default_rng(settings.seed))
        return dict(zip(self.rows, drawn, strict=True))

    def test(self, one: str, other: str, drawn: Mapping[str, Floats], settings: Settings) -> PairedTest:
        """Every pair is swapped from the same seed, so that a test does not depend on which others are made."""
        stacked = np.concatenate([self.rows[one], self.rows[other]])
        difference = self.score(one) - self.score(other)
        items = len(self.ids)
        bootstrap = paired_bootstrap(difference, drawn[one], drawn[other], items)
        permutation = paired_permutation(
            partial(self.metrics[one].replicates, stacked),
            partial(self.metrics[other].replicates, stacked),
            items,
            settings.replicates,
            np.random.default_rng(settings.seed),
        )
        values, other_values = self.item_values[one], self.item_values[other]
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
            outcomes=outcomes(other_values, values) if self.formula.lower_is_better else outcomes(values, other_values),
        )


def _places(ids: Sequence[str], wanted: Sequence[str]) -> list[int]:
    place_of = {id: place for place, id in enumerate(ids)}
    return [place_of[id] for id in wanted]


def _corrected(tests: Sequence[PairedTest], settings: Settings) -> tuple[PairedTest, ...]:
    corrected = CORRECTIONS[settings.correction](np.array([test.permutation for test in tests]))
    return tuple(replace(test, corrected=p) for test, p in zip(tests, corrected.tolist(), strict=True))


def _json_number(value: Any) -> Any:
    """JSON has no NaN and no infinity; what is not defined is null there."""
    return None if isinstance(value, float) and not np.isfinite(value) else value
