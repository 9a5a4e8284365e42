"""How often 95% intervals hold the truth, and how often tests find a difference where there is none.

The truth is a metric's value on a whole population. Samples of n items are drawn from it with replacement, and each is
treated as users' data are: interval of the score, interval of the difference between two systems, permutation test. For
the test the two systems change places at random, item by item, so that every significant difference is a false one.

A metric's statistics are computed once, on the population. What a metric learns from the whole corpus (CIDEr's idf, the
language model of ppl, DIV's shares, the pooled ranking of average precision) is therefore that of the population, and
does not vary from sample to sample as it would for a user.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.populations import LEFT_OUT, Population, sources
from bench.report import Options
from kataribe.core.types import Floats
from kataribe.stats.bootstrap import INTERVAL, resample_weights, studentised_interval
from kataribe.stats.paired import paired_bootstrap, paired_permutation

PAGE = Path(__file__).resolve().parent.parent / "docs" / "intervals.md"

SIZES = (10, 25, 100, 1_000)
# Simulations for each size; those of many items take long and vary less.
SIMULATIONS = {10: 400, 25: 400, 100: 300, 1_000: 150}
REPLICATES, SWAPS, LEVEL = 300, 199, 0.05
_ROUNDING = 1e-12


class Rates(NamedTuple):
    """Shares of simulations: the interval holds the truth, the test rejects although there is no difference."""

    score: float
    difference: float
    rejected: float
    percentiles: float

    def cell(self) -> str:
        return " / ".join(_percent(rate) for rate in (self.score, self.difference, self.rejected))


@dataclass(frozen=True)
class Row:
    task: str
    name: str
    rates: Sequence[Rates]

    def cells(self) -> list[str]:
        before = [_percent(rates.percentiles) for rates in self.rates[1:3]]
        return [self.task, f"`{self.name}`", *(rates.cell() for rates in self.rates), " / ".join(before)]


@dataclass(frozen=True)
class Table:
    """What `docs/intervals.md` shows."""

    rows: Sequence[Row]
    notes: Sequence[str] = field(default_factory=list)

    def markdown(self, machine: Sequence[str]) -> str:
        """The figures depend on seeds, not on the machine."""
        header = ["task", "metric", *(f"n = {size:,}" for size in SIZES), "percentiles, n = 25 / 100"]
        lines = [header, ["---", "---", *["---"] * len(SIZES), "---"], *(row.cells() for row in self.rows)]
        table = ["| " + " | ".join(cells) + " |" for cells in lines]
        return "\n".join([*table, "", *(f"- {note}" for note in self.notes)])


def measure(options: Options) -> Table:
    rows, notes = [], []
    for task, source in sources().items():
        notes.append(f"{task}: {source.description}.")
        for population in source.populations():
            rates = [simulate(population, size, max(2, round(SIMULATIONS[size] * options.fraction))) for size in SIZES]
            rows.append(Row(task, population.name, rates))
            print("bench:", *rows[-1].cells(), file=sys.stderr, flush=True)
    counts = ", ".join(f"{SIMULATIONS[size]} of {size:,} items" for size in SIZES)
    notes.append(
        f"Simulations: {counts}; {REPLICATES} bootstrap replicates, {SWAPS} swaps, p <= {LEVEL}; {INTERVAL} intervals. "
        "With 400 simulations a true 95% shows as 93 to 97, with 150 as 91 to 99. Samples that have no interval, since "
        "all draws give the same value or one gives none, are not counted."
    )
    notes.append("Not simulated: " + "; ".join(f"`{name}` ({why})" for name, why in LEFT_OUT.items()) + ".")
    return Table(rows, notes)


def simulate(population: Population, size: int, simulations: int, seed: int = 0) -> Rates:
    """Draw, score, test; the same seed gives the same rates."""
    rng = np.random.default_rng([seed, size])
    everything = np.arange(len(population))
    once = np.ones((1, len(population)))
    with np.errstate(invalid="ignore", divide="ignore"):
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
    return Rates(
        _holds(interval, truth), _holds(test.interval, difference), float(p <= LEVEL), _holds(_central(drawn), truth)
    )


def _holds(interval: tuple[float, float] | None, truth: float) -> float:
    if interval is None or not np.isfinite(interval).all():
        return np.nan
    return float(interval[0] - _ROUNDING <= truth <= interval[1] + _ROUNDING)


def _central(drawn: Floats) -> tuple[float, float]:
    """The percentiles of the replicates themselves, to compare with."""
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return low, high


def _percent(rate: float) -> str:
    return f"{100 * rate:.0f}"
