"""Weights of a mixture of metrics, fitted to what people prefer, and what they are worth on items that were not fitted.

    fit         of pairs of texts of one item: the weights, none negative, that predict best which one people prefer
                (stats/preferences.py); divided by their sum
    intervals   of weights: what the central 95% of fits to draws of items give
    held out    items are dealt out to folds; each fold's pairs are predicted by weights fitted to the others. Accuracy,
                its interval and its difference to the published weights are those of these predictions

Items stay whole: texts of one item are never on both sides. Several dimensions are fitted one by one, and together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import kataribe
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.progress import Progress, silent
from kataribe.core.signature import fingerprint_by_id, format_signature
from kataribe.core.types import Floats, Int64s
from kataribe.people.join import match
from kataribe.people.judged import Judged, judged, mean_preferences
from kataribe.people.mixture import Mixture, MixtureScores
from kataribe.people.options import AgreementOptions
from kataribe.people.ratings import Ratings
from kataribe.people.result import Accuracy, FittedWeights, MixtureFit
from kataribe.stats.bootstrap import FEWEST_ITEMS, resample_weights, studentised_interval
from kataribe.stats.correlation import pairwise_accuracy
from kataribe.stats.paired import paired_bootstrap
from kataribe.stats.preferences import fit_preferences

FOLDS = 10
TOGETHER = "all dimensions"
DIGITS = 3
_CENTRAL = (0.025, 0.975)


@dataclass(frozen=True)
class _Pairs:
    """Answers to pairs of texts of one item: the parts' differences, which text is preferred, how often that was said.

    Items are numbered alike in all dimensions.
    """

    differences: Floats
    preferred: Floats
    counts: Floats
    item: Int64s
    items: int

    def __add__(self, other: _Pairs) -> _Pairs:
        """Of the same items."""
        return _Pairs(
            np.concatenate([self.differences, other.differences]),
            np.concatenate([self.preferred, other.preferred]),
            np.concatenate([self.counts, other.counts]),
            np.concatenate([self.item, other.item]),
            self.items,
        )

    def fitted(self, drawn: Floats) -> Floats:
        """Weights that sum to 1, where each item counts as often as it was drawn; NaN where nothing can be fitted."""
        found = fit_preferences(self.differences, self.preferred, self.counts * drawn[self.item])
        with np.errstate(invalid="ignore", divide="ignore"):
            weights: Floats = found / found.sum()
        return weights


def fit_mixture(
    found: MixtureScores, ratings: Ratings, options: AgreementOptions, progress: Progress | None = None
) -> MixtureFit:
    """Fit the weights on every dimension, and on all of them together."""
    joined = match(ratings, found.scores, None)
    items = {item: number for number, item in enumerate(dict.fromkeys(text.item for text in joined.row_of))}
    table = np.column_stack(list(joined.values.values()))
    by_dimension: dict[str, _Pairs] = {}
    for name in ratings.dimensions:
        judgements = judged(joined.ratings, name, joined.row_of.keys())
        rows = np.array([joined.row_of[text] for text in judgements.texts], dtype=np.int64)
        numbers = np.array([items[text.item] for text in judgements.texts], dtype=np.int64)
        pairs = _pairs_of(judgements, table[rows], numbers, len(items), options)
        if len(pairs.item):
            by_dimension[name] = pairs
    if not by_dimension:
        problem = "nobody judged two texts of one item, so that there is nothing to fit"
        raise UsageError(problem, hint="let people rank several texts of each item")
    if len(by_dimension) > 1 and TOGETHER not in by_dimension:
        first, *others = by_dimension.values()
        by_dimension[TOGETHER] = sum(others, first)
    dimensions = {name: _fit(name, pairs, found, options, progress or silent) for name, pairs in by_dimension.items()}
    return MixtureFit(
        mixture=found.mixture.name,
        published=dict(zip(found.mixture.parts, found.mixture.published, strict=True)),
        dimensions=dimensions,
        signature=_signature(found.mixture, ratings, options, f"{joined.coverage.both}/{joined.coverage.judged}"),
        warnings=tuple(_cautions(dimensions)),
    )


def _pairs_of(judgements: Judged, table: Floats, numbers: Int64s, items: int, options: AgreementOptions) -> _Pairs:
    """Equal answers about equal pairs are counted, not repeated: ten people rank the same pairs."""
    pairs = judgements.pairs if options.against == "each" else mean_preferences(judgements)
    rows = np.column_stack([pairs.first, pairs.second, pairs.preferred.astype(np.int64)])
    distinct, counts = np.unique(rows, axis=0, return_counts=True) if len(rows) else (rows, np.zeros(0))
    first, second, preferred = distinct.T.astype(np.int64)
    return _Pairs(
        table[first] - table[second], preferred.astype(np.float64), counts.astype(np.float64), numbers[first], items
    )


def _fit(name: str, pairs: _Pairs, found: MixtureScores, options: AgreementOptions, report: Progress) -> FittedWeights:
    present = np.unique(pairs.item)
    everything = np.ones(pairs.items)
    weights = pairs.fitted(everything).round(DIGITS)
    draws = _draws(name, pairs, len(present), options, report)
    parts, published = list(found.mixture.parts), np.array(found.mixture.published)
    margins = {
        "held out": _held_out(pairs, present, options.seed),
        "published": pairs.differences @ (published / published.sum()),
        **{part: pairs.differences[:, column] for column, part in enumerate(parts)},
    }
    accuracies, difference = _accuracies(margins, pairs, present, options)
    return FittedWeights(
        dimension=name,
        pairs=round(float(pairs.counts[pairs.preferred != 0].sum())),
        items=len(present),
        folds=min(FOLDS, len(present)),
        weights=dict(zip(parts, weights.tolist(), strict=True)),
        intervals=_intervals(parts, draws, len(present)),
        held_out=accuracies["held out"],
        published=accuracies["published"],
        difference=difference,
        parts={part: accuracies[part] for part in parts},
        spec=found.weighed(weights.tolist()) if np.isfinite(weights).all() else None,
    )


def _draws(name: str, pairs: _Pairs, present: int, options: AgreementOptions, report: Progress) -> Floats:
    """The weights of fits to draws of items (draws x parts)."""
    if not options.bootstrap or present < FEWEST_ITEMS:
        return np.zeros((0, pairs.differences.shape[1]))
    fits: list[Floats] = []
    members = np.unique(pairs.item)
    for chunk in resample_weights(present, options.bootstrap, np.random.default_rng(options.seed)):
        for drawn in chunk:
            counts = np.zeros(pairs.items)
            counts[members] = drawn
            fits.append(pairs.fitted(counts))
            report(f"fitting weights: {name}", len(fits), options.bootstrap)
    return np.array(fits)


def _intervals(parts: Sequence[str], draws: Floats, items: int) -> dict[str, tuple[float, float]]:
    known = draws[np.isfinite(draws).all(axis=1)]
    if not len(known):
        return {}
    low, high = np.quantile(known, _CENTRAL, axis=0).round(DIGITS)
    return {part: (float(low[column]), float(high[column])) for column, part in enumerate(parts)}


def _held_out(pairs: _Pairs, present: Int64s, seed: int) -> Floats:
    """What weights that never saw a pair's item make of the pair."""
    dealt = np.zeros(pairs.items, dtype=np.int64)
    dealt[np.random.default_rng(seed).permutation(present)] = np.arange(len(present)) % min(FOLDS, len(present))
    margins = np.zeros(len(pairs.item))
    for fold in range(min(FOLDS, len(present))):
        weights = pairs.fitted((dealt != fold).astype(np.float64))
        inside = dealt[pairs.item] == fold
        margins[inside] = pairs.differences[inside] @ np.nan_to_num(weights)
    return margins


