"""Sentence metrics inside story metrics: what they scan, conclude and prepare on the way of the story metric."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from kataribe.captions.items import Captions, pool_pairs
from kataribe.core.metric import Metric
from kataribe.stories.items import Stories
from kataribe.text.pool import TextPool

Side = Literal["references", "predictions"]


@dataclass(frozen=True)
class InnerScan:
    """What each of several sentence metrics scanned; it adds up as each of them merges it."""

    metrics: tuple[Metric, ...]
    found: tuple[Any, ...]

    def __add__(self, other: InnerScan) -> InnerScan:
        pairs = zip(self.metrics, self.found, other.found, strict=True)
        return InnerScan(self.metrics, tuple(metric.merge([mine, theirs]) for metric, mine, theirs in pairs))


NOTHING_SCANNED = InnerScan((), ())


@dataclass(frozen=True)
class InnerFacts:
    """The facts of each of several sentence metrics; equal facts, of other story metrics too, have the same key."""

    metrics: tuple[Metric, ...]
    facts: tuple[Any, ...]
    keys: tuple[bytes, ...]

    def of(self, metric: Metric) -> Any:
        return self.facts[self.metrics.index(metric)]

    def key(self, metric: Metric) -> bytes:
        return self.keys[self.metrics.index(metric)]


def scan(metric: Metric, captions: Captions, side: Side) -> Any:
    return metric.scan_references(captions) if side == "references" else metric.scan_predictions(captions)


def scan_captions(metrics: Sequence[Metric], items: Stories, side: Side, *, plain: bool) -> InnerScan:
    """Of the captions of one side, each an item; kept by the shard, since several story metrics may ask for it."""
    texts = items.versions(getattr(items, side).texts.values, plain=plain)
    captions = pool_pairs(items.pool, texts, texts)
    found = (items.memo.keep((side, metric, plain), partial(scan, metric, captions, side)) for metric in metrics)
    return InnerScan(tuple(metrics), tuple(found))


def conclude_inner(references: InnerScan, predictions: InnerScan) -> InnerFacts:
    scanned = zip(references.metrics, references.found, predictions.found, strict=True)
    facts = tuple(metric.conclude(ours, theirs) for metric, ours, theirs in scanned)
    keys = tuple(hashlib.blake2b(pickle.dumps(known), digest_size=16).digest() for known in facts)
    return InnerFacts(references.metrics, facts, keys)


def prepare_inner(metric: Metric, pool: TextPool, facts: InnerFacts) -> Any:
    """What a metric needs for any pairs of texts of a pool. The pool keeps it for other story metrics that ask."""
    nothing = np.zeros(0, dtype=np.int64)
    return pool.memo.keep(
        ("context", metric, facts.key(metric)),
        lambda: metric.prepare(pool_pairs(pool, nothing, nothing), facts.of(metric)),
    )
