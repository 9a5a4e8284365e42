"""A study answered by generated raters, whose accuracy and whose truth are known: what would the analysis find?

Every text has a true worth on every dimension. A rater sees it through noise,

    seen = worth + noise,   noise normal, its deviation the same for all raters and texts of a dimension

and ranks, votes and rates by what is seen. The deviation is chosen so that of any two texts of an item whose worth
differs, a rater puts the better one first with the wanted accuracy, on average over all such pairs:

    accuracy = mean of Phi(difference / (sqrt(2) * deviation))

(Thurstone's model). A label is right with this probability, else one of the others. Answers go the way of real ones:
each rater's own plan, the checks that the web application makes, the store, the export.

Thurstone, L. L. (1927). A law of comparative judgment. Psychological Review 34.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from kataribe.core.errors import InputError, JoinError, Location, UsageError, nearest, some
from kataribe.core.progress import report
from kataribe.core.types import Floats
from kataribe.formats.source import JSON_LINES, TABLES, check_number, extension, read_rows
from kataribe.people.judge.answers import checked
from kataribe.people.judge.collected import ratings
from kataribe.people.judge.plan import PLANTED, REFERENCE, Task, plan
from kataribe.people.judge.settings import Dimension
from kataribe.people.judge.store import Store
from kataribe.people.judge.study import Study
from kataribe.people.ratings import Ratings

# The column that is meant where a dimension has none of its own.
TRUTH = "truth"

# What is known of each text: by item, system and dimension a worth, or a label's name.
Truth = Mapping[tuple[str, str, str], Any]


def read_truth(path: Path, study: Study) -> Truth:
    """A table with columns item, system (where there are several) and one for each dimension, or `truth` for all."""
    if extension(path) not in (*TABLES, *JSON_LINES):
        raise Location(path).error("is neither .csv, .tsv nor .jsonl", hint="name it by its form")
    found: dict[tuple[str, str, str], Any] = {}
    systems = list(study.settings.systems)
    for location, row in read_rows(path):
        system = row.get("system") or (systems[0] if len(systems) == 1 else "")
        item = str(row.get("item", ""))
        for dimension in study.settings.dimensions:
            column = dimension.name if dimension.name in row else TRUTH
            if column not in row or "item" not in row or not system:
                needed = ["item", *["system"] * (len(systems) > 1), f"{dimension.name} or {TRUTH}"]
                raise InputError(f"{location} lacks one of the columns {', '.join(needed)}", hint="see docs/judge.md")
            found[item, system, dimension.name] = _worth(row[column], dimension, location.within(column))
    known = {key[:2] for key in found}
    lacking = [f"{item} {system}" for item in study.items for system in systems if (item, system) not in known]
    if lacking:
        raise JoinError(f"the truth of {len(lacking):,} texts is not known: {some(lacking)}", file=path)
    return found


def _worth(cell: Any, dimension: Dimension, location: Location) -> Any:
    if not dimension.labels:
        return check_number(cell, location, hint="give every text a number; higher is better")
    names = [label.name for label in dimension.labels]
    if cell not in names:
        raise location.error(f"no label is called {cell!r}", hint=nearest(str(cell), names))
    return cell


@dataclass(frozen=True)
class Rehearsal:
    """Raters of one accuracy; everything random follows from the seed."""

    study: Study
    truth: Truth
    accuracy: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.5 < self.accuracy <= 1:
            problem = f"<accuracy {self.accuracy:g}>: is not above 0.5 and at most 1"
            raise UsageError(problem, hint="0.5 is a coin, 1 never errs", options=["accuracy"])

    def answers(self, raters: int) -> Ratings:
        """What so many raters say, as the export gives it."""
        noise = {
            dimension.name: 0.0 if dimension.labels else self._deviation(dimension.name)
            for dimension in self.study.settings.dimensions
        }
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder) / "answers.sqlite", self.study.fingerprint())
            try:
                for number in range(1, raters + 1):
                    report("rehearsing", number - 1, raters)
                    store.invite()
                    rater = store.raters()[-1]
                    rng = np.random.default_rng([self.seed, number])
                    waiting = []
                    for task in plan(self.study, rater.number):
                        given = checked(self.study, task, self._given(task, noise, rng))
                        waiting.append(store.save(rater, task.key, task.item, task.shown, given, 1.0))
                    for saved in waiting:
                        saved.result()
                return ratings(self.study, store.answers())
            finally:
                store.close()

    def _given(self, task: Task, noise: Mapping[str, float], rng: np.random.Generator) -> dict[str, Any]:
        """An answer as a browser sends it."""
        kind = self.study.settings.kind
        given: dict[str, Any] = {}
        for dimension in self.study.settings.dimensions:
            if kind == "labels":
                given[dimension.name] = [self._label(dimension, task.item, system, rng) for system in task.shown]
                continue
            worth = np.array([self._worth(dimension.name, task.item, system) for system in task.shown])
            seen = worth + noise[dimension.name] * rng.normal(size=len(worth))
            if kind == "pairs":
                given[dimension.name] = self._choice(seen, rng)
            elif kind == "ranking":
                given[dimension.name] = [1 + int((seen > one).sum()) for one in seen]
            else:
                given[dimension.name] = self._steps(dimension.name, seen)
        return given

    def _choice(self, seen: Floats, rng: np.random.Generator) -> str:
        if seen[0] == seen[1]:
            return "equal" if self.study.settings.equal else "ab"[rng.integers(2)]
        return "a" if seen[0] > seen[1] else "b"

    def _steps(self, dimension: str, seen: Floats) -> list[int]:
        """Ratings: each step of the scale holds as many texts by their worth."""
        scale = self.study.settings.scale
        edges = np.quantile(self._worths(dimension), np.arange(1, scale) / scale)
        return [1 + int(step) for step in np.searchsorted(edges, seen)]

    def _label(self, dimension: Dimension, item: str, system: str, rng: np.random.Generator) -> str:
        right: str = self.truth[item, system, dimension.name]
        others = [label.name for label in dimension.labels if label.name != right]
        return right if rng.random() < self.accuracy else others[rng.integers(len(others))]

    def _worths(self, dimension: str) -> Floats:
        return np.array([value for (*_, name), value in self.truth.items() if name == dimension], dtype=np.float64)

    def _worth(self, dimension: str, item: str, system: str) -> float:
        """The wrong text of a check is worth less than any, the reference beside it more."""
        if system in (PLANTED, REFERENCE):
            worths = self._worths(dimension)
            beyond = float(np.ptp(worths)) or 1.0
            return float(worths.min()) - beyond if system == PLANTED else float(worths.max()) + beyond
        return float(self.truth[item, system, dimension])

    def _deviation(self, dimension: str) -> float:
        """Of the noise under which the wanted share of pairs is put right."""
        differences = np.array(list(self._differences(dimension)))
        if self.accuracy == 1 or not len(differences):
            return 0.0

        def excess(log_deviation: float) -> float:
            return float(norm.cdf(differences / (np.sqrt(2) * np.exp(log_deviation))).mean()) - self.accuracy

        # So little noise that nobody errs, so much that everybody guesses.
        ends = float(np.log(differences.min() / 100)), float(np.log(differences.max() * 1e6))
        return float(np.exp(brentq(excess, *ends)))

    def _differences(self, dimension: str) -> Iterator[float]:
        """Between texts of an item; where items have one text, between all texts."""
        systems = list(self.study.settings.systems)
        groups = [[(item, system) for system in systems] for item in self.study.items]
        if len(systems) == 1:
            groups = [[text for group in groups for text in group]]
        for group in groups:
            for one, other in combinations(group, 2):
                difference = abs(self._worth(dimension, *one) - self._worth(dimension, *other))
                if difference:
                    yield difference
