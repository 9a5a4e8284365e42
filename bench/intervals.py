"""How often 95% intervals hold the truth, and how often tests find a difference where there is none.

The truth is a metric's value on a whole population. Samples of n items are drawn from it with replacement, and each is
treated as users' data are: interval of the score, interval of the difference between two systems, permutation test. For
the test the two systems change places at random, item by item, so that every significant difference is a false one.

A metric's statistics are computed once, on the population. What a metric learns from the whole corpus (CIDEr's idf, the
language model of ppl, what guesses are worth in other videos) is therefore that of the population, and does not vary
from sample to sample as it would for a user. Pooled rankings of average precision are made anew for each sample.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from bench.populations import LEFT_OUT, Population, sources
from bench.report import Options
from kataribe.core.types import Floats
from kataribe.stats.bootstrap import INTERVAL, resample_weights, studentised_interval
from kataribe.stats.paired import paired_bootstrap, paired_permutation

PAGE = Path(__file__).resolve().parent.parent / "docs" / "intervals.md"

SIZES = (10, 25, 100, 1_000)
# Simulations for each size; those of many items take long and vary less.
SIMULATIONS = {10: 300, 25: 300, 100: 300, 1_000: 200}
# Other kinds of intervals are made for these.
COMPARED_SIZES = (25, 100)
REPLICATES, SWAPS, LEVEL = 300, 199, 0.05
_ROUNDING = 1e-12


class Rates(NamedTuple):
    """Shares of simulations: the interval holds the truth, the test rejects although there is no difference.

    `percentiles` and `bca` are other intervals of the score, to compare with.
    """

    score: float
    difference: float
    rejected: float
    percentiles: float
    bca: float

    def cell(self) -> str:
        return " / ".join(_percent(rate) for rate in (self.score, self.difference, self.rejected))


@dataclass(frozen=True)
class Row:
    task: str
    name: str
    rates: Sequence[Rates]

    def cells(self) -> list[str]:
        compared = [rates for size, rates in zip(SIZES, self.rates, strict=True) if size in COMPARED_SIZES]
        others = [" / ".join(_percent(getattr(rates, kind)) for rates in compared) for kind in ("percentiles", "bca")]
        return [self.task, f"`{self.name}`", *(rates.cell() for rates in self.rates), *others]


@dataclass(frozen=True)
class Table:
    """What `docs/intervals.md` shows."""

    rows: Sequence[Row]
    notes: Sequence[str] = field(default_factory=list)

    def markdown(self, machine: Sequence[str]) -> str:
        """The figures depend on seeds, not on the machine."""
        compared = " / ".join(map(str, COMPARED_SIZES))
        others = [f"{kind}, n = {compared}" for kind in ("percentiles", "BCa")]
        header = ["task", "metric", *(f"n = {size:,}" for size in SIZES), *others]
        lines = [header, ["---"] * len(header), *(row.cells() for row in self.rows)]
        table = ["| " + " | ".join(cells) + " |" for cells in lines]
        return "\n".join([*table, "", *(f"- {note}" for note in self.notes)])


def measure(options: Options) -> Table:
    # A worker of its own for each core; threads within them would only get in each other's way.
    os.environ["OMP_NUM_THREADS"] = "1"
    found = {task: (source.description, source.populations()) for task, source in sources().items()}
    rows = []
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as workers:
        waiting = [
            (task, population.name, workers.submit(_of_every_size, population, options.fraction))
            for task, (_, populations) in found.items()
            for population in populations
        ]
        for task, name, rates in waiting:
            rows.append(Row(task, name, rates.result()))
            print("bench:", *rows[-1].cells(), file=sys.stderr, flush=True)
    notes = [f"{task}: {description}." for task, (description, _) in found.items()]
    counts = ", ".join(f"{SIMULATIONS[size]} of {size:,} items" for size in SIZES)
    notes.append(
        f"Simulations: {counts}; {REPLICATES} bootstrap replicates, {SWAPS} swaps, p <= {LEVEL}; {INTERVAL} intervals. "
        "With 300 simulations a true 95% shows as 92 to 98, with 200 as 92 to 98. Samples that have no interval, since "
        "all draws give the same value or one gives none, are not counted."
    )
    notes.append("Not simulated: " + "; ".join(f"`{name}` ({why})" for name, why in LEFT_OUT.items()) + ".")
    return Table(rows, notes)


def _of_every_size(population: Population, fraction: float) -> list[Rates]:
    return [simulate(population, size, max(2, round(SIMULATIONS[size] * fraction))) for size in SIZES]


def simulate(population: Population, size: int, simulations: int, seed: int = 0) -> Rates:
    """Draw, score, test; the same seed gives the same rates."""
    rng = np.random.default_rng([seed, size])
    everything = np.arange(len(population))
    once = np.ones((1, len(population)))
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of shares over no simulations
        whole = population.sample(everything)
        truth, other_truth = float(whole.one(once)[0]), float(whole.other(once)[0])
        found = [_sample(population, size, truth, truth - other_truth, rng) for _ in range(simulations)]
        return Rates(*np.nanmean(found, axis=0).tolist())


def _sample(population: Population, size: int, truth: float, difference: float, rng: np.random.Generator) -> Rates:
    rows = rng.integers(0, len(population), size)
    pair = population.sample(rows)
    weights = np.concatenate(list(resample_weights(size, REPLICATES, rng)))
    drawn, other_drawn = pair.one(weights), pair.other(weights)
    once = np.ones((1, size))
    value, other_value = float(pair.one(once)[0]), float(pair.other(once)[0])
    interval = studentised_interval(value, drawn, size, population.bounds)
    test = paired_bootstrap(value - other_value, drawn, other_drawn, size)
    alike = population.sample(rows, rng.integers(0, 2, size))
    p = paired_permutation(alike.both, alike.both, size, SWAPS, rng).p
    bca = _bca(value, drawn, pair.one(1 - np.eye(size))) if size in COMPARED_SIZES else None
    return Rates(
        _holds(interval, truth),
        _holds(test.interval, difference),
        float(p <= LEVEL),
        _holds(_central(drawn), truth),
        _holds(bca, truth),
    )


def _holds(interval: tuple[float, float] | None, truth: float) -> float:
    if interval is None or not np.isfinite(interval).all():
        return np.nan
    return float(interval[0] - _ROUNDING <= truth <= interval[1] + _ROUNDING)


def _central(drawn: Floats) -> tuple[float, float]:
    """The percentiles of the replicates themselves, to compare with."""
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return low, high


def _bca(value: float, drawn: Floats, without: Floats) -> tuple[float, float]:
    """Percentiles corrected for bias and acceleration (Efron 1987); `without` leaves out each item in turn."""
    below = np.mean(drawn < value) + np.mean(drawn == value) / 2
    bias = ndtri(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    pull = without.mean() - without
    acceleration = np.sum(pull**3) / (6 * np.sum(pull**2) ** 1.5)
    ends = bias + ndtri([0.025, 0.975])
    low, high = np.quantile(drawn, ndtr(bias + ends / (1 - acceleration * ends))).tolist()
    return low, high


def _percent(rate: float) -> str:
    return f"{100 * rate:.0f}"
