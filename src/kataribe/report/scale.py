"""How values are shown: fractions times 100, what is no fraction (a perplexity) as it is."""

from __future__ import annotations

from kataribe.core import registry

PERCENT = 100.0


def scale_of(spec: str) -> float:
    """What a metric's values are multiplied by in tables.

    >>> scale_of("bleu"), scale_of("ppl")
    (100.0, 1.0)
    """
    metric = registry.find(spec)
    return PERCENT if metric is None or metric.percent else 1.0


def is_lower_better(spec: str) -> bool:
    """
    >>> is_lower_better("bleu"), is_lower_better("ppl")
    (False, True)
    """
    metric = registry.find(spec)
    return metric is not None and metric.lower_is_better
