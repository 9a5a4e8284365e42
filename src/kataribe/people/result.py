"""What `agree` and `judge agreement` return: how metrics stand with people, and how people stand with each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

import kataribe
from kataribe.core.caution import Caution
from kataribe.core.types import Floats
from kataribe.core.unit import Unit
from kataribe.learning.result import Summary
from kataribe.people.options import AgreementOptions
from kataribe.stats.choices import Measure
from kataribe.stats.raters import Habits, Level
from kataribe.stats.screening import Screening


class Text(NamedTuple):
    """One system's text about one item."""

    item: str
    system: str


@dataclass(frozen=True)
class Standing:
    """How a predictor agrees with people, by measure; NaN where that is not defined."""

    values: Mapping[Measure, float]
    intervals: Mapping[Measure, tuple[float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            measure: {"value": json_number(value), "interval": self.intervals.get(measure)}
            for measure, value in self.values.items()
        }


@dataclass(frozen=True)
class MetricTest:
    """One metric against another on the measure that is tested; a positive difference is in favour of `one`.

    `permutation` and `bootstrap` are p-values as they are, `corrected` is the permutation's after correction for the
    dimension's tests; `williams` is the p of Williams' test of Pearson's correlation with the mean ratings.
    """

    one: str
    other: str
    difference: float
    interval: tuple[float, float]
    permutation: float
    corrected: float
    bootstrap: float
    williams: float

    def to_dict(self, alpha: float) -> dict[str, Any]:
        fields = {name: json_number(value) for name, value in asdict(self).items()}
        interval = [json_number(end) for end in self.interval]
        return fields | {"interval": None if None in interval else interval, "significant": self.corrected <= alpha}


@dataclass(frozen=True)
class SystemLevel:
    """`people[s]` and `scores[metric][s]` are means over the judged texts of systems[s]."""

    systems: tuple[str, ...]
    people: Floats
    scores: Mapping[str, Floats]
    metrics: Mapping[str, Standing]

    def to_dict(self) -> dict[str, Any]:
        return {
            "systems": list(self.systems),
            "people": [json_number(value) for value in self.people.tolist()],
            "scores": {
                metric: [json_number(value) for value in column.tolist()] for metric, column in self.scores.items()
            },
            "metrics": {metric: standing.to_dict() for metric, standing in self.metrics.items()},
        }


@dataclass(frozen=True)
class Preference:
    """Two systems between which people voted: for how many items the majority preferred the one, the other, neither;
    and so for single votes."""

    one: str
    other: str
    items: tuple[int, int, int]
    votes: tuple[int, int, int]

    def to_dict(self) -> dict[str, Any]:
        counted = {"items": self.items, "votes": self.votes}
        shares = {what: dict(zip(("one", "other", "neither"), found, strict=True)) for what, found in counted.items()}
        return {"one": self.one, "other": self.other, **shares}


@dataclass(frozen=True)
class ExampleText:
    """A text, what people and a metric say of it, and where both put it among all texts of the data set.

    Percentiles reach from 0 to 1, the best, and ties share theirs. `at_least` is the share of texts that the metric
    puts as high or higher, `at_most` of those as low or lower.
    """

    text: Text
    candidate: str
    references: tuple[str, ...]
    picture: str | None
    rating: float
    rating_percentile: float
    prediction: float
    percentile: float
    at_least: float
    at_most: float

    @property
    def gap(self) -> float:
        """How far apart people and the metric put the text: 0 is perfect agreement."""
        return round(abs(self.percentile - self.rating_percentile), 12)  # what ties on paper ties here

    @property
    def standing(self) -> str:
        """
        >>> ExampleText(Text("1", ""), "", (), None, 4.0, 0.9, 0.7, 0.98, 0.03, 0.98).standing
        'top 3%'
        """
        is_high = self.at_least <= self.at_most
        share = self.at_least if is_high else self.at_most
        return f"{'top' if is_high else 'bottom'} {math.ceil(round(100 * share, 6))}%"

    def to_dict(self) -> dict[str, Any]:
        return {
            "item": self.text.item,
            "system": self.text.system,
            "candidate": self.candidate,
            "references": list(self.references),
            "picture": self.picture,
            "rating": self.rating,
            "rating_percentile": self.rating_percentile,
            "prediction": self.prediction,
            "percentile": self.percentile,
            "standing": self.standing,
            "gap": self.gap,
        }


@dataclass(frozen=True)
class Examples:
    """Where a metric and people agree best, and where they agree worst; the most telling ones first."""

    best: tuple[ExampleText, ...]
    worst: tuple[ExampleText, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "best": [example.to_dict() for example in self.best],
            "worst": [example.to_dict() for example in self.worst],
        }


@dataclass(frozen=True)
class Dimension:
    """One dimension, text by text. `people` is the human ceiling, `systems` the answer system by system.

    `pairs` says between what accuracy is counted; `points` are the mean judgement and the
    scores of each text in `judged`, to draw. `distinct` is how many different values each metric gives to these texts,
    and people to those that several judged: tau depends on ties. `examples` are there by metric if they were asked for.
    `preferences` between systems are those of votes.
    """

    name: str
    kind: str
    by: Measure
    per_item: bool
    pairs: str
    texts: int
    items: int
    raters: int
    answers: int
    metrics: Mapping[str, Standing]
    people: Standing | None
    tests: tuple[MetricTest, ...]
    systems: SystemLevel | None
    judged: Sequence[Text]
    points: Mapping[str, Floats]
    distinct: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, Examples] = field(default_factory=dict)
    preferences: tuple[Preference, ...] = ()

    def beaten_by(self, metric: str, alpha: float) -> list[str]:
        """The metrics that agree significantly less with people than this one."""
        beaten = []
        for test in self.tests:
            if metric in (test.one, test.other) and test.corrected <= alpha:
                winner, loser = (test.one, test.other) if test.difference > 0 else (test.other, test.one)
                beaten += [loser] if winner == metric else []
        return beaten

    def to_dict(self, alpha: float) -> dict[str, Any]:
        counted = ("kind", "by", "per_item", "pairs", "texts", "items", "raters", "answers")
        return {
            **{name: getattr(self, name) for name in counted},
            "metrics": {metric: standing.to_dict() for metric, standing in self.metrics.items()},
            "people": self.people.to_dict() if self.people else None,
            "tests": [test.to_dict(alpha) for test in self.tests],
            "systems": self.systems.to_dict() if self.systems else None,
            "distinct": dict(self.distinct),
            **({"preferences": [each.to_dict() for each in self.preferences]} if self.preferences else {}),
            **(
                {"examples": {metric: each.to_dict() for metric, each in self.examples.items()}}
                if self.examples
                else {}
            ),
        }


