"""What people said of the narrations of each clip, and which metrics put them in the same order: a case study.

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL,
Figure 6: narrations of a clip with their scores and the mean rank that people gave them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from kataribe.people.result import Agreement, Dimension

# The dimension that is shown first, where there is one of this name.
_OVERALL = "overall"


def ranked_clips(agreement: Agreement) -> list[dict[str, Any]]:
    """For each dimension, the overall one first: the systems and every clip of which several texts were judged."""
    dimensions = sorted(agreement.dimensions.values(), key=lambda found: found.name.casefold() != _OVERALL)
    return [_dimension(found, agreement) for found in dimensions]


def _dimension(found: Dimension, agreement: Agreement) -> dict[str, Any]:
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(found.judged):
        rows.setdefault(text.item, []).append(row)
    several = {item: members for item, members in rows.items() if len(members) > 1}
    ranked = found.kind == "rankings"
    values: dict[str, dict[str, float]] = {}
    by_system: dict[str, list[float]] = {}
    for item, members in several.items():
        for row in members:
            people = float(found.points["people"][row])
            value = mean_rank(people, len(members)) if ranked else people
            values.setdefault(item, {})[found.judged[row].system] = round(value, 2)
            by_system.setdefault(found.judged[row].system, []).append(value)
    return {
        "name": found.name,
        "label": "mean rank" if ranked else "people",
        "measure": found.by,
        "systems": {system: round(sum(given) / len(given), 2) for system, given in by_system.items()},
        "metrics": {metric: _number(found.metrics[metric].values[found.by]) for metric in agreement.metrics},
        "clips": {item: {"people": values[item], "pairs": _pairs(found, agreement, several[item])} for item in several},
    }


def mean_rank(above: float, texts: int) -> float:
    """The mean rank of a text that was put above this share of the others; 1 is the best.

    >>> mean_rank(1.0, 5), mean_rank(0.5, 5), mean_rank(0.0, 5)
    (1.0, 3.0, 5.0)
    """
    return 1 + (1 - above) * (texts - 1)


def _pairs(found: Dimension, agreement: Agreement, rows: Sequence[int]) -> dict[str, list[int]]:
    """[pairs that the metric puts in the order of people, pairs that people put in an order]; a tie is no order."""
    people = found.points["people"]
    ordered = [(a, b) if people[a] > people[b] else (b, a) for a, b in combinations(rows, 2) if people[a] != people[b]]
    counts = {}
    for metric in agreement.metrics:
        scores = found.points[metric]
        sign = -1 if metric in agreement.lower_is_better else 1
        counts[metric] = [sum(bool(sign * scores[a] > sign * scores[b]) for a, b in ordered), len(ordered)]
    return counts


def _number(value: float) -> float | None:
    return None if value != value else round(value, 5)
