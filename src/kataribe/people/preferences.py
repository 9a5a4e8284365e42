"""Which of two systems people prefer: item by item by the majority of its voters, and vote by vote."""

from __future__ import annotations

from collections import Counter, defaultdict

from kataribe.people.judged import Judged, Pairs, mean_preferences
from kataribe.people.result import Preference

# For the one system, for the other, for neither.
_ORDER = (1, -1, 0)


def preferences(judgements: Judged) -> tuple[Preference, ...]:
    """Of every two systems that were voted on, by their names.

    >>> from kataribe.people.judged import judged
    >>> from kataribe.people.ratings import Ratings, Vote
    >>> from kataribe.people.result import Text
    >>> choices = [("ann", "1", "b"), ("bob", "1", "b"), ("eve", "1", "a"), ("ann", "2", "a"), ("bob", "2", "b")]
    >>> rows = tuple(Vote(who, item, "overall", "x", "y", choice) for who, item, choice in choices)
    >>> known = {Text(item, system) for item in "12" for system in "xy"}
    >>> preferences(judged(Ratings("votes", rows), "overall", known))
    (Preference(one='x', other='y', items=(0, 1, 1), votes=(2, 3, 0)),)
    """
    by_item, by_vote = _counted(judgements, mean_preferences(judgements)), _counted(judgements, judgements.pairs)
    return tuple(
        Preference(one, other, _in_order(by_item[one, other]), _in_order(votes))
        for (one, other), votes in sorted(by_vote.items())
    )


def _counted(judgements: Judged, pairs: Pairs) -> dict[tuple[str, str], Counter[int]]:
    found: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for first, second, preferred in zip(pairs.first, pairs.second, pairs.preferred, strict=True):
        one, other = judgements.texts[first].system, judgements.texts[second].system
        sign = int(preferred)
        found[min(one, other), max(one, other)][sign if one < other else -sign] += 1
    return found


def _in_order(counts: Counter[int]) -> tuple[int, int, int]:
    one, other, neither = (counts[sign] for sign in _ORDER)
    return one, other, neither
