"""Only like is compared with like: the same measure, on the same items, with the same choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from kataribe.core.errors import KataribeError, shorten, some
from kataribe.core.result import MetricResult
from kataribe.core.signature import differences

# They describe the interval, the anchors and the floors of a score, or how much of free text could be read, not what
# was measured.
_HARMLESS_FIELDS = ("bootstrap", "interval", "drawn", "seed", "anchors", "train", "answers")


class IncomparableError(KataribeError):
    """Two results that do not measure the same thing on the same data in the same way."""


def incomparable(results: Mapping[str, MetricResult]) -> Iterator[str]:
    """Why results of one metric should not be compared: a line for each system that differs from the first.

    Items are looked at even where signatures agree: a signature counts those that were scored, not which they were.
    How many predictions were missing is no reason, as long as all were treated alike.
    """
    (first, reference), *others = results.items()
    for name, result in others:
        apart = {id for id, _ in scored_items(reference) ^ scored_items(result)}
        # The ids of items are more useful than their fingerprint.
        unimportant = (*_HARMLESS_FIELDS, "scored") if apart else _HARMLESS_FIELDS
        fields = {
            key: values
            for key, values in differences(reference.signature, result.signature).items()
            if key not in unimportant and not _is_same_policy(key, *values)
        }
        if fields:
            said = "; ".join(f"{key}: {_said(a)} in {first}, {_said(b)} in {name}" for key, (a, b) in fields.items())
            yield f"{reference.metric}: {first} and {name} differ in {said}"
        if (result.direction, result.unit) != (reference.direction, reference.unit):
            said = f"{reference.direction}, {reference.unit} in {first}; {result.direction}, {result.unit} in {name}"
            yield f"{reference.metric}: {first} and {name} differ in direction or unit: {said}"
        if apart:
            yield f"{first} and {name} are not about the same items: {some(sorted(apart))} scored only in one of them"


def _is_same_policy(field: str, one: str | None, other: str | None) -> bool:
    return field == "missing" and one is not None and other is not None and missing_policy(one) == missing_policy(other)


def missing_policy(missing: str) -> str:
    """What was done about missing predictions, without their number: `zero` of `zero(6)`."""
    return missing.partition("(")[0]


def scored_items(result: MetricResult) -> set[tuple[str, bool]]:
    """Each item, and whether it was scored or left out."""
    return set(zip(result.ids, np.isfinite(result.item_values).tolist(), strict=True))


def _said(value: str | None) -> str:
    return "absent" if value is None else repr(shorten(value))