@dataclass(frozen=True)
class Accuracy:
    """A share of pairs, or a difference of two such shares, with its interval where there is one."""

    value: float
    interval: tuple[float, float] | None

    def to_dict(self) -> dict[str, Any]:
        return {"value": json_number(self.value), "interval": self.interval}


@dataclass(frozen=True)
class FittedWeights:
    """One dimension. `held_out` is the accuracy of the fit on items that it did not see, `published` that of the
    published weights, `parts` that of each part alone; `difference` is held out minus published.

    `spec` is the mixture with these weights, as `-m` takes it; nothing where no part predicts anything.
    """

    dimension: str
    pairs: int
    items: int
    folds: int
    weights: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    held_out: Accuracy
    published: Accuracy
    difference: Accuracy
    parts: Mapping[str, Accuracy]
    spec: str | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "pairs": self.pairs,
            "items": self.items,
            "folds": self.folds,
            "weights": {
                part: {"value": json_number(weight), "interval": self.intervals.get(part)}
                for part, weight in self.weights.items()
            },
            "accuracy": {
                "held_out": self.held_out.to_dict(),
                "published": self.published.to_dict(),
                "difference": self.difference.to_dict(),
                **{part: accuracy.to_dict() for part, accuracy in self.parts.items()},
            },
            "metric": self.spec,
        }


