"""What the tests of the judging app share: studies on disk, and raters who speak HTTP instead of using a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kataribe.people.judge.study import Study, read_study

ADMIN = "an-admin-token-for-tests"


def write_study(folder: Path, kind: str = "pairs", count: int = 4, **changes: Any) -> Path:
    """A study of captions by two systems (three in a ranking), with whatever lines a test wants to be different."""
    names = ("alpha", "beta", "gamma")[: 3 if kind == "ranking" else 2]
    dimensions = changes.pop("dimensions", ["overall"])
    for name in names:
        captions = {f"item{number}": f"text of {name[0]} about {number}" for number in range(count)}
        (folder / f"{name}.json").write_text(json.dumps(captions), encoding="utf-8")
    lines = {"title": "A study", "kind": kind, "texts": "captions", "seed": 3} | changes
    checks = lines.pop("checks", None)
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items() if value is not None)
    text += "[systems]\n" + "".join(f'{name} = "{name}.json"\n' for name in names)
    text += "".join(f'[[dimensions]]\nname = "{name}"\n' for name in dimensions)
    if checks:
        text += "[checks]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in checks.items())
    path = folder / "STUDY.toml"
    path.write_text(text, encoding="utf-8")
    return path


def made_study(folder: Path, kind: str = "pairs", **changes: Any) -> Study:
    return read_study(write_study(folder, kind, **changes))


class HttpRater:
    """A rater without a browser: starts, reads tasks, sends answers. `client` is any httpx-like client."""

    def __init__(self, client: Any, path: str) -> None:
        self.client, self.path = client, path
        started = client.post(f"{path}/start", follow_redirects=False)
        assert started.status_code == 303, started.status_code
        self.cookie = re.match(r"kataribe_session=([^;]+)", started.headers["set-cookie"])[1]  # type: ignore[index]
        client.cookies.clear()
        self.state = self.get("state").json()
        self.total = len(self.state["answered"])

    @property
    def headers(self) -> dict[str, str]:
        return {"cookie": f"kataribe_session={self.cookie}"}

    def get(self, what: str, **headers: str) -> Any:
        return self.client.get(f"{self.path}/{what}", headers=self.headers | headers)

    def task(self, number: int) -> Any:
        return self.get(f"tasks/{number}").json()

    def answer(self, number: int, given: Mapping[str, Any], **headers: str) -> Any:
        body = {"given": given, "seconds": 1.5}
        sent = self.headers | {"x-kataribe-form": self.state["form"]} | headers
        return self.client.post(f"{self.path}/tasks/{number}", json=body, headers=sent)


def letters(task: Mapping[str, Any]) -> Sequence[str]:
    return [entry["text"] for entry in task["texts"]]
