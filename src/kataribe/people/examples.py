"""Single texts behind an agreement: where a metric puts a text as people do, and where it does not.

Both people's mean ratings and the metric's predictions become percentiles among all texts. The smaller the distance
between the two, the better they agree on a text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from kataribe.captions.result import ScoredCaption
from kataribe.core.errors import UsageError, nearest, shorten
from kataribe.core.types import Floats
from kataribe.people.rated import RatedCaptions
from kataribe.people.result import Agreement, Dimension, Examples, ExampleText, Text
from kataribe.people.scores import Scores


class Shown(NamedTuple):
    """What there is to read and to look at for a text."""

    candidate: str
    references: tuple[str, ...] = ()
    picture: str | None = None


def shown_of_rated(rated: RatedCaptions) -> dict[Text, Shown]:
    return {
        text: Shown(caption, tuple(rated.references[text]), rated.pictures.get(text))
        for text, caption in rated.captions.items()
    }


def shown_of_scores(scores: Scores) -> dict[Text, Shown]:
    """The captions that result files hold."""
    found: dict[Text, Shown] = {}
    for system, result in scores.results.items():
        for item, scored in result.scored(ScoredCaption, file=system).items():
            found[Text(item, system)] = Shown(scored.candidate, tuple(scored.references))
    return found


def examples_of(rated: RatedCaptions, scores: Scores, metric: str) -> list[ExampleText]:
    """Every rated text that the metric scored, the best agreement first; ties in the order of their names.

    >>> from kataribe.people.ratings import Rating, Ratings
    >>> texts = [Text(item, item) for item in "abc"]
    >>> said = zip(texts, (1, 5, 3), strict=True)
    >>> ratings = Ratings("ratings", tuple(Rating("ann", *text, "overall", float(value)) for text, value in said))
    >>> rated = RatedCaptions({text: "a dog" for text in texts}, {text: ["dogs"] for text in texts}, ratings)
    >>> found = examples_of(rated, Scores(texts, {"m": np.array([0.2, 0.8, 0.1])}), "m")
    >>> [(example.text.item, round(example.gap, 3), example.standing) for example in found]
    [('b', 0.0, 'top 34%'), ('a', 0.333, 'top 67%'), ('c', 0.333, 'bottom 34%')]
    """
    if metric not in scores.values:
        raise UsageError(f"no score is called {shorten(metric)!r}", hint=nearest(metric, scores.values))
    means = {text: float(np.mean(values)) for text, values in rated.values().items()}
    rows = [(text, value) for text, value in zip(scores.texts, scores.values[metric].tolist(), strict=True)]
    kept = [(text, value) for text, value in rows if text in means and np.isfinite(value)]
    texts, predictions = [text for text, _ in kept], np.array([value for _, value in kept])
    people = np.array([means[text] for text in texts])
    return _placed(texts, people, predictions, metric in scores.lower_is_better, shown_of_rated(rated))


def check_count(count: int) -> None:
    """Refuse a number of examples that cannot be meant, before anything is computed."""
    if count < 0:
        raise UsageError(f"<explain {count}>: cannot be negative", hint="0: no examples", options=["explain"])


def explain(agreement: Agreement, shown: Mapping[Text, Shown], count: int) -> Agreement:
    """The same agreement with, for each dimension and metric, the texts of best and of worst agreement."""
    check_count(count)
    if not count:
        return agreement
    dimensions = {
        name: replace(dimension, examples=_of_dimension(dimension, agreement.lower_is_better, shown, count))
        for name, dimension in agreement.dimensions.items()
    }
    return replace(agreement, dimensions=dimensions)


def _of_dimension(
    dimension: Dimension, lower: Collection[str], shown: Mapping[Text, Shown], count: int
) -> dict[str, Examples]:
    found: dict[str, Examples] = {}
    for metric in dimension.metrics:
        people, predictions = dimension.points["people"], dimension.points[metric]
        ordered = _placed(dimension.judged, people, predictions, metric in lower, shown)
        # Of few texts none stands on both sides; of an odd number the one in the middle is good.
        best = ordered[: min(count, (len(ordered) + 1) // 2)]
        worst = sorted(ordered[len(best) :], key=lambda example: (-example.gap, example.text))
        found[metric] = Examples(tuple(best), tuple(worst[:count]))
    return found


def _placed(
    texts: Sequence[Text], people: Floats, predictions: Floats, is_lower: bool, shown: Mapping[Text, Shown]
) -> list[ExampleText]:
    known = np.isfinite(people)
    texts, people, predictions = (
        [text for text, ok in zip(texts, known, strict=True) if ok],
        people[known],
        predictions[known],
    )
    upright = -predictions if is_lower else predictions
    columns = [people, _percentiles(people), predictions, _percentiles(upright)]
    columns += [_share_as_low(-upright), _share_as_low(upright)]
    rows = zip(texts, *(column.tolist() for column in columns), strict=True)
    examples = [ExampleText(text, *shown.get(text, Shown("")), *numbers) for text, *numbers in rows]
    return sorted(examples, key=lambda example: (example.gap, example.text))


def _percentiles(values: Floats) -> Floats:
    """
    >>> _percentiles(np.array([1.0, 5.0, 5.0, 2.0])).tolist()
    [0.125, 0.75, 0.75, 0.375]
    """
    percentiles: Floats = (rankdata(values) - 0.5) / max(len(values), 1)
    return percentiles


def _share_as_low(values: Floats) -> Floats:
    """The share of values that are as low or lower."""
    shares: Floats = rankdata(values, method="max") / max(len(values), 1)
    return shares
