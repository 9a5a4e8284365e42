"""Every registered metric keeps the contract of `core/metric.py`: it distributes, and it is a value.

Facts survive pickling. Any sharding of the items, in any order and in another process, gives the same rows: whole
numbers exactly, floating point to 1e-12, numbers of models to 1e-6. Metrics hash, print and parse.

Each room lends cases in `tests/ROOM/every_metric.py`: `VARIANTS` names, for each metric of the room, the specs that
take different ways through its code, and `case(spec, folder, monkeypatch)` makes the metric and a corpus of some dozens
of odd items for it.
"""

from __future__ import annotations

import pickle
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.core import registry
from kataribe.core.metric import Items, Metric
from kataribe.core.shards import Sharding, shards_at

ROOMS = ("boundaries", "captions", "grounding", "narration", "stories")


def lender(room: str) -> Any:
    return import_module(f"tests.{room}.every_metric")


def variants() -> list[tuple[str, str]]:
    return [(room, spec) for room in ROOMS for specs in lender(room).VARIANTS.values() for spec in specs]


@pytest.fixture(params=variants(), ids=lambda variant: f"{variant[0]}: {variant[1]}")
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Metric, Items]:
    room, spec = request.param
    made: tuple[Metric, Items] = lender(room).case(spec, tmp_path, monkeypatch)
    return made


def test_every_registered_metric_is_tried() -> None:
    tried = {name for room in ROOMS for name in lender(room).VARIANTS}
    assert tried == set(registry.names())


def test_any_sharding_gives_the_same_rows(case: tuple[Metric, Items]) -> None:
    metric, items = case
    whole = compute(metric, shards_at(items, [slice(0, len(items))]))
    for seed in range(3):
        sharding = random_sharding(metric, items, np.random.default_rng(seed))
        tolerance = 1e-6 if metric.vectors else 1e-12
        np.testing.assert_allclose(compute(metric, sharding), whole, rtol=tolerance, atol=tolerance)
        is_whole = np.all(whole == np.round(whole), axis=0)
        if not metric.vectors:
            np.testing.assert_array_equal(compute(metric, sharding)[:, is_whole], whole[:, is_whole])


def test_signature_and_warnings_are_the_same_for_any_sharding(case: tuple[Metric, Items]) -> None:
    metric, items = case
    whole = facts_of(metric, shards_at(items, [slice(0, len(items))]))
    sharded = facts_of(metric, random_sharding(metric, items, np.random.default_rng(7)))
    assert metric.signature(sharded) == metric.signature(whole)
    assert list(metric.warnings(sharded)) == list(metric.warnings(whole))


def test_metrics_hash_print_and_parse(case: tuple[Metric, Items]) -> None:
    metric, _ = case
    again = registry.parse(str(metric))
    assert again == metric
    assert hash(again) == hash(metric)
    assert str(again) == str(metric)
    assert pickle.loads(pickle.dumps(metric)) == metric


def random_sharding(metric: Metric, items: Items, rng: np.random.Generator) -> Sharding:
    """Items dealt out to shards at random, groups whole; each shard in its own order, and an empty one among them."""
    groups = getattr(items, metric.group_by) if metric.group_by else range(len(items))
    distinct = {group: int(rng.integers(0, 4)) for group in dict.fromkeys(groups)}
    shard_of = np.array([distinct[group] for group in groups], dtype=np.int64)
    rows = [rng.permutation(np.flatnonzero(shard_of == number)) for number in range(5)]
    if metric.group_by:  # the order of a group's items may be what its rows depend on
        rows = [np.sort(some) for some in rows]
    return shards_at(items, [rows[number] for number in rng.permutation(5)])


def facts_of(metric: Metric, sharding: Sharding) -> Any:
    """As on a cluster: what goes from one process to another is pickled."""
    shards = [pickle.loads(pickle.dumps(shard)) for shard in sharding.shards]
    references = metric.merge([pickle.loads(pickle.dumps(metric.scan_references(shard))) for shard in shards])
    predictions = metric.merge([pickle.loads(pickle.dumps(metric.scan_predictions(shard))) for shard in shards])
    return pickle.loads(pickle.dumps(metric.conclude(references, predictions)))


def compute(metric: Metric, sharding: Sharding) -> Any:
    facts = facts_of(metric, sharding)
    tables = []
    for shard in sharding.shards:
        received = pickle.loads(pickle.dumps(shard))
        tables.append(metric.stats(received, metric.prepare(received, facts)))
    return sharding.in_order(tables)
