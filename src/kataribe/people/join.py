"""Scores and judgements belong together by item and system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import JoinError, UsageError, nearest, shorten, some
from kataribe.core.types import Floats
from kataribe.people.ratings import Rank, Rating, Ratings, Vote
from kataribe.people.result import Joined, Text
from kataribe.people.scores import Scores


@dataclass(frozen=True)
class ScoredJudgements:
    """`row_of` has the rows of the texts that every metric scored; `values` are the metrics' scores of all rows."""

    ratings: Ratings
    scores: Scores
    values: Mapping[str, Floats]
    row_of: Mapping[Text, int]
    coverage: Joined
    warnings: list[Caution]


def match(ratings: Ratings, scores: Scores, metrics: Sequence[str] | None) -> ScoredJudgements:
    """Put both sides together; what does not fit is counted and said."""
    if ratings.kind == "labels":
        problem = "labels have no order, so that no metric can be read against them"
        raise UsageError(problem, hint="`kataribe judge agreement` counts them")
    for name in metrics or ():
        if name not in scores.values:
            raise UsageError(f"no score is called {shorten(name)!r}", hint=nearest(name, scores.values))
    values = {name: scores.values[name] for name in metrics or scores.values}
    if "people" in values:
        raise UsageError("a metric is called people, as the human ceiling is", hint="give its column another name")
    ratings, scores = _name_systems(ratings, scores)
    known = np.isfinite(np.array(list(values.values()))).all(axis=0)
    row_of = {text: row for row, text in enumerate(scores.texts) if known[row]}
    judged = _judged(ratings)
    lacking = [text for text in judged if text not in row_of]
    if len(lacking) == len(judged):
        raise _nothing_shared(judged, scores)
    warnings = list(scores.warnings)
    if lacking:
        named = some(f"{text.item} {text.system}".strip() for text in lacking)
        text = f"{len(lacking):,} of {len(judged):,} judged texts lack a score and are left out: {named}"
        warnings.append(Caution("unscored-texts", text))
    unjudged = len(set(scores.texts) - set(judged))
    if unjudged:
        text = f"{unjudged:,} of {len(scores.texts):,} scored texts were not judged and are left out"
        warnings.append(Caution("unjudged-texts", text))
    coverage = Joined(len(judged), len(scores.texts), len(judged) - len(lacking))
    return ScoredJudgements(ratings, scores, values, row_of, coverage, warnings)


def _name_systems(ratings: Ratings, scores: Scores) -> tuple[Ratings, Scores]:
    """Where one side names no system and the other has only one, that one is meant."""
    said, scored = ratings.systems, scores.systems
    if said == [""] and len(scored) == 1:
        rows = (row._replace(system=scored[0]) for row in ratings.rows if isinstance(row, Rating | Rank))
        return Ratings(ratings.kind, tuple(rows)), scores
    if scored == [""] and len(said) == 1:
        return ratings, replace(scores, texts=[text._replace(system=said[0]) for text in scores.texts])
    return ratings, scores


def _judged(ratings: Ratings) -> list[Text]:
    texts: dict[Text, None] = {}
    for row in ratings.rows:
        for system in (row.system_a, row.system_b) if isinstance(row, Vote) else (row.system,):
            texts[Text(row.item, system)] = None
    return list(texts)


def _nothing_shared(judged: Sequence[Text], scores: Scores) -> JoinError:
    scored_items = {text.item for text in scores.texts}
    if any(text.item in scored_items for text in judged):
        what, hint = "system", "name systems as the ratings do, NAME=FILE, and let every metric score them"
    else:
        what, hint = "item", "were these files made for each other?"
    said, scored = (dict.fromkeys(getattr(text, what) for text in texts) for texts in (judged, scores.texts))
    return JoinError(
        f"no text that people judged was scored by every metric ({what}s judged: {some(said)}; scored: {some(scored)})",
        hint=hint,
    )
