"""The judging app under fifty raters at once, over loopback, each answer on disk before it is acknowledged."""

from __future__ import annotations

import http.client
import json
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from bench.report import Options, Row, Section

RATERS = 50
ANSWERS = 40
THINKING = 1.0  # seconds on average between a rater's answers; people take longer

STUDY = """
title = "Bench"
kind = "ranking"
texts = "captions"
[systems]
a = "captions.json"
b = "captions.json"
c = "captions.json"
[[dimensions]]
name = "accuracy"
[[dimensions]]
name = "language"
"""


def measure(options: Options) -> Section:
    answers = max(2, round(ANSWERS * options.fraction))
    thinking: list[float] = []
    rushing: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _server(folder, answers * 2) as links:
            raters = [_Rater(link, seed) for seed, link in enumerate(links)]
            with ThreadPoolExecutor(RATERS) as pool:
                for rater in raters:
                    rater.start()
                for latencies in pool.map(lambda rater: rater.answer(range(1, answers + 1), THINKING), raters):
                    thinking += latencies
                began = time.perf_counter()
                for latencies in pool.map(lambda rater: rater.answer(range(answers + 1, 2 * answers + 1), 0), raters):
                    rushing += latencies
                rate = len(rushing) / (time.perf_counter() - began)
        kept = sqlite3.connect(folder / "answers.sqlite").execute("SELECT count(*) FROM answers").fetchone()[0]
        commit = _commit(folder)
    if kept != len(thinking) + len(rushing):
        raise SystemExit(f"{kept} answers are in the database, {len(thinking) + len(rushing)} were acknowledged")
    rows = [
        *_quantiles(f"an answer, {RATERS} raters who think {THINKING:g} s", thinking),
        *_quantiles(f"an answer, {RATERS} raters who never pause", rushing),
        Row(f"answers saved, {RATERS} raters who never pause", rate, None, "answers/s"),
        Row("one SQLite commit of one row alone, median", commit, None, "s", higher_is_better=False),
    ]
    notes = [
        f"{RATERS} raters in one study, {2 * answers} rankings of three texts on two dimensions each; server and "
        "raters share the machine and speak HTTP over loopback. A latency runs from sending an answer to having read "
        "its acknowledgement, which is sent when the answer is on disk (write-ahead log, synchronous=FULL).",
        f"All {kept:,} acknowledged answers were found in the database afterwards.",
    ]
    return Section("The judging app", rows, notes)


def _quantiles(what: str, latencies: list[float]) -> Iterator[Row]:
    for quantile in (50, 95):
        value = float(np.percentile(latencies, quantile))
        yield Row(f"{what}: p{quantile}", value, None, "s", higher_is_better=False)


class _Rater:
    """Keeps one connection open, as a browser does."""

    def __init__(self, link: str, seed: int) -> None:
        address = urlsplit(link)
        self.path, self.rng = address.path, np.random.default_rng(seed)
        self.connection = http.client.HTTPConnection(address.netloc, timeout=60)

    def start(self) -> None:
        self._send("POST", "/start")
        self.headers = {"cookie": self.cookie, "content-type": "application/json"}
        self.headers["x-kataribe-form"] = json.loads(self._send("GET", "/state", headers=self.headers))["form"]

    def answer(self, numbers: range, pause: float) -> list[float]:
        latencies = []
        for number in numbers:
            time.sleep(self.rng.uniform(0, 2 * pause))
            places = self.rng.integers(1, 4, size=(2, 3)).tolist()
            body = json.dumps({"given": {"accuracy": places[0], "language": places[1]}, "seconds": 1.0})
            sent = time.perf_counter()
            answer = self._send("POST", f"/tasks/{number}", body, self.headers)
            latencies.append(time.perf_counter() - sent)
            if answer != b'{"saved":true}':
                raise SystemExit(f"the server did not save an answer: {answer!r}")
        return latencies

    def _send(self, method: str, path: str, body: str = "", headers: dict[str, str] | None = None) -> bytes:
        self.connection.request(method, self.path + path, body, headers or {})
        response = self.connection.getresponse()
        cookie = response.headers.get("set-cookie", "")
        self.cookie = cookie.partition(";")[0]
        return response.read()


@contextmanager
def _server(folder: Path, items: int) -> Iterator[list[str]]:
    captions = {f"item{number}": f"A sentence about picture {number}." for number in range(items)}
    (folder / "captions.json").write_text(json.dumps(captions), encoding="utf-8")
    (folder / "STUDY.toml").write_text(STUDY, encoding="utf-8")
    command = [sys.executable, "-m", "kataribe", "judge", "serve", str(folder / "STUDY.toml")]
    command += ["--port", "0", "--raters", str(RATERS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        links: list[str] = []
        for line in process.stdout:
            if line.startswith("admin"):
                break
            links += re.findall(r"http\S+", line)
        if len(links) != RATERS:
            raise SystemExit("the server did not start")
        yield links
    finally:
        process.terminate()
        process.wait(30)


def _commit(folder: Path) -> float:
    """What durability costs by itself on this disk."""
    connection = sqlite3.connect(folder / "alone.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE rows (value TEXT)")
    times = []
    for _ in range(200):
        began = time.perf_counter()
        connection.execute("INSERT INTO rows VALUES ('x')")
        times.append(time.perf_counter() - began)
    connection.close()
    return statistics.median(times)