@dataclass(frozen=True)
class MixtureFit:
    """Weights of a mixture of metrics, fitted to people's preferences; `published` are those of its paper."""

    mixture: str
    published: Mapping[str, float]
    dimensions: Mapping[str, FittedWeights]
    signature: str
    warnings: tuple[Caution, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "mixture": self.mixture,
            "published": dict(self.published),
            "dimensions": {name: fit.to_dict() for name, fit in self.dimensions.items()},
            "signature": self.signature,
        }


@dataclass(frozen=True)
class Joined:
    """How many texts were judged, scored, and both by every metric and by people."""

    judged: int
    scored: int
    both: int


@dataclass(frozen=True)
class Agreement:
    """Every dimension. `signature` names the choices made here, `signatures` those of the metrics, where known.

    Metrics whose lower values are better were read upside down: agreement with people is positive for every metric.
    `units` say how each metric's own values are shown. `fit` is there if weights were asked for.
    """

    metrics: tuple[str, ...]
    dimensions: Mapping[str, Dimension]
    coverage: Joined
    options: AgreementOptions
    signature: str
    signatures: Mapping[str, str]
    warnings: tuple[Caution, ...] = ()
    lower_is_better: tuple[str, ...] = ()
    units: Mapping[str, Unit] = field(default_factory=dict)
    fit: MixtureFit | None = None
    version: str = kataribe.__version__

    def to_dict(self) -> dict[str, Any]:
        return {
            "kataribe": self.version,
            "task": "agreement",
            "settings": asdict(self.options),
            "coverage": asdict(self.coverage),
            "metrics": list(self.metrics),
            "lower_is_better": list(self.lower_is_better),
            "units": dict(self.units),
            "dimensions": {name: found.to_dict(self.options.alpha) for name, found in self.dimensions.items()},
            **({"fit": self.fit.to_dict()} if self.fit else {}),
            "signature": self.signature,
            "signatures": dict(self.signatures),
            "warnings": [warning.to_dict() for warning in self.warnings],
        }


@dataclass(frozen=True)
class RaterReport:
    """One rater. `ceiling` is the rank correlation with the mean of the others; `side` is, for votes, the share of a
    among the votes for a or b and the chance of a share as far from one half if sides did not matter."""

    rater: str
    habits: Habits
    screening: Screening
    ceiling: float
    side: tuple[float, float] | None = None


@dataclass(frozen=True)
class RaterAgreement:
    """One dimension; `kappa` and `weighted_kappa` are raters x raters, the latter with quadratic weights."""

    dimension: str
    kind: str
    units: int
    answers: int
    alpha: Mapping[Level, float]
    raters: tuple[RaterReport, ...]
    kappa: Floats
    weighted_kappa: Floats

    @property
    def mean_kappa(self) -> float:
        """Over all pairs of raters who share units; NaN where no two do."""
        return _mean_of_pairs(self.kappa)

    @property
    def mean_weighted_kappa(self) -> float:
        return _mean_of_pairs(self.weighted_kappa)

    @property
    def flagged(self) -> list[RaterReport]:
        return [rater for rater in self.raters if rater.screening.verdict in ("random", "reversed", "straight")]

    def to_dict(self) -> dict[str, Any]:
        return {
            "dimension": self.dimension,
            "kind": self.kind,
            "units": self.units,
            "answers": self.answers,
            "alpha": {level: json_number(value) for level, value in self.alpha.items()},
            "raters": {rater.rater: _rater_dict(rater) for rater in self.raters},
            "kappa": [[json_number(value) for value in row] for row in self.kappa.tolist()],
            "weighted_kappa": [[json_number(value) for value in row] for row in self.weighted_kappa.tolist()],
        }


