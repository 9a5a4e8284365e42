"""Ctrl-C ends native work soon, wherever it runs. Each computation here would take hours."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")

PROGRAM = """
import os, signal, threading
import numpy as np
from kataribe import _native
from kataribe.engines.local import LocalEngine

many = 10**7
first, second = np.zeros(many, dtype=np.int64), np.ones(many, dtype=np.int64)
rng = np.random.default_rng(0)
offsets = np.array([0, 20_000, 40_000], dtype=np.int64)

def two_long_sentences():
    return _native.TokenIndex([" ".join(rng.choice(["a", "b", "c"], 20_000)) for _ in range(2)])

def meteor():
    sentences = _native.MeteorSentences(None, ["a b c " * 5000, "c a b " * 5000], normalize=False)
    _native.meteor_statistics(sentences, first, second)

def one_meteor_pair_after_another():
    sentences = _native.MeteorSentences(None, ["a b c", "c a b"], normalize=False)
    while True:
        _native.meteor_statistics(sentences, first, second)

def lcs():
    _native.lcs_lengths(two_long_sentences(), first, second)

def ngrams():
    index = _native.NgramIndex(two_long_sentences(), 4)
    _native.bleu_statistics(index, first, (second, np.arange(many + 1)))

def alignment():
    side = 1000
    costs, cells = rng.random(side * side), np.array([0, side * side])
    readings = 10**5
    rows = np.tile(np.arange(side), readings)
    row_bounds = np.arange(readings + 1) * side
    columns, column_bounds = np.arange(side), np.array([0, side])
    video_of = np.zeros(readings, dtype=np.int64)
    _native.align_stories(
        (costs, cells), video_of, (rows, row_bounds), (columns, column_bounds), tool_pairs=False
    )

def boundaries():
    times = np.sort(rng.random(40_000))
    comparison = _native.BoundaryComparison((times, offsets), (times, offsets), first, second)
    _native.boundary_hits(comparison, np.full(many, 0.1), optimal=False, strict=False)

def correlation():
    rows = 10**5
    values = np.sort(rng.integers(0, 50, rows)).astype(np.int32)
    _native.rank_statistics(values, values, np.zeros(rows, dtype=np.int64), 50, 50, np.ones((10**6, 1)))

def greedy():
    vectors = [rng.random((500, 384), dtype=np.float32) for _ in range(2)]
    _native.greedy_match(vectors, [np.ones(500), np.ones(500)], first, second)

def engine():
    list(LocalEngine(2).map(lambda shard: lcs(), range(4)))

threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    WORK()
except KeyboardInterrupt:
    print("interrupted")
"""

WORK = [
    "meteor",
    "one_meteor_pair_after_another",
    "lcs",
    "ngrams",
    "alignment",
    "boundaries",
    "correlation",
    "greedy",
    "engine",
]


@pytest.mark.parametrize("work", WORK)
def test_native_work_is_interrupted(work: str) -> None:
    program = PROGRAM.replace("WORK", work)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.stdout == "interrupted\n", done.stderr


@pytest.mark.parametrize("items", [2, 600], ids=["one shard", "several threads"])
def test_a_long_meteor_run_leaves_with_one_line(tmp_path: Path, items: int) -> None:
    rng = random.Random(0)
    texts = [" ".join(rng.choices(["w1", "w2", "w3"], k=7000)) for _ in range(20)]
    predictions = {str(item): texts[item % 10] for item in range(items)}
    references = {str(item): texts[10:] * (300 // items + 1) for item in range(items)}
    (tmp_path / "p.json").write_text(json.dumps(predictions))
    (tmp_path / "r.json").write_text(json.dumps(references))
    command = ["score", "captions", str(tmp_path / "p.json"), "-r", str(tmp_path / "r.json"), "-m", "meteor"]
    process = subprocess.Popen(
        [sys.executable, "-m", "kataribe", *command, "-o", str(tmp_path / "out.json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "kataribe: interrupted; nothing was written"
    assert not (tmp_path / "out.json").exists()
