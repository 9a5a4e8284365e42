"""What a browser may send as an answer, and when a planted task is passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kataribe.people.judge.plan import PLANTED, Task
from kataribe.people.judge.study import Study

CHOICES = ("a", "b", "equal")


class BadAnswer(ValueError):
    """No page of ours sends this."""


def checked(study: Study, task: Task, given: Any) -> dict[str, Any]:
    """An answer to every dimension, or `BadAnswer`.

    Of a pair the choice: a, b or equal, as shown. Else one entry for each shown text: a label's name, a rating from 1
    to the scale's end, or a position from 1, the best. Positions become ranks: two texts that share the last of four
    are both 3.
    """
    names = [dimension.name for dimension in study.settings.dimensions]
    if not isinstance(given, Mapping) or sorted(given) != sorted(names):
        raise BadAnswer(f"answer every dimension: {', '.join(names)}")
    if study.settings.kind == "pairs":
        choices = CHOICES if study.settings.equal else CHOICES[:2]
        if any(not isinstance(choice, str) or choice not in choices for choice in given.values()):
            raise BadAnswer(f"choose {' or '.join(choices)}")
        return {name: given[name] for name in names}
    if study.settings.kind == "labels":
        _check_labels(study, task, given)
        return {name: given[name] for name in names}
    highest = study.settings.scale if study.settings.kind == "rating" else len(task.shown)
    for values in given.values():
        if not isinstance(values, list) or len(values) != len(task.shown):
            raise BadAnswer(f"give {len(task.shown)} numbers for each dimension")
        if any(type(value) is not int or not 1 <= value <= highest for value in values):
            raise BadAnswer(f"give whole numbers from 1 to {highest}")
    if study.settings.kind == "ranking":
        return {name: ranks(given[name]) for name in names}
    return {name: given[name] for name in names}


def _check_labels(study: Study, task: Task, given: Mapping[str, Any]) -> None:
    for dimension in study.settings.dimensions:
        values, known = given[dimension.name], [label.name for label in dimension.labels]
        if not isinstance(values, list) or len(values) != len(task.shown):
            raise BadAnswer(f"give {len(task.shown)} labels for each dimension")
        if any(not isinstance(value, str) or value not in known for value in values):
            raise BadAnswer(f"choose one of {', '.join(known)}")


def ranks(positions: Sequence[int]) -> list[int]:
    """
    >>> ranks([2, 4, 4, 1])
    [2, 3, 3, 1]
    """
    return [1 + sum(other < position for other in positions) for position in positions]


def passed(study: Study, shown: Sequence[str], given: Mapping[str, Any]) -> bool:
    """Was the planted text seen to be wrong? Rated low, not chosen, or with nothing below and something above it."""
    index, values = shown.index(PLANTED), given[study.checked_dimension]
    if study.settings.kind == "pairs":
        return bool(values == CHOICES[1 - index])
    if study.settings.kind == "rating":
        return bool(values[index] <= study.settings.checks.at_most)
    return bool(values[index] == max(values) > min(values))