@dataclass(frozen=True)
class LabelShare:
    """How often a label was given, and for how many units it is what most raters say; the interval is of that share."""

    label: str
    answers: int
    units: int
    share: float
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class LabelRater:
    """How often a rater says what most others say of a unit, where most others say the same; NaN where nobody does."""

    rater: str
    answers: int
    shared: int
    agreement: float

    def to_dict(self) -> dict[str, Any]:
        return {name: json_number(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class LabelAgreement:
    """One dimension; `undecided` units have no label that is given more often than every other."""

    dimension: str
    units: int
    answers: int
    undecided: int
    alpha: float
    kappa: float
    labels: tuple[LabelShare, ...]
    raters: tuple[LabelRater, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "labels",
            "units": self.units,
            "answers": self.answers,
            "undecided": self.undecided,
            "alpha": json_number(self.alpha),
            "kappa": json_number(self.kappa),
            "labels": [label.to_dict() for label in self.labels],
            "raters": [rater.to_dict() for rater in self.raters],
        }


def _rater_dict(rater: RaterReport) -> dict[str, Any]:
    numbers = {name: json_number(value) for name, value in asdict(rater.habits).items()}
    screening = {name: json_number(value) for name, value in asdict(rater.screening).items()}
    side = {"share_of_a": rater.side[0], "p": rater.side[1]} if rater.side else None
    return {**numbers, "ceiling": json_number(rater.ceiling), "screening": screening, "side": side}


def _mean_of_pairs(kappas: Floats) -> float:
    pairs = [float(kappas[i, j]) for i, j in combinations(range(len(kappas)), 2)]
    known = [value for value in pairs if not np.isnan(value)]
    return sum(known) / len(known) if known else np.nan


def json_number(value: Any) -> Any:
    """JSON has no NaN; what is not defined is null there."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


@dataclass(frozen=True)
class MeasuredTest:
    """A test between two rows of an ablation, by this measure."""

    measure: Measure
    test: MetricTest

    def to_dict(self, alpha: float) -> dict[str, Any]:
        return {"measure": self.measure, **self.test.to_dict(alpha)}


@dataclass(frozen=True)
class AblationRow:
    """A metric, a model or people. `seeds` is what the single members of a model reach."""

    name: str
    kind: Literal["untrained", "trained", "people"]
    standing: Standing
    distinct: int | None = None
    seeds: Summary | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "measures": self.standing.to_dict(),
            "distinct": self.distinct,
            "seeds": self.seeds.to_dict() if self.seeds else None,
        }


@dataclass(frozen=True)
class AblationTable:
    """All rows on the captions of `data`; `counts` are those of its answers, raters, texts and items."""

    data: str
    counts: Mapping[str, int]
    rows: tuple[AblationRow, ...]
    tests: tuple[MeasuredTest, ...]

    def to_dict(self, alpha: float) -> dict[str, Any]:
        return {
            "data": self.data,
            "counts": dict(self.counts),
            "rows": [row.to_dict() for row in self.rows],
            "tests": [test.to_dict(alpha) for test in self.tests],
        }


@dataclass(frozen=True)
class Ablation:
    """What the parts of a learned metric are worth. `left_out` are rows that could not be computed, with the reason.

    `training` describes the data, `lines` say how it was split and what is shared, `cosine` is the untrained metric
    that models are tested against.
    """

    training: Mapping[str, Any]
    tables: tuple[AblationTable, ...]
    left_out: Mapping[str, str]
    lines: tuple[str, ...]
    settings: Mapping[str, Any]
    cosine: str
    options: AgreementOptions
    version: str = kataribe.__version__

    def to_dict(self) -> dict[str, Any]:
        return {
            "kataribe": self.version,
            "task": "ablation",
            "training": dict(self.training),
            "settings": {**self.settings, "agreement": asdict(self.options)},
            "tables": [table.to_dict(self.options.alpha) for table in self.tables],
            "left_out": dict(self.left_out),
            "notes": list(self.lines),
        }
