"""JaSPICE: how fast captions are parsed, read from the cache and compared. The original is not run: it needs KNP."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from itertools import product

from bench.process import in_child, peak_memory
from bench.report import Options, Row, Section

ABSENT = "needs JUMAN++ and KNP"
PAIRS = 200_000


def measure(options: Options) -> Section:
    texts = captions()[: max(1, round(1000 * options.fraction))]
    runs = [in_child(_run, texts) for _ in range(options.repeats)]
    parsing, cached, comparing = (min(run[index] for run in runs) for index in range(3))
    memory = max(run[3] for run in runs)
    rows = [
        Row("captions parsed, never seen before", len(texts) / parsing, ABSENT, "captions/s"),
        Row("captions from the cache", len(texts) / cached, None, "captions/s"),
        Row("parsed captions compared", PAIRS / comparing, None, "pairs/s"),
        Row("peak memory of the process", memory, None, "B", higher_is_better=False),
    ]
    length = sum(map(len, texts)) / len(texts)
    notes = [
        f"{len(texts):,} made-up captions of {length:.0f} characters; GiNZA's model is loaded before the clock starts.",
        "GiNZA computes with as many threads as its libraries choose, everything else with one.",
    ]
    return Section("JaSPICE", rows, notes)


def captions() -> list[str]:
    """Different captions, in an order that mixes them."""
    people = (
        "白い犬",
        "帽子をかぶった男性",
        "二人の子供",
        "髪の長い女性",
        "黒い猫",
        "赤い服を着た少女",
        "老人",
        "学生たち",
    )
    places = ("公園のベンチの隣で", "駅の前で", "橋の上で", "海辺で", "店の中で", "テーブルの横で", "雪の積もった道で")
    deeds = (
        "ボールを追いかけている",
        "本を読みながら座っている",
        "写真を撮ろうとしている",
        "大きな荷物を運んでいる",
        "友達と話している",
        "アイスクリームを食べている",
    )
    ends = ("。", "、それを男性が見ている。", "、空が青い。")
    made = [f"{who}が{where}{what}{end}" for who, where, what, end in product(people, places, deeds, ends)]
    return [made[(index * 397) % len(made)] for index in range(len(made))]


def _run(texts: list[str]) -> tuple[float, float, float, int]:
    """Seconds to parse, to read from the cache and to compare, and the memory it took."""
    import numpy as np

    from kataribe.captions.items import pool_pairs
    from kataribe.captions.jaspice import JaSpice
    from kataribe.text.pool import TextPool
    from kataribe.text.scene_graph.cache import cached_graphs
    from kataribe.text.scene_graph.ginza import open_parser

    with tempfile.TemporaryDirectory() as folder:
        os.environ["KATARIBE_CACHE"] = folder
        parser = open_parser()
        parser.graphs(["犬が走る"])
        parsing, cached = (_seconds(lambda: cached_graphs(parser, texts)) for _ in range(2))
        pool, metric = TextPool(texts), JaSpice()
        draw = np.random.default_rng(0).integers(0, len(texts), size=(2, PAIRS))
        items = pool_pairs(pool, draw[0], draw[1])
        context = metric.prepare(items, metric.facts(items))
        comparing = _seconds(lambda: metric.stats(items, context))
    return parsing, cached, comparing, peak_memory() or 0


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
