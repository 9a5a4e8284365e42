"""A real server process: no acknowledged answer is lost when it is killed, and the command line says what is wrong."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("uvicorn", reason="the judging app is not installed")

from kataribe.people.judge.store import Store  # noqa: E402
from kataribe.people.judge.study import read_study  # noqa: E402
from tests.people.judging import HttpRater, write_study  # noqa: E402

RATERS, TASKS = 20, 10
KILL_AFTER = 80


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


def test_kill_during_200_submissions_loses_no_acknowledged_answer(tmp_path: Path) -> None:
    path = write_study(tmp_path, "rating", count=TASKS, tasks_per_rater=TASKS)
    acknowledged: list[tuple[str, int, int]] = []
    enough = threading.Event()
    with serving(path, "--raters", str(RATERS)) as server, httpx.Client(timeout=30) as client:
        raters = [HttpRater(client, link) for link in server.links]
        assert len(raters) == RATERS

        def submit(place: int, number: int) -> None:
            value = 1 + (place * 7 + number) % 5
            try:
                if raters[place].answer(number, {"overall": [value]}).status_code == 200:
                    acknowledged.append((f"rater-{place + 1:02}", number, value))
                    if len(acknowledged) >= KILL_AFTER:
                        enough.set()
            except httpx.TransportError:
                pass  # the server is dead: this answer was never acknowledged

        with ThreadPoolExecutor(RATERS) as pool:
            for number in range(1, TASKS + 1):
                for place in range(RATERS):
                    pool.submit(submit, place, number)
            assert enough.wait(60)
            os.kill(server.process.pid, signal.SIGKILL)
    assert KILL_AFTER <= len(acknowledged) < RATERS * TASKS, "it was killed in the middle"
    study = read_study(path)
    with serving(path) as again, httpx.Client() as client:
        assert client.get(again.admin, follow_redirects=True).status_code == 200
    store = Store(study.database, study.fingerprint())
    kept = {(answer.rater, answer.task): answer.given["overall"][0] for answer in store.answers()}
    store.close()
    from kataribe.people.judge.plan import plan

    for rater, number, value in acknowledged:
        task = plan(study, int(rater[-2:]))[number - 1]
        assert kept[rater, task.key] == value


def test_interrupted_server_says_where_the_answers_are(tmp_path: Path) -> None:
    with serving(write_study(tmp_path), "--raters", "1") as server:
        server.process.send_signal(signal.SIGINT)
        _, said = server.process.communicate(timeout=30)
        assert server.process.returncode == 0
        assert "stopped; every answer is in" in said
        assert "Traceback" not in said


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