def _accuracies(
    margins: Mapping[str, Floats], pairs: _Pairs, present: Int64s, options: AgreementOptions
) -> tuple[dict[str, Accuracy], Accuracy]:
    """The accuracy of each, and the difference between held-out and published weights, under the same draws."""
    repeats = np.repeat(np.arange(len(pairs.item)), pairs.counts.astype(np.int64))
    number_of = np.zeros(pairs.items, dtype=np.int64)
    number_of[present] = np.arange(len(present))
    units, preferred = number_of[pairs.item][repeats], pairs.preferred[repeats]
    ratios = {
        name: pairwise_accuracy(margin[repeats], preferred, units, len(present), options.ties)
        for name, margin in margins.items()
    }
    drawn: dict[str, Floats] = {name: np.zeros(0) for name in ratios}
    rng = np.random.default_rng(options.seed)
    for chunk in resample_weights(len(present), options.bootstrap, rng) if options.bootstrap else ():
        drawn = {name: np.concatenate([drawn[name], ratio(chunk)]) for name, ratio in ratios.items()}
    found = {
        name: Accuracy(ratio.value, studentised_interval(ratio.value, drawn[name], len(present), (0.0, 1.0)))
        for name, ratio in ratios.items()
    }
    gain = ratios["held out"].value - ratios["published"].value
    if not options.bootstrap:
        return found, Accuracy(gain, None)
    interval = paired_bootstrap(gain, drawn["held out"], drawn["published"], len(present)).interval
    return found, Accuracy(gain, interval if all(map(math.isfinite, interval)) else None)


def _signature(mixture: Mixture, ratings: Ratings, options: AgreementOptions, data: str) -> str:
    return format_signature(
        "fit",
        {
            "mixture": mixture.name,
            "human": ratings.kind,
            "against": options.against,
            "ties": options.ties,
            "folds": str(FOLDS),
            "data": data,
            "hash": fingerprint_by_id(tuple(map(str, row)) for row in ratings.rows),
            "bootstrap": str(options.bootstrap),
            "seed": str(options.seed),
            "kataribe": kataribe.__version__,
        },
    )


def _cautions(dimensions: Mapping[str, FittedWeights]) -> list[Caution]:
    """Weights that predict nothing are still weights; whoever uses them should know."""
    found = []
    for name, fit in dimensions.items():
        accuracy = fit.held_out
        if fit.spec is None:
            found.append(Caution("fit-is-chance", f"{name}: no part agrees with people, and there are no weights"))
        elif accuracy.interval is not None and accuracy.interval[0] <= 0.5:
            value, low, high = (f"{100 * share:.1f}" for share in (accuracy.value, *accuracy.interval))
            text = (
                f"{name}: fitted weights predict {value}% ({low} to {high}) of the pairs of items that were left out: "
                "no better than chance, so do not use them"
            )
            found.append(Caution("fit-is-chance", text))
        if fit.items < FOLDS:
            found.append(Caution("few-items", f"{name}: weights fitted to {fit.items} items: too few to rely on"))
    return found
