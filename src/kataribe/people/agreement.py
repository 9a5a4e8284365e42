"""Do metrics agree with people? Text by text and system by system, with intervals, tests and the human ceiling.

Scores and judgements are joined by item and system. Every metric is read on the same texts: those that people judged
and all metrics scored. Items are resampled with everything that belongs to them, since ratings of one text, and texts
of one item, depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

import kataribe
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.progress import Progress, silent
from kataribe.core.signature import fingerprint_by_id, format_signature
from kataribe.core.types import Floats
from kataribe.engines.local import LocalEngine
from kataribe.people.join import ScoredJudgements, match
from kataribe.people.judged import Judged, judged, judged_overall
from kataribe.people.oddities import odd_ratings
from kataribe.people.options import AgreementOptions
from kataribe.people.predictors import Comparer, Predictor
from kataribe.people.preferences import preferences
from kataribe.people.ratings import OVERALL, Ratings
from kataribe.people.result import (
    Agreement,
    Dimension,
    Joined,
    MetricTest,
    Standing,
    SystemLevel,
)
from kataribe.people.scores import Scores
from kataribe.people.systems import read_systems, standing
from kataribe.stats.bootstrap import FEWEST_ITEMS, INTERVAL, resample_weights
from kataribe.stats.choices import MEASURES, Measure
from kataribe.stats.correction import CORRECTIONS
from kataribe.stats.correlation import williams
from kataribe.stats.paired import paired_bootstrap, paired_permutation

# With fewer items than this there is a warning: the interval is wide, and its level is a guess.
_FEW_ITEMS = 10

# A predictor as a function of weights: how often each item counts -> every measure.
Weighed = Callable[[Floats], dict[Measure, Floats]]
Drawn = Mapping[Measure, Floats]


def agree(
    scores: Scores,
    ratings: Ratings,
    *,
    metrics: Sequence[str] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    options: AgreementOptions = AgreementOptions(),  # noqa: B008 - frozen
    progress: Progress | None = None,
) -> Agreement:
    """How well each metric agrees with people on each dimension; `pairs` are tested, by default every two metrics.

    >>> from kataribe.people.ratings import Rating
    >>> from kataribe.people.result import Text
    >>> texts = [Text(item, "x") for item in "abcdef"]
    >>> scores = Scores(texts, {"good": np.arange(6.0), "bad": np.array([3.0, 1, 2, 0, 5, 4])})
    >>> said = {"ann": (1, 2, 2, 3, 4, 5), "bob": (1, 1, 3, 4, 4, 5)}
    >>> rows = [Rating(who, item, "x", "overall", v) for who, vs in said.items() for item, v in zip("abcdef", vs)]
    >>> found = agree(scores, Ratings("ratings", tuple(rows))).dimensions["overall"]
    >>> {name: round(standing.values["tau_b"], 3) for name, standing in found.metrics.items()}
    {'good': 0.923, 'bad': 0.205}
    >>> round(found.people.values["tau_b"], 3)
    0.789
    """
    joined = match(ratings, scores, metrics)
    warnings = joined.warnings + odd_ratings(ratings)
    lower = tuple(metric for metric in joined.values if metric in scores.lower_is_better)
    dimensions: dict[str, Dimension] = {}
    for judgements in _read(joined, options):
        name = judgements.dimension
        if not len(judgements.answers.text):
            warnings.append(Caution("unread-dimension", f"{name}: nothing that was judged can be read, left out"))
            continue
        rows = np.array([joined.row_of[text] for text in judgements.texts])
        values = {metric: column[rows] for metric, column in joined.values.items()}
        systems = read_systems(judgements, values, joined.scores, options)
        dimensions[name] = _dimension(judgements, values, lower, pairs, systems, options, progress or silent)
        warnings += [*_undefined(dimensions[name]), *_few_items(dimensions[name], options)]
    return Agreement(
        metrics=tuple(joined.values),
        dimensions=dimensions,
        coverage=joined.coverage,
        options=options,
        signature=_signature(ratings, joined.coverage, options, lower),
        signatures={metric: text for metric, text in scores.signatures.items() if metric in joined.values},
        warnings=tuple(warnings),
        lower_is_better=lower,
        units={metric: scores.units.get(metric, "fraction") for metric in joined.values},
    )


def _read(joined: ScoredJudgements, options: AgreementOptions) -> Iterator[Judged]:
    """Every dimension and, where it was asked for, the mean over them."""
    for name in joined.ratings.dimensions:
        yield judged(joined.ratings, name, joined.row_of.keys())
    if _has_mean(joined.ratings, options):
        yield judged_overall(joined.ratings, joined.row_of.keys())


def _has_mean(ratings: Ratings, options: AgreementOptions) -> bool:
    """One dimension is its own mean, and whoever asked raters for an overall answer has one."""
    return options.overall and len(ratings.dimensions) > 1 and OVERALL not in ratings.dimensions


def _signature(ratings: Ratings, coverage: Joined, options: AgreementOptions, lower: Sequence[str]) -> str:
    """Every choice that can move a number here, and which judgements were used."""
    is_pooled = ratings.kind == "ratings" and not options.per_item
    choices = {
        "human": ratings.kind,
        "against": options.against,
        "over": "texts" if is_pooled else "items",
        "ties": options.ties,
        **({"overall": "mean"} if _has_mean(ratings, options) else {}),
        **({"lower": "+".join(lower)} if lower else {}),
        "data": f"{coverage.both}/{coverage.judged}",
        "hash": fingerprint_by_id(tuple(map(str, row)) for row in ratings.rows),
        "bootstrap": str(options.bootstrap),
        **({"interval": INTERVAL} if options.bootstrap else {}),
        "seed": str(options.seed),
        "kataribe": kataribe.__version__,
    }
    return format_signature("agree", choices)


def _undefined(dimension: Dimension) -> Iterator[Caution]:
    """A metric without a correlation is neither good nor bad, and no other is better or worse than it."""
    for metric, found in dimension.metrics.items():
        lacking = [measure for measure, value in found.values.items() if math.isnan(value)]
        if not lacking:
            continue
        is_constant = np.ptp(dimension.points[metric]) == 0
        why = "gives every text the same score" if is_constant else "cannot be read against what people said"
        text = f"{dimension.name}: {metric} {why}; undefined: {', '.join(lacking)}"
        yield Caution("undefined-correlation", text + ("; not tested" if dimension.by in lacking else ""))


def _few_items(dimension: Dimension, options: AgreementOptions) -> Iterator[Caution]:
    if options.bootstrap and dimension.items < _FEW_ITEMS:
        counted = f"{dimension.items} item{'s' * (dimension.items != 1)}"
        text = f"{dimension.name}: {counted}: too few for intervals and tests to rely on"
        yield Caution("few-items", text + f"; there is no interval below {FEWEST_ITEMS}")


def _dimension(
    judgements: Judged,
    values: Mapping[str, Floats],
    lower: Sequence[str],
    pairs: Sequence[tuple[str, str]] | None,
    systems: SystemLevel | None,
    options: AgreementOptions,
    report: Progress,
) -> Dimension:
    is_relative = judgements.kind != "ratings"
    by: Measure = options.by or ("accuracy" if is_relative else "tau_c")
    comparer = Comparer(judgements, options.against, options.per_item or is_relative, options.ties)
    if comparer.per_item and not len(comparer.pairs.first):
        raise UsageError(
            f"{judgements.dimension}: nobody judged two texts of one item, so nothing can be read per item",
            hint="<against mean> compares mean judgements, without <per_item> texts of all items are compared",
            options=["against", "per_item"],
        )
    # Higher is better: what people think of a text and every metric's score point the same way.
    upright = {metric: -scores if metric in lower else scores for metric, scores in values.items()}
    predictors = {metric: comparer.metric(scores) for metric, scores in upright.items()}
    people = comparer.people()
    compared: list[Weighed] = [predictor.weighed for predictor in predictors.values()]
    if people is not None:
        compared.append(people)
    drawn = _drawn(compared, judgements.items, options, report)
    standings = [_standing(weighed, judgements.items, found) for weighed, found in zip(compared, drawn, strict=True)]
    # People, if there are any, come after the metrics.
    metrics, metrics_drawn = dict(zip(values, standings, strict=False)), dict(zip(values, drawn, strict=False))
    return Dimension(
        name=judgements.dimension,
        kind=judgements.kind,
        by=by,
        per_item=comparer.per_item,
        pairs="pairs within items" if len(comparer.pairs.first) else "all pairs",
        texts=len(judgements.texts),
        items=judgements.items,
        raters=len(np.unique(judgements.answers.rater)),
        answers=len(judgements.pairs.first) if judgements.kind == "votes" else len(judgements.answers.text),
        metrics=metrics,
        people=standings[-1] if people is not None else None,
        tests=_tests(predictors, pairs, metrics, metrics_drawn, judgements, upright, by, options, report),
        systems=systems,
        judged=judgements.texts,
        points={"people": judgements.means, **values},
        distinct=_distinct(values) | ({"people": comparer.distinct_ceiling()} if people is not None else {}),
        preferences=preferences(judgements) if judgements.kind == "votes" else (),
    )


def _distinct(values: Mapping[str, Floats]) -> dict[str, int]:
    return {metric: len(np.unique(column)) for metric, column in values.items()}


def _drawn(predictors: Sequence[Weighed], items: int, options: AgreementOptions, report: Progress) -> list[Drawn]:
    """Every predictor under the same draws of items."""
    if not options.bootstrap:
        return [{} for _ in predictors]
    chunks: list[list[dict[Measure, Floats]]] = [[] for _ in predictors]
    done = 0
    for weights in resample_weights(items, options.bootstrap, np.random.default_rng(options.seed)):
        read = LocalEngine().map(lambda weighed: weighed(weights), predictors)  # noqa: B023 - used up right here
        for chunk, found in zip(chunks, read, strict=True):
            chunk.append(found)
        done += len(weights)
        report("drawing items", done, options.bootstrap)
    return [{name: np.concatenate([chunk[name] for chunk in found]) for name in MEASURES} for found in chunks]


def _standing(weighed: Weighed, items: int, drawn: Drawn) -> Standing:
    values = {measure: float(found[0]) for measure, found in weighed(np.ones((1, items))).items()}
    return standing(values, drawn, items)


def _tests(
    predictors: Mapping[str, Predictor],
    wanted: Sequence[tuple[str, str]] | None,
    standings: Mapping[str, Standing],
    drawn: Mapping[str, Drawn],
    judgements: Judged,
    values: Mapping[str, Floats],
    by: Measure,
    options: AgreementOptions,
    report: Progress,
) -> tuple[MetricTest, ...]:
    """Pairs of metrics; each is swapped from the same seed, whatever others there are."""
    pairs = list(combinations(predictors, 2)) if wanted is None else list(wanted)
    if not options.bootstrap or not pairs:
        return ()
    means = judgements.means
    # Enough swaps that the smallest possible p can pass Holm's first step.
    swaps = max(options.bootstrap, math.ceil(len(pairs) / options.alpha))

    def test(pair: tuple[str, str]) -> MetricTest:
        one, other = pair
        difference = standings[one].values[by] - standings[other].values[by]
        bootstrap = paired_bootstrap(difference, drawn[one][by], drawn[other][by], judgements.items)
        value = predictors[one].beside(predictors[other], by)
        rng = np.random.default_rng(options.seed)
        p = paired_permutation(value, value, judgements.items, swaps, rng).p
        linear = williams(values[one], values[other], means).p
        return MetricTest(one, other, difference, bootstrap.interval, p, p, bootstrap.p, linear)

    found: list[MetricTest] = []
    for tested in LocalEngine().map(test, pairs):
        found.append(tested)
        report(f"comparing metrics: {judgements.dimension}", len(found), len(pairs))
    corrected = CORRECTIONS[options.correction](np.array([tested.permutation for tested in found]))
    return tuple(replace(tested, corrected=p) for tested, p in zip(found, corrected.tolist(), strict=True))
