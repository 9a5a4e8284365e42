"""A real server process: no acknowledged answer is lost when it is killed, and the command line says what is wrong."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("uvicorn", reason="the judging app is not installed")

from kataribe.people.judge.plan import plan  # noqa: E402
from kataribe.people.judge.store import Store  # noqa: E402
from kataribe.people.judge.study import read_study  # noqa: E402
from tests.people.judging import HttpRater, write_study  # noqa: E402

RATERS, TASKS = 20, 10
KILL_AFTER = 500


class Served:
    """A server in its own process, and what it printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.links: list[str] = []
        assert process.stdout is not None
        for line in process.stdout:
            name, address = line.split()
            if name == "admin":
                self.admin = address
                return
            self.links.append(address)
        raise AssertionError(f"the server did not start: {process.stderr and process.stderr.read()}")


@contextmanager
def serving(study: Path, *options: str) -> Iterator[Served]:
    command = [sys.executable, "-m", "kataribe", "judge", "serve", str(study), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield Served(process)
    finally:
        process.kill()
        process.communicate()


def test_kill_during_200_concurrent_submissions_loses_no_acknowledged_answer(tmp_path: Path) -> None:
    """200 submitters, one for each task of each rater, change their answers until the server dies under them."""
    path = write_study(tmp_path, "rating", count=TASKS, tasks_per_rater=TASKS, scale=10)
    acknowledged = dict.fromkeys(product(range(RATERS), range(1, TASKS + 1)), 0)
    counted = Counter[str]()
    everybody = httpx.Client(timeout=60, limits=httpx.Limits(max_connections=None, max_keepalive_connections=None))
    with serving(path, "--raters", str(RATERS)) as server, everybody as client:
        raters = [HttpRater(client, link) for link in server.links]

        def submit(place: int, number: int) -> None:
            for turn in range(1, 10_000):
                try:
                    answer = raters[place].answer(number, {"overall": [1 + turn % 10]})
                except httpx.TransportError:
                    return  # the server is dead: this answer was never acknowledged
                assert answer.status_code == 200
                acknowledged[place, number] = turn
                counted["acknowledged"] += 1

        with ThreadPoolExecutor(len(acknowledged)) as pool:
            running = [pool.submit(submit, *pair) for pair in acknowledged]
            while counted["acknowledged"] < KILL_AFTER and not any(work.done() for work in running):
                time.sleep(0.01)
            os.kill(server.process.pid, signal.SIGKILL)
            for work in running:
                work.result()
    assert counted["acknowledged"] >= KILL_AFTER
    study = read_study(path)
    store = Store(study.database, study.fingerprint())
    kept = {(answer.rater, answer.task): answer.given["overall"][0] for answer in store.answers()}
    store.close()
    for (place, number), turn in acknowledged.items():
        task = plan(study, place + 1)[number - 1]
        # The last acknowledged answer, or the next one, which was on disk before its acknowledgement could be sent.
        allowed = {1 + turn % 10, 1 + (turn + 1) % 10} | ({None} if turn == 0 else set())
        assert kept.get((f"rater-{place + 1:02}", task.key)) in allowed


def test_killed_server_starts_again_where_it_stopped(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    with serving(path, "--raters", "1") as server, httpx.Client() as client:
        rater = HttpRater(client, server.links[0])
        rater.answer(1, {"overall": "b"})
        server.process.kill()
    with serving(path) as again, httpx.Client() as client:
        rater.client, rater.path = client, again.admin.partition("/admin")[0] + "/r/" + rater.path.rpartition("/")[2]
        assert rater.get("state").json()["answered"] == [True, False, False, False]
        assert rater.task(1)["given"] == {"overall": "b"}


def test_interrupted_server_says_where_the_answers_are(tmp_path: Path) -> None:
    with serving(write_study(tmp_path), "--raters", "1") as server:
        server.process.send_signal(signal.SIGINT)
        _, said = server.process.communicate(timeout=30)
        assert server.process.returncode == 0
        assert "stopped; every answer is in" in said
        assert "Traceback" not in said


@pytest.mark.parametrize("chunked", [True, False])
def test_oversized_body_is_refused_before_it_is_read(chunked: bool, tmp_path: Path) -> None:
    """Many megabytes are announced or begun; the answer comes although they are never sent."""
    with serving(write_study(tmp_path), "--raters", "1") as server:
        host, path = server.links[0].removeprefix("http://").split("/", 1)
        length = "transfer-encoding: chunked" if chunked else "content-length: 50000000"
        head = f"POST /{path}/start HTTP/1.1\r\nhost: {host}\r\n{length}\r\n\r\n"
        part = b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n" if chunked else b"x" * 1000
        with socket.create_connection((host.split(":")[0], int(host.split(":")[1])), timeout=30) as raw:
            raw.sendall(head.encode() + part)
            assert raw.recv(64).startswith(b"HTTP/1.1 413 ")


def test_links_stay_out_of_the_log(tmp_path: Path) -> None:
    with serving(write_study(tmp_path), "--raters", "1") as server:
        for _ in range(2):
            httpx.get(server.links[0])
        server.process.send_signal(signal.SIGINT)
        _, said = server.process.communicate(timeout=30)
        assert server.links[0].rpartition("/")[2] not in said


def test_taken_port_is_one_clear_line(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "kataribe", "judge", "serve", str(path), "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert re.fullmatch(rf"kataribe: cannot listen on 127\.0\.0\.1 port {port} .*\n", done.stderr)
    assert not (tmp_path / "answers.sqlite").exists()
