"""What was collected: answers as ratings, rankings or votes, checks passed and failed, and how far a study is."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kataribe.people.judge.answers import passed
from kataribe.people.judge.plan import PLANTED, questions, tasks_each
from kataribe.people.judge.store import Answer, Rater
from kataribe.people.judge.study import Study
from kataribe.people.ratings import Judgement, Kind, Labelled, Rank, Rating, Ratings, Vote

if TYPE_CHECKING:
    from kataribe.stats.raters import Level

KINDS: dict[str, Kind] = {"pairs": "votes", "ranking": "rankings", "rating": "ratings", "labels": "labels"}
# Votes and labels have no order; ratings and ranks have one, but nobody knows how far 4 is from 5.
LEVELS: dict[str, Level] = {"pairs": "nominal", "ranking": "ordinal", "rating": "ordinal", "labels": "nominal"}


@dataclass(frozen=True)
class RaterProgress:
    """How far one rater is."""

    rater: Rater
    answered: int
    total: int
    passed: int
    checked: int
    median_seconds: float | None
    last: float | None


def ratings(study: Study, answers: Iterable[Answer]) -> Ratings:
    """Every answer to a real task in the form that `kataribe judge agreement` and `kataribe agree` read."""
    rows = [row for answer in answers if PLANTED not in answer.shown for row in _rows(study, answer)]
    return Ratings(KINDS[study.settings.kind], tuple(rows))


def progress(study: Study, raters: Sequence[Rater], answers: Iterable[Answer]) -> list[RaterProgress]:
    by_rater: dict[str, list[Answer]] = {rater.name: [] for rater in raters}
    for answer in answers:
        by_rater.setdefault(answer.rater, []).append(answer)
    total = tasks_each(study)
    return [_progress(study, rater, total, by_rater.get(rater.name, [])) for rater in raters]


def coverage(study: Study, answers: Iterable[Answer]) -> dict[int, int]:
    """How many questions were answered by how many raters: `{raters: questions}`."""
    answered = Counter(dict.fromkeys(questions(study), 0))
    answered.update(answer.task for answer in answers if PLANTED not in answer.shown)
    return dict(sorted(Counter(answered.values()).items()))


def agreement(study: Study, answers: Iterable[Answer]) -> list[dict[str, Any]]:
    """Krippendorff's alpha of every dimension so far, and over how many units that two or more raters judged."""
    from kataribe.people.raters import rater_table  # brings scipy, which a server's start need not wait for
    from kataribe.stats.raters import alpha

    found = ratings(study, answers)
    rows: list[dict[str, Any]] = []
    for dimension in (dimension.name for dimension in study.settings.dimensions):
        table = rater_table(found.of(dimension)).values
        value = alpha(table, LEVELS[study.settings.kind]) if table.size else math.nan
        shared = int((np.isfinite(table).sum(axis=0) > 1).sum()) if table.size else 0
        rows.append({"dimension": dimension, "alpha": None if math.isnan(value) else value, "units": shared})
    return rows


def _progress(study: Study, rater: Rater, total: int, given: Sequence[Answer]) -> RaterProgress:
    checks = [answer for answer in given if PLANTED in answer.shown]
    return RaterProgress(
        rater,
        len(given),
        total,
        sum(passed(study, answer.shown, answer.given) for answer in checks),
        len(checks),
        statistics.median(answer.seconds for answer in given) if given else None,
        max((answer.at for answer in given), default=None),
    )


def _rows(study: Study, answer: Answer) -> Iterator[Judgement]:
    """Votes keep their sides, so that a liking for one side can be seen; the rest is in the order of the study."""
    for dimension, given in answer.given.items():
        if study.settings.kind == "pairs":
            left, right = answer.shown
            yield Vote(answer.rater, answer.item, dimension, left, right, given)
            continue
        values = dict(zip(answer.shown, given, strict=True))
        for system in study.settings.systems:
            if system not in values:
                continue
            if study.settings.kind == "labels":
                yield Labelled(answer.rater, answer.item, system, dimension, values[system])
                continue
            row = Rank if study.settings.kind == "ranking" else Rating
            yield row(answer.rater, answer.item, system, dimension, float(values[system]))
